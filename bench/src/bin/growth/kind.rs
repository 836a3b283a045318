//! The ids whose index is measured.

use std::cell::Cell;

use anyhow::Result;
use rowkey_core::format::LuuidGroup;
use rowkey_core::generate::{Clock, Generate, HotGuidGenerator, SystemEntropy};
use rowkey_core::luuid::LuuidContext;
use rowkey_core::routing::IuidContext;
use rowkey_core::{
    DistributedId, DistributedId128, Iuid, Luuid, ShortPrefixComb, UnixMillis, UuidV4, UuidV7,
};

/// Makes the id of a row, as text that the column's type reads.
type Maker = Box<dyn FnMut(u64, UnixMillis) -> Result<String>>;

/// One kind of ids.
#[derive(Debug)]
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) column: &'static str,
    /// Whether the rows of a statement are sorted by their ids.
    pub(crate) sorted: bool,
    pub(crate) maker: fn() -> Maker,
}

const fn kind(name: &'static str, column: &'static str, maker: fn() -> Maker) -> Kind {
    Kind {
        name,
        column,
        sorted: false,
        maker,
    }
}

/// All of them; those of [`WRAPPED`] are also measured over turns of the ring.
pub(crate) const KINDS: &[Kind] = &[
    kind("bigint, counted up", "bigint", || {
        Box::new(|row, _| Ok(row.to_string()))
    }),
    kind("UUIDv7", "uuid", || by_time::<UuidV7>(())),
    kind("UUIDv4", "uuid", || by_time::<UuidV4>(())),
    kind("DistributedId", "numeric(28)", || {
        by_time::<DistributedId>(())
    }),
    kind("DistributedId128", "uuid", || {
        by_time::<DistributedId128>(())
    }),
    kind("HotGuid", "uuid", hot_guids),
    kind("iUID", "uuid", || {
        by_time::<Iuid>(IuidContext {
            country: 49,
            service_entity: 3,
        })
    }),
    kind("LUUID, counted up", "uuid", luuids),
    kind("short COMB of 15 s", "uuid", || {
        by_time::<ShortPrefixComb<15_000>>(())
    }),
    kind("short COMB of 1 min", "uuid", minutes),
    Kind {
        sorted: true,
        ..kind("short COMB of 1 min, sorted", "uuid", minutes)
    },
    kind("short COMB of 1 h", "uuid", || {
        by_time::<ShortPrefixComb<3_600_000>>(())
    }),
];

/// The kinds that are measured over turns of the ring.
pub(crate) const WRAPPED: [&str; 5] = [
    "bigint, counted up",
    "UUIDv7",
    "UUIDv4",
    "short COMB of 1 min",
    "short COMB of 1 min, sorted",
];

fn minutes() -> Maker {
    by_time::<ShortPrefixComb>(())
}

fn by_time<F>(context: F::Context) -> Maker
where
    F: Generate<Context: 'static> + ToString,
{
    let mut entropy = SystemEntropy::new();
    Box::new(move |_, now| Ok(F::generate_with(&context, &now, &mut entropy)?.to_string()))
}

/// Of one machine, whose counter goes on from id to id; each row is in a shard of its own.
fn hot_guids() -> Maker {
    thread_local! {
        static NOW: Cell<i64> = const { Cell::new(0) };
    }
    struct Told;
    impl Clock for Told {
        fn now(&self) -> UnixMillis {
            UnixMillis::new(NOW.get())
        }
    }
    let generator = HotGuidGenerator::new().with_clock(Told);
    Box::new(move |row, now| {
        NOW.set(now.get());
        Ok(generator.try_generate(row as u32)?.to_string())
    })
}

fn luuids() -> Maker {
    let mut entropy = SystemEntropy::new();
    Box::new(move |number, now| {
        let group = LuuidGroup::new(1)?;
        let context = LuuidContext { group, number };
        Ok(Luuid::generate_with(&context, &now, &mut entropy)?.to_string())
    })
}
