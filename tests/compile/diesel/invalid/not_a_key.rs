// A column of keys names a key. (In `table!`, errors of Diesel stand around this one.)

use rowkey::driver::diesel::Key;

struct Columns {
    _id: Key<i64>,
}

fn main() {}
