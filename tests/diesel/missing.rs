//! Backends whose client library is not there.

use rowkey_testkit::libtest_mimic::Trial;
use rowkey_testkit::{Backend, REQUIRE_VARIABLE, test_name};

/// A trial for all of a backend's: ignored, or failing if the backend is required.
pub(crate) fn trial(backend: Backend, feature: &str, libraries: &str) -> Trial {
    let name = format!("{}::diesel", test_name(backend));
    let reason = format!("built without the feature {feature}, which needs {libraries}");
    let required = std::env::var(REQUIRE_VARIABLE).unwrap_or_default();
    let is_required = required
        .split(',')
        .any(|name| name.trim() == test_name(backend));
    let reason = if is_required {
        format!("{REQUIRE_VARIABLE} names {backend}, but this is {reason}")
    } else {
        reason
    };
    // Marked from the outside, as the testkit does it.
    Trial::test(name, || Err(reason.into())).with_ignored_flag(!is_required)
}
