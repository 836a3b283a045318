//! What only SQL Server and tiberius have: the text of a guid, bulk inserts, parameters without a
//! type, table-valued parameters and the numbers of errors.

mod bulk;
mod errors;
mod names;
mod numbers;
mod parameters;
mod partitions;
mod pool;
mod stored;

use rowkey::storage::Storage;

use crate::driver::Assumption;
use crate::drivers::tiberius::Tiberius;
use crate::scenario::Scenario;

macro_rules! scenarios {
    ($($module:ident::$function:ident),* $(,)?) => {
        vec![$(Scenario::new(stringify!($function), |session| {
            Box::pin($module::$function(session))
        })),*]
    };
}

pub(crate) fn scenarios() -> Vec<Scenario<Tiberius>> {
    let mut scenarios = scenarios![
        stored::stored_guids_have_the_layout_of_the_plan,
        stored::guids_as_bytes_are_refused,
        bulk::bulk_rows_go_into_temporary_tables,
        numbers::short_numbers_are_parameters,
        parameters::text_is_found_with_and_without_a_cast,
        parameters::bytes_are_found_with_and_without_a_cast,
        parameters::typed_nulls_are_parameters,
        names::long_and_strange_names_are_quoted,
        parameters::a_query_takes_as_many_parameters_as_we_allow,
        parameters::tables_of_guids_are_parameters,
        errors::errors_of_constraints_have_their_numbers,
        errors::errors_of_rows_name_the_column,
        pool::a_recycled_connection_has_no_transaction,
    ];
    for (assumption, assuming) in [
        (
            Assumption::UntypedNull,
            scenarios![parameters::untyped_nulls_are_parameters],
        ),
        (
            Assumption::Partitions,
            scenarios![
                partitions::times_have_their_partitions,
                partitions::numbers_have_their_partitions
            ],
        ),
        (
            Assumption::BracketsInNames,
            scenarios![names::brackets_in_names_are_quoted],
        ),
        (
            Assumption::LongNumbers,
            scenarios![numbers::long_numbers_are_parameters],
        ),
        (
            Assumption::NumbersInRows,
            scenarios![
                numbers::numbers_are_in_bulk_rows,
                parameters::tables_of_numbers_are_parameters
            ],
        ),
    ] {
        scenarios.extend(assuming.into_iter().map(|own| own.assuming(assumption)));
    }
    for storage in Storage::ALL {
        if storage == Storage::NativeUuid {
            continue;
        }
        let named = |scenario| format!("{scenario}_{}", storage.name().replace('-', "_"));
        let bulk = Scenario::new(named("bulk_rows_of"), move |session| {
            Box::pin(bulk::bulk_rows_of(session, storage))
        });
        scenarios.push(match storage {
            Storage::Decimal => bulk.assuming(Assumption::NumbersInRows),
            _ => bulk,
        });
        // Of bytes and text, `max` is of another type in some servers than the column.
        if matches!(storage, Storage::Uuid | Storage::Decimal) {
            let greatest = Scenario::new(named("greatest_of"), move |session| {
                Box::pin(stored::greatest_of(session, storage))
            });
            scenarios.push(greatest.assuming(Assumption::OrderOf(storage)));
        }
    }
    scenarios
}
