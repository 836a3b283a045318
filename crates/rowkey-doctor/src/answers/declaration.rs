//! What to declare for a column, and what to do next.

use rowkey_core::Backend;
use rowkey_core::format::FormatKind;
use rowkey_core::storage::{Column, Layout, Storage, StoragePlan, quote_identifier};
use rowkey_sql::StoredForm;
use rowkey_tables::catalog::QualifiedName;

use crate::answers::diagnosis::Diagnosis;
use crate::values::damage::DamageKind;
use crate::values::part::{Certainty, number_of};

/// The usual interval of a short COMB, which a declaration leaves out.
const MINUTE_MS: u64 = 60_000;

/// The answer in terms of the library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Advice {
    /// The declaration that reads the column as it is.
    pub(crate) declare: Option<String>,
    /// The command that comes next.
    pub(crate) next: Option<String>,
    /// What else to say.
    pub(crate) sentences: Vec<String>,
}

/// Advises on a column. `options` are those of the command line that name the database.
pub(crate) fn advise(
    diagnosis: &Diagnosis,
    backend: Backend,
    table: &QualifiedName,
    column: &str,
    options: &str,
) -> Advice {
    let mut advice = advise_on_ids(diagnosis, backend, table, column, options);
    let others = other_forms(diagnosis);
    if !others.is_empty() {
        let then = advice.declare.take().map_or(String::new(), |declare| {
            format!(", and then declare `{declare}`")
        });
        advice.sentences.push(format!(
            "No key reads the whole column, because {} cannot be read in the form of the others: bring \
             all into one form{then}.",
            others.join(", ")
        ));
    }
    advice
}

/// How many values have a form in which no key reads them together with the others.
fn other_forms(diagnosis: &Diagnosis) -> Vec<String> {
    use DamageKind::{
        ImplausibleTime, ImpossibleVersion, Max, Nil, SegmentsReversed, TextCutOff, ZeroPadded,
    };
    let is_read = |kind| {
        matches!(
            kind,
            Nil | Max
                | ImpossibleVersion
                | ImplausibleTime
                | SegmentsReversed
                | TextCutOff
                | ZeroPadded
        )
    };
    let others = diagnosis.damaged.iter();
    let others = others.filter(|damage| !is_read(damage.kind));
    let named = others.map(|damage| {
        let count = number_of(damage.count, "value");
        format!("{count} ({})", damage.kind.name())
    });
    named.collect()
}

/// Advises on the values that have the form of most.
fn advise_on_ids(
    diagnosis: &Diagnosis,
    backend: Backend,
    table: &QualifiedName,
    column: &str,
    options: &str,
) -> Advice {
    let name = type_name(&table.name, column);
    let place = format!(
        "{options} --table {} --column {}",
        argument(&table.to_string()),
        argument(column)
    );
    let mut advice = Advice {
        declare: None,
        next: None,
        sentences: Vec::new(),
    };
    let Some(storage) = diagnosis.storage else {
        return advice;
    };
    let Some(format) = diagnosis.format else {
        undecided(diagnosis, backend, storage, &name, &place, &mut advice);
        return advice;
    };
    if is_without_layout(diagnosis, backend, storage, format) {
        let as_uuids = Diagnosis {
            format: Some(FormatKind::UuidV4),
            layout: None,
            ..diagnosis.clone()
        };
        advice = advise_on_ids(&as_uuids, backend, table, column, options);
        let after = parameters(format, diagnosis.interval_ms);
        let public = Some(Layout::Public);
        let after = declaration(format, &after, backend, Storage::Binary, public, &name);
        without_layout((format, storage), after, &place, &mut advice);
        return advice;
    }
    let parameters = parameters(format, diagnosis.interval_ms);
    let declared = |layout| declaration(format, &parameters, backend, storage, layout, &name);
    if let Some(special) = special_values(diagnosis, format) {
        let any = FormatKind::AnyUuid;
        let is_public = diagnosis
            .layout
            .is_none_or(|layout| layout == Layout::Public);
        advice.declare = is_public
            .then(|| declaration(any, "", backend, storage, None, &name))
            .flatten();
        let reads_all = match advice.declare {
            Some(_) => "AnyUuid reads all rows. Or give",
            None => "Give",
        };
        let then = declared(diagnosis.layout).map_or(String::new(), |declared| {
            format!(", and then declare `{declared}`")
        });
        advice.sentences.push(format!(
            "{} does not read {special}. {reads_all} these rows ids, or NULL where they refer to \
             nothing{then}.",
            format.type_name()
        ));
        if storage == Storage::NativeUuid {
            any_in_native_uuid(backend, table, column, &name, &mut advice);
        }
        return advice;
    }
    if format == FormatKind::AnyUuid && storage == Storage::NativeUuid {
        any_in_native_uuid(backend, table, column, &name, &mut advice);
        return advice;
    }
    let Some(layout) = diagnosis.layout else {
        advice.declare = declared(None);
        return advice;
    };
    let kept = Column::new(format, backend, storage, None);
    let in_order = kept.map(Column::layout).unwrap_or(layout);
    advice.declare = declared(Some(layout));
    if in_order == layout {
        return advice;
    }
    advice.next = Some(format!(
        "rowkey plan{place} --to {storage}:{in_order} --output plan.toml"
    ));
    if advice.declare.is_none() {
        advice.declare = instead(format, layout)
            .and_then(|format| declaration(format, "", backend, storage, None, &name));
        advice.sentences.push(match &advice.declare {
            Some(_) => format!(
                "In the `{layout}` layout the column does not keep the order of the ids, so no key of \
                 the format is declared over it; UuidV4 reads the ids as they are."
            ),
            None => format!("No declaration reads the `{layout}` layout in this column."),
        });
    }
    if let Some(after) = declared(Some(in_order)) {
        advice.sentences.push(format!(
            "After the plan was carried out, declare `{after}`."
        ));
    }
    advice
}

