//! MySQL and MariaDB, without a dependency on Diesel or on a client library.

use diesel::mysql::{Mysql, MysqlType};
use diesel::sql_types::HasSqlType;
use renamed::{ShipId, TicketId};
use rowkey::EntityKey;
use rowkey::driver::diesel::__private::diesel;
use rowkey::driver::diesel::Key;
use rowkey_consumer::formats::{OfferId, PaymentId, SessionId};
use rowkey_consumer::shadowed::{FerryId, ST, TerminalId};

/// What a parameter is sent as.
fn type_of<K>() -> MysqlType
where
    K: EntityKey
        + diesel::serialize::ToSql<Key<K>, Mysql>
        + diesel::deserialize::FromSql<Key<K>, Mysql>
        + diesel::deserialize::Queryable<Key<K>, Mysql>,
{
    <Mysql as HasSqlType<Key<K>>>::metadata(&mut ())
}

#[test]
fn keys_are_parameters_and_columns() {
    assert_eq!(type_of::<OfferId>(), MysqlType::Blob);
    assert_eq!(type_of::<FerryId>(), MysqlType::Blob);
    assert_eq!(type_of::<ShipId>(), MysqlType::Blob);
    assert_eq!(type_of::<ST>(), MysqlType::Blob);
    // Never text: the server would compare it as a floating-point number.
    assert_eq!(type_of::<PaymentId>(), MysqlType::Numeric);
    assert_eq!(type_of::<TerminalId>(), MysqlType::Numeric);
    assert_eq!(type_of::<TicketId>(), MysqlType::Numeric);
    assert_eq!(type_of::<SessionId>(), MysqlType::String);
}
