//! The scenarios of one driver, or of the server behind it.

use rowkey::Backend;
use sqlx::{MySql, Postgres, Sqlite};

use super::{
    adoption, arrays, conversions, many, new_ids, random_conversions, routed, rows, servers,
    sql_server_only, support,
};
use crate::drivers::sqlx::Sqlx;
use crate::drivers::tiberius::Tiberius;
use crate::scenario::Scenario;

pub(crate) fn postgres() -> Vec<Scenario<Sqlx<Postgres>>> {
    let mut scenarios = many::scenarios(Backend::Postgres);
    scenarios.extend([rows::scenario(), support::scenario(), routed::numbers()]);
    scenarios.extend(conversions::scenarios());
    scenarios.extend(new_ids::scenarios());
    scenarios.push(new_ids::own_function());
    scenarios.push(random_conversions::scenario());
    scenarios.extend(adoption::postgres());
    scenarios.extend([arrays::scenario(), arrays::text_types()]);
    scenarios
}

pub(crate) fn mysql(backend: Backend) -> Vec<Scenario<Sqlx<MySql>>> {
    let mut scenarios = many::scenarios(backend);
    scenarios.extend([rows::scenario(), support::scenario(), routed::numbers()]);
    scenarios.extend(conversions::scenarios());
    scenarios.extend(new_ids::scenarios());
    scenarios.push(random_conversions::scenario());
    scenarios.extend(adoption::mysql(backend));
    scenarios.extend(servers::mysql());
    if backend == Backend::MariaDb {
        scenarios.push(new_ids::own_function());
        scenarios.extend(servers::mariadb());
    }
    scenarios
}

pub(crate) fn sqlite() -> Vec<Scenario<Sqlx<Sqlite>>> {
    let mut scenarios = many::scenarios(Backend::Sqlite);
    scenarios.extend([rows::scenario(), support::scenario(), routed::numbers()]);
    scenarios.extend(conversions::scenarios());
    scenarios.extend(new_ids::scenarios());
    scenarios.push(random_conversions::scenario());
    scenarios.extend(adoption::sqlite());
    scenarios.extend(servers::sqlite());
    scenarios
}

pub(crate) fn sql_server() -> Vec<Scenario<Tiberius>> {
    let mut scenarios = many::scenarios(Backend::SqlServer);
    scenarios.push(routed::numbers());
    scenarios.extend(super::sql_server::scenarios());
    scenarios.extend(sql_server_only::scenarios());
    scenarios.extend(conversions::scenarios());
    scenarios.extend(new_ids::scenarios());
    scenarios.push(random_conversions::scenario());
    scenarios.extend(adoption::sql_server());
    scenarios
}