/// The values of sixteen bytes, such as UUIDs of zeros or ones, that a format does not read.
fn special_values(diagnosis: &Diagnosis, format: FormatKind) -> Option<String> {
    let damaged = diagnosis.damaged.iter();
    let special = damaged.filter_map(|damage| match damage.kind {
        DamageKind::Nil if !format.admits(0) => Some("the UUID of zeros only"),
        DamageKind::Max if !format.admits(u128::MAX) => Some("the UUID of ones only"),
        // Formats with a version do not admit zeros either.
        DamageKind::ImpossibleVersion if !format.admits(0) => Some("values without a version"),
        DamageKind::TextCutOff if !format.admits(0) => Some("text that was cut off"),
        _ => None,
    });
    let special: Vec<&str> = special.collect();
    (!special.is_empty()).then(|| special.join(" and "))
}

/// MariaDB's type sorts UUIDs of each version otherwise, so that no key of several versions is
/// declared over it.
fn any_in_native_uuid(
    backend: Backend,
    table: &QualifiedName,
    column: &str,
    name: &str,
    advice: &mut Advice,
) {
    let any = FormatKind::AnyUuid;
    let after = declaration(any, "", backend, Storage::Uuid, None, name);
    let quoted = quote_identifier(backend, column);
    let (Some(after), Ok(table), Ok(column)) = (after, table.quoted(backend), quoted) else {
        return;
    };
    advice.next = Some(format!(
        "ALTER TABLE {table} MODIFY {column} BINARY(16) NOT NULL"
    ));
    advice.sentences.push(format!(
        "MariaDB's UUID type refuses or damages some values of AnyUuid, so no key over AnyUuid is declared \
         in it. The statement below keeps the ids that the column shows, damaged ones too, but not a DEFAULT: look \
         at some first. Convert the columns that refer to this one in the same way, without their constraints. \
         Afterwards, declare `{after}`."
    ));
}

/// Whether COMBs are stored as programs show them, in a type that has no layout for it.
fn is_without_layout(
    diagnosis: &Diagnosis,
    backend: Backend,
    storage: Storage,
    format: FormatKind,
) -> bool {
    let layout = diagnosis.layout.unwrap_or(Layout::Public);
    instead(format, layout).is_some()
        && StoredForm::new(format, backend, storage, Some(layout)).is_err()
}

