//! What entities do: rows in and out, relations, pages.

use anyhow::{Context, Result, ensure};
use rowkey_testkit::Suite;
use sea_orm::prelude::*;
use sea_orm::{
    ActiveValue::{NotSet, Set, Unchanged},
    DbBackend, DerivePartialModel, EntityLoaderTrait, ExprTrait, FromQueryResult, IntoActiveModel,
    LoaderTrait, QueryOrder, QuerySelect, Statement,
};

use crate::shop::{AccountId, InvoiceId, ProductId, ReceiptId, account, dense, invoice, line};
use crate::{BACKENDS, add_test};

pub(crate) fn add_tests(suite: &mut Suite) {
    add_test(
        suite,
        BACKENDS,
        "a_row_goes_in_and_out",
        a_row_goes_in_and_out,
    );
    add_test(
        suite,
        BACKENDS,
        "many_rows_are_found_by_keys",
        many_rows_are_found_by_keys,
    );
    add_test(
        suite,
        BACKENDS,
        "rows_are_updated_and_deleted",
        rows_are_updated_and_deleted,
    );
    add_test(
        suite,
        BACKENDS,
        "an_optional_key_can_be_null",
        an_optional_key_can_be_null,
    );
    add_test(
        suite,
        BACKENDS,
        "related_rows_are_found",
        related_rows_are_found,
    );
    add_test(
        suite,
        BACKENDS,
        "loaded_entities_have_their_relations",
        loaded_entities_have_their_relations,
    );
    add_test(
        suite,
        BACKENDS,
        "a_composite_key_finds_its_row",
        a_composite_key_finds_its_row,
    );
    add_test(
        suite,
        BACKENDS,
        "a_cursor_pages_in_the_order_of_keys",
        a_cursor_pages_in_the_order_of_keys,
    );
    add_test(
        suite,
        BACKENDS,
        "other_structs_take_keys_too",
        other_structs_take_keys_too,
    );
    add_test(
        suite,
        BACKENDS,
        "active_models_come_from_json",
        active_models_come_from_json,
    );
}

/// An account with this many invoices, in the order of their keys. The keys are consecutive
/// numbers, which are equal when compared as floating-point numbers.
pub(crate) async fn account_with_invoices(
    db: &DatabaseConnection,
    count: i32,
) -> Result<(account::Model, Vec<invoice::Model>)> {
    let account = account::ActiveModel {
        id: Set(AccountId::generate()),
        name: Set("Ada".to_owned()),
    };
    let account = account.insert(db).await?;
    let first = InvoiceId::generate().to_u128();
    let invoices = (0..count)
        .map(|total| {
            Ok(invoice::Model {
                id: InvoiceId::try_from(first + u128::from(total.unsigned_abs()))?,
                account: account.id,
                corrects: None,
                total,
            })
        })
        .collect::<Result<Vec<_>, rowkey::Error>>()?;
    let rows = invoices.iter().cloned().map(all_set);
    invoice::Entity::insert_many(rows)
        .exec_without_returning(db)
        .await?;
    Ok((account, invoices))
}

/// A row to insert.
pub(crate) fn all_set(invoice: invoice::Model) -> invoice::ActiveModel {
    invoice.into_active_model().reset_all()
}

async fn a_row_goes_in_and_out(db: &DatabaseConnection) -> Result<()> {
    let id = AccountId::generate();
    let account = account::ActiveModel {
        id: Set(id),
        name: Set("Ada".to_owned()),
    };
    let inserted = account.clone().insert(db).await?;
    assert_eq!(inserted.id, id);
    assert_eq!(
        account::Entity::find_by_id(id).one(db).await?,
        Some(inserted.clone())
    );
    let other = account::Entity::find_by_id(AccountId::generate())
        .one(db)
        .await?;
    assert_eq!(other, None);

    let invoice = invoice::ActiveModel {
        id: Set(InvoiceId::generate()),
        account: Set(id),
        corrects: NotSet,
        total: Set(7),
    };
    let inserted = invoice::Entity::insert(invoice.clone()).exec(db).await?;
    assert_eq!(Set(inserted.last_insert_id), invoice.id);

    let again = account.insert(db).await.unwrap_err();
    ensure!(
        matches!(again.sql_err(), Some(SqlErr::UniqueConstraintViolation(_))),
        "{again}"
    );
    let orphan = invoice::ActiveModel {
        id: Set(InvoiceId::generate()),
        account: Set(AccountId::generate()),
        ..invoice
    };
    let orphan = orphan.insert(db).await.unwrap_err();
    ensure!(
        matches!(
            orphan.sql_err(),
            Some(SqlErr::ForeignKeyConstraintViolation(_))
        ),
        "{orphan}"
    );
    Ok(())
}

