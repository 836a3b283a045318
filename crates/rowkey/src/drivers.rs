//! Macros that implement the traits of the enabled drivers for one key.
//!
//! The macro of a driver that is off expands to nothing: a `#[cfg]` inside an expansion would test
//! a feature of the user's crate instead of this one.

/// Implements the traits of public ids and of every driver for a key.
#[doc(hidden)]
#[macro_export]
macro_rules! __key_drivers {
    ($key:ident) => {
        $crate::__impl_key_public_id! { $key }
        $crate::__private::sqlx_postgres! { $key }
        $crate::__private::sqlx_mysql! { $key }
        $crate::__private::sqlx_sqlite! { $key }
        $crate::__private::diesel! { $key }
        $crate::__private::sea_orm! { $key }
        $crate::__private::tiberius! { $key }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __no_driver {
    ($key:ident) => {};
}

/// Hidden items that the expansion of `#[entity_key]` refers to.
#[doc(hidden)]
pub mod private {
    pub use crate::__impl_public_id_label as impl_public_id_label;
    pub use crate::__key_drivers as key_drivers;
    pub use crate::emit::check_public_id_label;
    #[cfg(feature = "public-id")]
    pub use crate::emit::{block_of_key, key_of_block};
    pub use rowkey_core::__private::*;

    #[cfg(not(any(
        feature = "diesel-postgres",
        feature = "diesel-mysql",
        feature = "diesel-sqlite"
    )))]
    pub use crate::__no_driver as diesel;
    #[cfg(not(any(
        feature = "sea-orm-postgres",
        feature = "sea-orm-mysql",
        feature = "sea-orm-sqlite"
    )))]
    pub use crate::__no_driver as sea_orm;
    #[cfg(not(feature = "sqlx-mysql"))]
    pub use crate::__no_driver as sqlx_mysql;
    #[cfg(not(feature = "sqlx-postgres"))]
    pub use crate::__no_driver as sqlx_postgres;
    #[cfg(not(feature = "sqlx-sqlite"))]
    pub use crate::__no_driver as sqlx_sqlite;
    #[cfg(not(feature = "tiberius"))]
    pub use crate::__no_driver as tiberius;
    #[cfg(any(
        feature = "diesel-postgres",
        feature = "diesel-mysql",
        feature = "diesel-sqlite"
    ))]
    pub use rowkey_diesel::__impl_key_column as diesel;
    #[cfg(any(
        feature = "sea-orm-postgres",
        feature = "sea-orm-mysql",
        feature = "sea-orm-sqlite"
    ))]
    pub use rowkey_sea_orm::__impl_entity_column as sea_orm;
    #[cfg(feature = "sqlx-mysql")]
    pub use rowkey_sqlx::__impl_mysql as sqlx_mysql;
    #[cfg(feature = "sqlx-postgres")]
    pub use rowkey_sqlx::__impl_postgres as sqlx_postgres;
    #[cfg(feature = "sqlx-sqlite")]
    pub use rowkey_sqlx::__impl_sqlite as sqlx_sqlite;
    #[cfg(feature = "tiberius")]
    pub use rowkey_tiberius::__impl_sql_server as tiberius;
}
