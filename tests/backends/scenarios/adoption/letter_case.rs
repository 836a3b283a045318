//! The letter case of text.

use anyhow::{Result, ensure};
use rowkey::Backend;
use sqlx::MySql;

use super::keys::{HexId, TextId, UpperHexId, UpperTextId};
use super::orders::{create, drop_tables, finds, orders, refusal};
use super::page_session::PageSession;
use super::values::{hyphenated, texts};
use crate::driver::{Driver, KeyOf};
use crate::drivers::sqlx::Sqlx;

/// What `letter-case` counts.
pub(super) const CASES: [&str; 3] = ["ids", "in_lower_case", "in_upper_case"];

/// A case-sensitive text column.
pub(super) fn text_column(backend: Backend) -> &'static str {
    match backend {
        Backend::MySql | Backend::MariaDb => "id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin",
        _ => "id VARCHAR(36)",
    }
}

/// Reading the one row in upper case fails, and says what to declare for a column of such.
pub(super) async fn refuses_upper_case<D: Driver>(session: &mut PageSession<'_, D>) -> Result<()>
where
    TextId: KeyOf<D>,
{
    let error = refusal::<D, TextId>(session).await?;
    ensure!(error.contains("declare `text-upper`"), "{error}");
    Ok(())
}

/// Text that is in another case than the key's is refused when it is read; a look-up cannot detect
/// it.
pub(super) async fn other_letter_cases_are_refused_and_not_found<D: Driver>(
    session: &mut PageSession<'_, D>,
) -> Result<()>
where
    TextId: KeyOf<D>,
{
    let (values, texts) = texts(25);
    let column = text_column(session.backend());
    create(session, column, texts).await?;
    ensure!(session.counts_of("letter-case", CASES).await? == [6, 5, 1]);
    refuses_upper_case::<D>(session).await?;
    ensure!(finds::<D, TextId>(session, values[4]).await?);
    ensure!(!finds::<D, TextId>(session, values[5]).await?);
    session.run_block("text-to-lower-case").await?;
    ensure!(session.counts_of("letter-case", CASES).await? == [6, 6, 0]);
    ensure!(finds::<D, TextId>(session, values[5]).await?);
    ensure!(orders::<D, TextId>(session).await? == values);
    Ok(())
}

/// Each way to write ids as text is read and found by the storage that the pages name.
pub(super) async fn text_is_declared_by_its_case<D: Driver>(
    session: &mut PageSession<'_, D>,
) -> Result<()>
where
    TextId: KeyOf<D>,
    UpperTextId: KeyOf<D>,
    HexId: KeyOf<D>,
    UpperHexId: KeyOf<D>,
{
    async fn check<D: Driver, K: KeyOf<D>>(
        session: &mut PageSession<'_, D>,
        write: fn(u128) -> String,
        cases: [i64; 3],
    ) -> Result<()> {
        let (values, _) = texts(37);
        let literals = values.iter().map(|&value| format!("'{}'", write(value)));
        let column = text_column(session.backend());
        create(session, column, literals.collect()).await?;
        ensure!(session.counts_of("letter-case", CASES).await? == cases);
        ensure!(orders::<D, K>(session).await? == values);
        ensure!(finds::<D, K>(session, values[3]).await?);
        drop_tables(session).await
    }

    check::<D, TextId>(session, hyphenated, [6, 6, 0]).await?;
    let upper = |value| hyphenated(value).to_uppercase();
    check::<D, UpperTextId>(session, upper, [6, 0, 6]).await?;
    check::<D, HexId>(session, |value| format!("{value:032x}"), [6, 6, 0]).await?;
    check::<D, UpperHexId>(session, |value| format!("{value:032X}"), [6, 0, 6]).await
}

pub(super) async fn collations_decide_about_letter_case(
    session: &mut PageSession<'_, Sqlx<MySql>>,
) -> Result<()> {
    let (values, texts) = texts(28);
    let column = "id CHAR(36) CHARACTER SET utf8 COLLATE utf8_general_ci";
    create(session, column, texts).await?;
    ensure!(session.counts_of("letter-case", CASES).await? == [6, 5, 1]);
    // It is found here, and what is found is refused.
    ensure!(finds::<_, TextId>(session, values[5]).await?);
    refuses_upper_case(session).await?;
    Ok(())
}