/// No plan says the format of the column as it is: its ids are moved as UUIDs. `after` is the
/// declaration that reads them then.
fn without_layout(
    (format, storage): (FormatKind, Storage),
    after: Option<String>,
    place: &str,
    advice: &mut Advice,
) {
    advice.sentences.push(format!(
        "MariaDB's UUID type has no layout for ids of {} that are stored unchanged, so no key of the \
         format is declared over it; UuidV4 reads the ids as they are.",
        format.name()
    ));
    let (None, Some(after)) = (&advice.next, after) else {
        return;
    };
    let v4 = FormatKind::UuidV4.name();
    let binary = Storage::Binary;
    advice.next = Some(format!(
        "rowkey plan{place} --format {v4} --from {storage} --to {binary} --output plan.toml"
    ));
    advice.sentences.push(format!(
        "After the plan was carried out, declare `{after}`."
    ));
}

/// What reads ids of a format as they are, although their order is lost.
fn instead(format: FormatKind, layout: Layout) -> Option<FormatKind> {
    let is_v4 = matches!(
        format,
        FormatKind::ShortPrefixComb
            | FormatKind::ShortSuffixComb
            | FormatKind::PrefixComb
            | FormatKind::SuffixComb
    );
    (is_v4 && layout == Layout::Public).then_some(FormatKind::UuidV4)
}

/// Nothing tells the format: what reads the values all the same.
fn undecided(
    diagnosis: &Diagnosis,
    backend: Backend,
    storage: Storage,
    name: &str,
    place: &str,
    advice: &mut Advice,
) {
    if diagnosis.certainty == Certainty::CannotTell {
        // Keys of another format would go on writing ids that the column may not have.
        let candidate = diagnosis.candidates.first();
        let is_any = |format| matches!(format, FormatKind::UuidV4 | FormatKind::AnyUuid);
        if let Some(candidate) = candidate.filter(|candidate| is_any(candidate.format)) {
            let special = special_values(diagnosis, candidate.format);
            let format = match special {
                Some(_) => FormatKind::AnyUuid,
                None => candidate.format,
            };
            advice.declare = declaration(format, "", backend, storage, candidate.layout, name);
            advice.sentences.extend(special.map(|special| {
                let reads_all = match advice.declare {
                    Some(_) => "AnyUuid reads all rows",
                    None => "no key reads all rows",
                };
                format!(
                    "{} does not read {special}; {reads_all}.",
                    candidate.format.type_name()
                )
            }));
        }
        // Where not even a version is known, the order of the bytes is in question.
        let is_of_version = candidate.is_none_or(|known| known.format != FormatKind::AnyUuid);
        let option = match is_of_version {
            true => "--created COLUMN",
            false => "--witness STORED=PUBLIC",
        };
        advice.next = Some(format!("rowkey doctor{place} {option}"));
    }
}

fn parameters(format: FormatKind, interval_ms: Option<u64>) -> String {
    let is_short = matches!(
        format,
        FormatKind::ShortPrefixComb | FormatKind::ShortSuffixComb
    );
    match interval_ms {
        Some(interval) if is_short && interval != MINUTE_MS => format!("<{interval}>"),
        _ => String::new(),
    }
}

/// The declaration of a key for a column, if there is one that the library accepts.
fn declaration(
    format: FormatKind,
    parameters: &str,
    backend: Backend,
    storage: Storage,
    layout: Option<Layout>,
    name: &str,
) -> Option<String> {
    let column = match (layout, Column::new(format, backend, storage, layout)) {
        (_, Ok(column)) => column,
        (Some(Layout::Public), Err(_)) => {
            Column::new(format, backend, storage, Some(Layout::PublicUnordered)).ok()?
        }
        _ => return None,
    };
    let default = StoragePlan::default_for(format).column(backend);
    let is_default = (default.storage(), default.layout()) == (column.storage(), column.layout());
    let usual = Column::new(format, backend, storage, None).map(Column::layout);
    let choice = match usual == Ok(column.layout()) {
        true => storage.to_string(),
        false => format!("{storage}:{}", column.layout()),
    };
    let entry = backend.name().replace('-', "");
    let attribute = match is_default {
        true => "#[entity_key]".to_owned(),
        false => format!("#[entity_key(storage({entry} = \"{choice}\"))]"),
    };
    let format = format.type_name();
    Some(format!("{attribute} struct {name}({format}{parameters});"))
}

