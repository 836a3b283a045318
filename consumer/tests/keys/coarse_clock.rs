//! The cheap clock of the short COMBs, which turns `std` on by itself.

use rowkey::format::interval_counter;
use rowkey::{EntityKey, UnixMillis};
use rowkey_consumer::formats::DraftId;

#[test]
fn it_is_at_most_a_little_late() {
    let second = |time| interval_counter(time, 1_000).expect("the interval is not zero");
    let before = second(UnixMillis::now());
    let made = DraftId::generate().into_format().counter();
    let after = second(UnixMillis::now());
    let since = made.wrapping_sub(before.wrapping_sub(1));
    assert!(
        since <= after.wrapping_sub(before) + 1,
        "{before} {made} {after}"
    );
}