async fn many_rows_are_found_by_keys(db: &DatabaseConnection) -> Result<()> {
    use invoice::{Column, Entity};

    let (_, invoices) = account_with_invoices(db, 5).await?;
    let ids: Vec<InvoiceId> = invoices.iter().map(|invoice| invoice.id).collect();

    // MySQL and MariaDB would return neighbours if the numbers were bound as text.
    let found = async |condition: Expr| -> Result<Vec<i32>> {
        let found = Entity::find()
            .filter(condition)
            .order_by_asc(Column::Id)
            .all(db)
            .await?;
        Ok(found.into_iter().map(|invoice| invoice.total).collect())
    };
    assert_eq!(found(Column::Id.is_in([ids[1], ids[3]])).await?, [1, 3]);
    assert_eq!(
        found(Column::Id.is_not_in([ids[1], ids[3]])).await?,
        [0, 2, 4]
    );
    assert_eq!(found(Column::Id.between(ids[1], ids[3])).await?, [1, 2, 3]);
    assert_eq!(
        found(Column::Id.gt(ids[1]).and(Column::Id.lte(ids[2]))).await?,
        [2]
    );
    assert_eq!(
        found(Column::Id.is_in([] as [InvoiceId; 0])).await?,
        [] as [i32; 0]
    );
    if db.get_database_backend() == DbBackend::Postgres {
        assert_eq!(found(Column::Id.eq_any([ids[1], ids[3]])).await?, [1, 3]);
    }

    // PostgreSQL 15 has no max(uuid), but one of numbers.
    let last: Option<Option<InvoiceId>> = Entity::find()
        .select_only()
        .column_as(Column::Id.max(), "last")
        .into_tuple()
        .one(db)
        .await?;
    assert_eq!(last, Some(Some(ids[4])));

    let on_conflict = sea_orm::sea_query::OnConflict::column(Column::Id)
        .do_nothing_on([Column::Id])
        .to_owned();
    Entity::insert_many(invoices.into_iter().map(all_set))
        .try_insert()
        .on_conflict(on_conflict)
        .exec_without_returning(db)
        .await?;
    assert_eq!(Entity::find().count(db).await?, 5);
    Ok(())
}

async fn rows_are_updated_and_deleted(db: &DatabaseConnection) -> Result<()> {
    let (account, invoices) = account_with_invoices(db, 3).await?;

    let mut changed = invoices[1].clone().into_active_model();
    changed.total = Set(40);
    changed.account.set_if_not_equals(account.id);
    ensure!(!changed.account.is_set(), "the key is the same");
    changed.corrects = Set(Some(invoices[0].id));
    let changed = changed.update(db).await?;
    assert_eq!(changed.corrects, Some(invoices[0].id));
    let stored = invoice::Entity::find_by_id(invoices[1].id).one(db).await?;
    assert_eq!(stored, Some(changed.clone()));

    let many = invoice::Entity::update_many()
        .col_expr(invoice::Column::Corrects, Expr::value(invoices[2].id))
        .filter(invoice::Column::Corrects.eq(invoices[0].id))
        .exec(db)
        .await?;
    assert_eq!(many.rows_affected, 1);
    let nobody = invoice::ActiveModel {
        id: Unchanged(InvoiceId::generate()),
        total: Set(1),
        ..Default::default()
    };
    ensure!(
        matches!(nobody.update(db).await, Err(DbErr::RecordNotUpdated)),
        "no such row"
    );

    changed.delete(db).await?;
    let deleted = invoice::Entity::delete_by_id(invoices[2].id)
        .exec(db)
        .await?;
    assert_eq!(deleted.rows_affected, 1);
    let left = invoice::Entity::find().all(db).await?;
    assert_eq!(left, [invoices[0].clone()]);
    Ok(())
}

