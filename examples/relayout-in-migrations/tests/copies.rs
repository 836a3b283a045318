//! Diesel's folders hold the statements of sqlx's files.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

#[test]
fn diesel_has_the_same_statements() -> Result<()> {
    let migrations = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
    let read = |file: String| fs::read_to_string(migrations.join(&file)).context(file);
    for database in ["postgres", "mysql", "sqlite"] {
        for name in ["0001_shop", "0003_payments"] {
            let original = read(format!("{database}/{name}.sql"))?;
            let copy = read(format!("diesel/{database}/{name}/up.sql"))?;
            ensure!(original == copy, "{database}/{name} differs");
        }
    }
    Ok(())
}