/// The name of a key type: that of the column, or of the table if the column is only called `id`.
fn type_name(table: &str, column: &str) -> String {
    let words = |name: &str| -> Vec<String> {
        let parts = name.split(|character: char| !character.is_ascii_alphanumeric());
        let parts = parts.filter(|part| !part.is_empty());
        parts.map(capitalised).collect()
    };
    let mut of_column = words(column);
    let is_generic = matches!(
        column.to_ascii_lowercase().as_str(),
        "id" | "uuid" | "guid" | "uid" | "key" | "pk"
    );
    if is_generic {
        let mut of_table = words(table);
        if let Some(last) = of_table.last_mut() {
            *last = singular(last);
        }
        of_column = of_table;
        of_column.push("Id".to_owned());
    }
    let name = of_column.concat();
    let starts_well = name.starts_with(|first: char| first.is_ascii_alphabetic());
    if starts_well {
        name
    } else {
        format!("Key{name}")
    }
}

fn capitalised(word: &str) -> String {
    let (first, rest) = word.split_at(1);
    first.to_ascii_uppercase() + rest
}

fn singular(word: &str) -> String {
    match word {
        _ if word.ends_with("ies") => format!("{}y", &word[..word.len() - 3]),
        _ if word.ends_with("ss") || !word.ends_with('s') => word.to_owned(),
        _ => word[..word.len() - 1].to_owned(),
    }
}