async fn an_optional_key_can_be_null(db: &DatabaseConnection) -> Result<()> {
    use invoice::{Column, Entity};

    let (_, invoices) = account_with_invoices(db, 2).await?;
    let first = invoices[0].id;
    let mut second = invoices[1].clone().into_active_model();
    second.corrects = Set(Some(first));
    let second = second.update(db).await?;

    let uncorrected = Entity::find()
        .filter(Column::Corrects.is_null())
        .all(db)
        .await?;
    assert_eq!(uncorrected, [invoices[0].clone()]);
    let corrected = Entity::find()
        .filter(Column::Corrects.eq(Some(first)))
        .all(db)
        .await?;
    assert_eq!(corrected, std::slice::from_ref(&second));

    let mut second = second.into_active_model();
    second.corrects = Set(None);
    second.update(db).await?;
    let without: Vec<Option<InvoiceId>> = Entity::find()
        .select_only()
        .column(Column::Corrects)
        .into_tuple()
        .all(db)
        .await?;
    assert_eq!(without, [None, None]);

    // NULL is not a key, and the error names its column.
    let bare = Entity::find().select_only().column(Column::Corrects);
    #[derive(Debug, FromQueryResult)]
    struct Bare {
        #[expect(dead_code, reason = "it cannot be read")]
        corrects: InvoiceId,
    }
    let error = bare
        .into_model::<Bare>()
        .one(db)
        .await
        .unwrap_err()
        .to_string();
    ensure!(
        error.contains("null value") && error.contains("\"corrects\""),
        "{error}"
    );
    Ok(())
}

async fn related_rows_are_found(db: &DatabaseConnection) -> Result<()> {
    let (account, invoices) = account_with_invoices(db, 3).await?;
    let (other, _) = account_with_invoices(db, 1).await?;
    let mut last = invoices[2].clone().into_active_model();
    last.corrects = Set(Some(invoices[0].id));
    let last = last.update(db).await?;

    let mut found = account.find_related(invoice::Entity).all(db).await?;
    found.sort_by_key(|invoice| invoice.id);
    assert_eq!(
        found,
        [invoices[0].clone(), invoices[1].clone(), last.clone()]
    );
    assert_eq!(
        last.find_related(account::Entity).one(db).await?,
        Some(account.clone())
    );
    let corrected = last.find_linked(invoice::Corrected).one(db).await?;
    assert_eq!(corrected, Some(invoices[0].clone()));

    let joined = invoice::Entity::find_by_id(last.id)
        .find_also_related(account::Entity)
        .one(db)
        .await?;
    assert_eq!(joined, Some((last.clone(), Some(account.clone()))));
    let grouped = account::Entity::find()
        .find_with_related(invoice::Entity)
        .all(db)
        .await?;
    let counts = |id| {
        grouped
            .iter()
            .find(|(a, _)| a.id == id)
            .map(|(_, found)| found.len())
    };
    assert_eq!((counts(account.id), counts(other.id)), (Some(3), Some(1)));

    let accounts = vec![other.clone(), account.clone()];
    let loaded = accounts.load_many(invoice::Entity, db).await?;
    assert_eq!(loaded.iter().map(Vec::len).collect::<Vec<_>>(), [1, 3]);
    let invoices = vec![last.clone(), invoices[0].clone()];
    let owners = invoices.load_one(account::Entity, db).await?;
    assert_eq!(owners, [Some(account.clone()), Some(account.clone())]);

    Ok(())
}

async fn loaded_entities_have_their_relations(db: &DatabaseConnection) -> Result<()> {
    use dense::{account, invoice};

    let (stored, invoices) = account_with_invoices(db, 3).await?;
    let whole = account::Entity::load()
        .filter_by_id(stored.id)
        .with(invoice::Entity)
        .one(db)
        .await?
        .context("the account is there")?;
    assert_eq!(whole.id, stored.id);
    let mut found: Vec<InvoiceId> = whole.invoices.iter().map(|invoice| invoice.id).collect();
    found.sort();
    assert_eq!(
        found,
        invoices
            .iter()
            .map(|invoice| invoice.id)
            .collect::<Vec<_>>()
    );

    let condition = invoice::COLUMN
        .account
        .eq(stored.id)
        .and(invoice::COLUMN.total.eq(2));
    let last = invoice::Entity::find().filter(condition).one(db).await?;
    assert_eq!(last.map(|invoice| invoice.id), Some(invoices[2].id));

    let account = account::ActiveModel::builder()
        .set_id(AccountId::generate())
        .set_name("Grace")
        .insert(db)
        .await?;
    assert_eq!(
        account::Entity::find_by_id(account.id)
            .one(db)
            .await?
            .map(|a| a.name),
        Some("Grace".to_owned())
    );
    Ok(())
}

