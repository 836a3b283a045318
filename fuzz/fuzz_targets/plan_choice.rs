//! Storage choices as they are declared: read or refused, and refused before they can do harm.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use rowkey_core::Backend;
use rowkey_core::format::{FieldKind, FormatKind};
use rowkey_core::storage::{Layout, Nullability, OrderPromise, Storage, StoragePlan};
use rowkey_fuzz::{AnyBackend, AnyFormat, AnyLayout, AnyStorage, Damage};

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    format: AnyFormat,
    backend: AnyBackend,
    storage: AnyStorage,
    layout: Option<AnyLayout>,
    damage: Damage<'a>,
    text: &'a str,
}

fuzz_target!(|input: Input<'_>| {
    let choice = match input.layout {
        Some(layout) => format!("{}:{}", input.storage.0, layout.0),
        None => input.storage.0.to_string(),
    };
    let (format, backend) = (input.format.0, input.backend.0);
    is_read_or_refused(format, backend, &choice);
    is_read_or_refused(format, backend, &input.damage.apply(&choice));
    is_read_or_refused(format, backend, input.text);
});

fn is_read_or_refused(format: FormatKind, backend: Backend, choice: &str) {
    let default = StoragePlan::default_for(format);
    let plan = match default.try_with(backend, choice) {
        Ok(plan) => plan,
        Err(refusal) => return assert!(!refusal.is_empty()),
    };
    let column = plan.column(backend);
    let written = format!("{}:{}", column.storage(), column.layout());
    assert_eq!(default.try_with(backend, &written), Ok(plan));
    assert!(choice == written || choice == column.storage().name());

    let leads = |kind| {
        matches!(
            kind,
            FieldKind::Time { .. } | FieldKind::Interval | FieldKind::Context
        )
    };
    let has_order = format.fields().iter().any(|field| leads(field.kind));
    let is_unordered = !has_order || column.layout() == Layout::PublicUnordered;
    assert!(is_unordered || column.order_promise() >= OrderPromise::Time);
    assert!(plan.max_value() <= column.max_value());

    for backend in Backend::ALL {
        let definition = plan.column_definition(backend, "id", Nullability::NotNull);
        let is_foreign_type =
            plan.column(backend).storage() == Storage::NativeUuid && backend == Backend::MySql;
        assert_eq!(definition.is_err(), is_foreign_type);
    }
}