/// A word of a shell's command line.
pub(crate) fn argument(word: &str) -> String {
    let is_plain = |character: char| {
        character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | '.' | '/' | ':' | '@')
    };
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::damage::Damage;

    fn diagnosis(format: FormatKind, layout: Layout, storage: Storage) -> Diagnosis {
        Diagnosis {
            format: Some(format),
            layout: Some(layout),
            storage: Some(storage),
            certainty: Certainty::Certain,
            candidates: Vec::new(),
            damaged: Vec::new(),
            evidence: Vec::new(),
            interval_ms: None,
            sampled: 0,
        }
    }

    fn advice(diagnosis: &Diagnosis, backend: Backend) -> Advice {
        advise(diagnosis, backend, &"offers".into(), "id", "")
    }

    #[test]
    fn columns_in_order_need_only_a_declaration() {
        use FormatKind::{DatabaseNumber, DistributedId, PrefixComb, ShortPrefixComb, UuidV7};
        for (format, layout, backend, storage, declare) in [
            (
                UuidV7,
                Layout::Public,
                Backend::Postgres,
                Storage::Uuid,
                "#[entity_key] struct OfferId(UuidV7);",
            ),
            (
                UuidV7,
                Layout::Public,
                Backend::MySql,
                Storage::TextHex,
                "#[entity_key(storage(mysql = \"text-hex\"))] struct OfferId(UuidV7);",
            ),
            (
                PrefixComb,
                Layout::Suffix,
                Backend::MariaDb,
                Storage::NativeUuid,
                "#[entity_key(storage(mariadb = \"native-uuid\"))] struct OfferId(PrefixComb);",
            ),
            (
                ShortPrefixComb,
                Layout::Public,
                Backend::Sqlite,
                Storage::Text,
                "#[entity_key(storage(sqlite = \"text\"))] struct OfferId(ShortPrefixComb);",
            ),
            (
                DistributedId,
                Layout::Public,
                Backend::SqlServer,
                Storage::Decimal,
                "#[entity_key] struct OfferId(DistributedId);",
            ),
            (
                DatabaseNumber,
                Layout::Public,
                Backend::MySql,
                Storage::Bigint,
                "#[entity_key] struct OfferId(DatabaseNumber);",
            ),
        ] {
            let advice = advice(&diagnosis(format, layout, storage), backend);
            assert_eq!(advice.declare.as_deref(), Some(declare));
            assert_eq!(advice.next, None);
        }
    }

    #[test]
    fn columns_out_of_order_get_a_plan() {
        let suffix = diagnosis(FormatKind::ShortSuffixComb, Layout::Public, Storage::Uuid);
        let of_suffix = advice(&suffix, Backend::Postgres);
        assert_eq!(
            of_suffix.declare.as_deref(),
            Some("#[entity_key] struct OfferId(UuidV4);")
        );
        assert_eq!(
            of_suffix.next.as_deref(),
            Some("rowkey plan --table offers --column id --to uuid:prefix --output plan.toml")
        );
        assert!(of_suffix.sentences[1].contains("struct OfferId(ShortSuffixComb);"));
        let swapped = diagnosis(FormatKind::UuidV7, Layout::SqlServer, Storage::Uuid);
        assert_eq!(advice(&swapped, Backend::Postgres).declare, None);
        let unordered = advice(
            &diagnosis(FormatKind::UuidV7, Layout::Public, Storage::Uuid),
            Backend::SqlServer,
        );
        assert_eq!(
            unordered.declare.as_deref(),
            Some(
                "#[entity_key(storage(sqlserver = \"uuid:public-unordered\"))] struct \
                 OfferId(UuidV7);"
            )
        );
        assert!(unordered.next.unwrap().contains("--to uuid:sql-server"));
    }

    #[test]
    fn rows_of_zeros_or_ones_need_a_key_that_reads_them() {
        let damage = |kind| Damage {
            kind,
            count: 1,
            examples: Vec::new(),
        };
        let mut v7 = diagnosis(FormatKind::UuidV7, Layout::Public, Storage::Uuid);
        v7.damaged = vec![damage(DamageKind::Nil)];
        let told = advice(&v7, Backend::Postgres);
        let any = "#[entity_key] struct OfferId(AnyUuid);";
        assert_eq!(told.declare.as_deref(), Some(any));
        assert!(told.sentences[0].contains("then declare `#[entity_key] struct OfferId(UuidV7);`"));
        v7.damaged = vec![damage(DamageKind::Max)];
        v7.storage = Some(Storage::NativeUuid);
        let native = advice(&v7, Backend::MariaDb);
        assert_eq!(native.declare, None);
        assert!(native.sentences[0].contains("ones only"), "{native:?}");
        let mut hot = diagnosis(FormatKind::HotGuid, Layout::Public, Storage::Uuid);
        hot.damaged = vec![damage(DamageKind::Nil)];
        assert!(
            advice(&hot, Backend::Postgres)
                .declare
                .unwrap()
                .contains("HotGuid")
        );
    }

    fn damaged(kind: DamageKind) -> Vec<Damage> {
        vec![Damage {
            kind,
            count: 150,
            examples: Vec::new(),
        }]
    }

    #[test]
    fn what_is_declared_reads_rows_of_zeros_where_nothing_tells_the_format() {
        for kind in [
            DamageKind::Nil,
            DamageKind::Max,
            DamageKind::ImpossibleVersion,
        ] {
            let mut told = diagnosis(FormatKind::UuidV4, Layout::Public, Storage::Text);
            (told.format, told.layout) = (None, None);
            told.certainty = Certainty::CannotTell;
            told.candidates = vec![crate::Candidate {
                format: FormatKind::UuidV4,
                layout: None,
                share: 1.0,
            }];
            told.damaged = damaged(kind);
            let advice = advice(&told, Backend::MariaDb);
            let any = "#[entity_key(storage(mariadb = \"text\"))] struct OfferId(AnyUuid);";
            assert_eq!(advice.declare.as_deref(), Some(any), "{kind:?}");
            let reason = "UuidV4 does not read";
            assert!(advice.sentences[0].contains(reason), "{advice:?}");
        }
    }

    #[test]
    fn the_type_of_mariadb_with_rows_of_zeros_is_converted() {
        let mut v7 = diagnosis(FormatKind::UuidV7, Layout::Public, Storage::NativeUuid);
        v7.damaged = damaged(DamageKind::Nil);
        let told = advice(&v7, Backend::MariaDb);
        let next = "ALTER TABLE `offers` MODIFY `id` BINARY(16) NOT NULL";
        assert_eq!(told.next.as_deref(), Some(next));
        let said = told.sentences.join(" ");
        assert!(said.contains("zeros only. Give these rows ids"), "{said}");
    }

    #[test]
    fn nothing_is_declared_that_refuses_rows() {
        use DamageKind::{Blanks, Braces, MixedCase, WrongCase, WrongForm, WrongLength, WrongType};
        for kind in [
            Blanks,
            Braces,
            MixedCase,
            WrongCase,
            WrongForm,
            WrongLength,
            WrongType,
        ] {
            let mut told = diagnosis(FormatKind::UuidV4, Layout::Public, Storage::TextUpper);
            told.damaged = damaged(kind);
            let advice = advice(&told, Backend::Sqlite);
            assert_eq!(advice.declare, None, "{kind:?}");
            let said = advice.sentences.join(" ");
            for part in [
                format!("150 values ({})", kind.name()).as_str(),
                "then declare `#[entity_key(storage(sqlite = \"text-upper\"))] struct OfferId(UuidV4);`",
            ] {
                assert!(said.contains(part), "{kind:?}: {said}");
            }
        }
    }

    #[test]
    fn an_order_of_bytes_that_cannot_be_told_asks_for_a_witness() {
        let mut told = diagnosis(FormatKind::AnyUuid, Layout::Public, Storage::Uuid);
        (told.format, told.layout) = (None, None);
        told.certainty = Certainty::CannotTell;
        told.candidates = vec![crate::Candidate {
            format: FormatKind::AnyUuid,
            layout: None,
            share: 1.0,
        }];
        let next = advice(&told, Backend::MySql).next.unwrap();
        assert!(next.ends_with("--witness STORED=PUBLIC"), "{next}");
    }

    #[test]
    fn several_versions_in_the_type_of_mariadb_get_the_statement_that_converts() {
        let any = diagnosis(FormatKind::AnyUuid, Layout::Public, Storage::NativeUuid);
        let told = advice(&any, Backend::MariaDb);
        let next = "ALTER TABLE `offers` MODIFY `id` BINARY(16) NOT NULL";
        assert_eq!(told.next.as_deref(), Some(next));
        assert_eq!(told.declare, None);
        assert!(told.sentences[0].contains("declare `#[entity_key] struct OfferId(AnyUuid);`"));
    }

    #[test]
    fn an_interval_that_was_told_is_declared() {
        let mut short = diagnosis(FormatKind::ShortPrefixComb, Layout::Public, Storage::Uuid);
        short.interval_ms = Some(30_000);
        let declare = advice(&short, Backend::Postgres).declare.unwrap();
        assert_eq!(
            declare,
            "#[entity_key] struct OfferId(ShortPrefixComb<30000>);"
        );
    }

    #[test]
    fn names_are_identifiers_and_arguments_are_quoted() {
        for (table, column, name) in [
            ("offers", "id", "OfferId"),
            ("order_entries", "uuid", "OrderEntryId"),
            ("address", "id", "AddressId"),
            ("2024", "id", "Key2024Id"),
            ("offers", "customer_id", "CustomerId"),
            ("Straße", "id", "StraEId"),
            ("ß", "é", "Key"),
        ] {
            assert_eq!(type_name(table, column), name, "{table}.{column}");
        }
        assert_eq!(argument("a b"), "'a b'");
        assert_eq!(argument("it's"), "'it'\\''s'");
        assert_eq!(argument("sales.offer"), "sales.offer");
    }

    /// Of the integration tests, which compile them.
    const COMPILED: &str = include_str!("../../tests/it/declarations.txt");

    #[test]
    fn declarations_are_ones_that_compile() {
        use FormatKind::{
            DistributedId, PrefixComb, ShortPrefixComb, ShortSuffixComb, UuidV4, UuidV7,
        };
        let written = [
            (UuidV7, Backend::Postgres, Storage::Uuid, "offers"),
            (UuidV4, Backend::MySql, Storage::TextHex, "articles"),
            (
                ShortSuffixComb,
                Backend::MariaDb,
                Storage::NativeUuid,
                "customer",
            ),
            (UuidV7, Backend::SqlServer, Storage::Uuid, "shipments"),
            (
                PrefixComb,
                Backend::Postgres,
                Storage::Binary,
                "order_entries",
            ),
            (DistributedId, Backend::MySql, Storage::Decimal, "invoice"),
            (ShortPrefixComb, Backend::Sqlite, Storage::Uuid, "suppliers"),
            (UuidV4, Backend::Sqlite, Storage::TextUpper, "blogs"),
        ];
        let written = written.map(|(format, backend, storage, table)| {
            let mut told = diagnosis(format, Layout::Public, storage);
            told.interval_ms = Some(30_000);
            let advice = advise(&told, backend, &table.into(), "id", "");
            advice.declare.unwrap()
        });
        assert_eq!(written.join("\n") + "\n", COMPILED);
    }
}