async fn a_composite_key_finds_its_row(db: &DatabaseConnection) -> Result<()> {
    let (_, invoices) = account_with_invoices(db, 2).await?;
    let products = [ProductId::generate(), ProductId::generate()];
    let mut lines = Vec::new();
    for invoice in &invoices {
        for product in products {
            let line = line::ActiveModel {
                invoice: Set(invoice.id),
                product: Set(product),
                receipt: Set((product == products[0]).then(ReceiptId::generate)),
            };
            lines.push(line.insert(db).await?);
        }
    }
    for line in &lines {
        let found = line::Entity::find_by_id((line.invoice, line.product))
            .one(db)
            .await?;
        assert_eq!(found.as_ref(), Some(line));
    }
    let receipt = lines[0].receipt.context("the first line has a receipt")?;
    let found = line::Entity::find()
        .filter(line::Column::Receipt.eq(receipt))
        .all(db)
        .await?;
    assert_eq!(found, [lines[0].clone()]);

    let mut changed = lines[0].clone().into_active_model();
    changed.receipt = Set(None);
    assert_eq!(changed.update(db).await?.receipt, None);
    line::Entity::delete_by_id((lines[0].invoice, lines[0].product))
        .exec(db)
        .await?;
    let left = invoices.load_many(line::Entity, db).await?;
    assert_eq!(left.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2]);
    Ok(())
}

async fn a_cursor_pages_in_the_order_of_keys(db: &DatabaseConnection) -> Result<()> {
    use invoice::{Column, Entity};

    let (_, invoices) = account_with_invoices(db, 7).await?;
    let mut found = Vec::new();
    let mut after: Option<InvoiceId> = None;
    loop {
        let mut cursor = Entity::find().cursor_by(Column::Id);
        if let Some(id) = after {
            cursor.after(id);
        }
        let page = cursor.first(3).all(db).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.id);
        found.extend(page);
    }
    assert_eq!(found, invoices);
    let before = Entity::find()
        .cursor_by(Column::Id)
        .before(invoices[5].id)
        .last(2)
        .all(db)
        .await?;
    assert_eq!(before, invoices[3..5]);

    let pages = Entity::find().order_by_desc(Column::Id).paginate(db, 4);
    assert_eq!(pages.num_items().await?, 7);
    let second = pages.fetch_page(1).await?;
    assert_eq!(
        second
            .into_iter()
            .map(|invoice| invoice.total)
            .collect::<Vec<_>>(),
        [2, 1, 0]
    );
    Ok(())
}

async fn other_structs_take_keys_too(db: &DatabaseConnection) -> Result<()> {
    #[derive(Debug, PartialEq, DerivePartialModel)]
    #[sea_orm(entity = "account::Entity")]
    struct Owner {
        id: AccountId,
    }

    #[derive(Debug, PartialEq, DerivePartialModel)]
    #[sea_orm(entity = "invoice::Entity")]
    struct Summary {
        id: InvoiceId,
        corrects: Option<InvoiceId>,
        #[sea_orm(nested)]
        account: Owner,
    }

    let (account, invoices) = account_with_invoices(db, 1).await?;
    let expected = Summary {
        id: invoices[0].id,
        corrects: None,
        account: Owner { id: account.id },
    };
    let found = invoice::Entity::find()
        .left_join(account::Entity)
        .into_partial_model::<Summary>()
        .all(db)
        .await?;
    assert_eq!(found, [expected]);

    let pairs: Vec<(InvoiceId, AccountId)> = invoice::Entity::find()
        .select_only()
        .columns([invoice::Column::Id, invoice::Column::Account])
        .into_tuple()
        .all(db)
        .await?;
    assert_eq!(pairs, [(invoices[0].id, account.id)]);

    let backend = db.get_database_backend();
    let parameter = if backend == DbBackend::Postgres {
        "$1"
    } else {
        "?"
    };
    let statement = Statement::from_sql_and_values(
        backend,
        format!("SELECT id, account, corrects, total FROM invoice WHERE id = {parameter}"),
        [invoices[0].id.into()],
    );
    let raw = invoice::Entity::find()
        .from_raw_sql(statement)
        .one(db)
        .await?;
    assert_eq!(raw, Some(invoices[0].clone()));
    Ok(())
}

async fn active_models_come_from_json(db: &DatabaseConnection) -> Result<()> {
    let (account, _) = account_with_invoices(db, 0).await?;
    let id = InvoiceId::generate();
    let json = serde_json::json!({ "id": id, "account": account.id, "corrects": null, "total": 3 });
    let inserted = invoice::ActiveModel::from_json(json.clone())?
        .insert(db)
        .await?;
    assert_eq!(serde_json::to_value(&inserted)?, json);
    assert_eq!(json["id"], id.to_string());

    let mut wrong = json;
    wrong["account"] = "prd_01".into();
    let error = invoice::ActiveModel::from_json(wrong).unwrap_err();
    ensure!(matches!(error, DbErr::Json(_)), "{error}");
    Ok(())
}
