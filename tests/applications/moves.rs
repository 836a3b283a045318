//! The applications, with the versions of their frameworks, and where their data moves.

use rowkey_testkit::Backend::{self, MariaDb, MySql, Postgres, Sqlite};

/// An application, whose program is `python/NAME_app.py` or `node/NAME_app.js`.
pub(crate) struct Application {
    pub(crate) name: &'static str,
    pub(crate) packages: Packages,
    pub(crate) moves: &'static [Move],
}

/// What is installed for it.
pub(crate) enum Packages {
    Python(&'static [&'static str]),
    Node(&'static [&'static str]),
    /// It is `examples/repository`, in this program.
    Own,
}

/// A move of its data.
pub(crate) struct Move {
    pub(crate) source: Backend,
    pub(crate) target: Backend,
    /// What a person adds to `rowkey plan` after its first preflight.
    pub(crate) options: &'static [&'static str],
}

const fn from(source: Backend, target: Backend) -> Move {
    Move {
        source,
        target,
        options: &[],
    }
}

/// Django's migrations put content types and permissions into the target, too.
const fn django(source: Backend, target: Backend) -> Move {
    let options = &["--existing-rows", "delete"];
    Move {
        options,
        ..from(source, target)
    }
}

pub(crate) const APPLICATIONS: [Application; 7] = [
    Application {
        name: "django",
        packages: Packages::Python(&["django==5.2.9", "psycopg[binary]==3.3.9", "pymysql==1.2.4"]),
        moves: &[
            django(Sqlite, Postgres),
            django(MariaDb, Postgres),
            django(Postgres, MySql),
        ],
    },
    Application {
        name: "sqlalchemy",
        packages: Packages::Python(&[
            "sqlalchemy==2.1.9",
            "alembic==1.20.1",
            "psycopg[binary]==3.3.9",
            "pymysql==1.2.4",
        ]),
        moves: &[from(Postgres, MariaDb), from(Sqlite, Postgres)],
    },
    Application {
        name: "prefect",
        packages: Packages::Python(&["prefect==3.9.1"]),
        moves: &[from(Sqlite, Postgres)],
    },
    Application {
        name: "typeorm",
        packages: Packages::Node(&[
            "typeorm@1.1.1",
            "reflect-metadata@0.2.2",
            "pg@8.23.1",
            "mysql2@3.24.5",
        ]),
        moves: &[from(MySql, Postgres), from(Postgres, MySql)],
    },
    Application {
        name: "sequelize",
        packages: Packages::Node(&[
            "sequelize@6.37.8",
            "umzug@3.8.3",
            "pg@8.23.1",
            "mysql2@3.24.5",
        ]),
        moves: &[from(MySql, Postgres), from(Postgres, MySql)],
    },
    Application {
        name: "diesel",
        packages: Packages::Own,
        moves: &[from(Sqlite, Postgres), from(MariaDb, Postgres)],
    },
    Application {
        name: "sea_orm",
        packages: Packages::Own,
        moves: &[from(Sqlite, Postgres), from(MariaDb, Postgres)],
    },
];
