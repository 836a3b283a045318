//! The replacement of routing tables at run time.

use std::collections::BTreeSet;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rowkey::routing::{IuidTable, Router, RoutesError, ShardLayout, ShardTable};

/// Small enough to look up every shard key.
const SMALL: ShardLayout = ShardLayout::new(3, 4);

/// A table whose nodes all have its number.
fn numbered(number: u64) -> ShardTable<u64> {
    let routes = toml::from_str(
        "default = \"a\"\n[[routes]]\nregion = 1\nnode = \"b\"\n[[routes]]\nregion = 5\nnode = \"c\"",
    );
    ShardTable::new(
        SMALL,
        &routes.unwrap(),
        [("a", number), ("b", number), ("c", number)],
    )
    .unwrap()
}

#[test]
fn lookups_see_one_table_while_it_is_replaced() {
    const READERS: usize = 4;
    let router = Router::new(numbered(0));
    let is_over = AtomicBool::new(false);
    let all_read = Barrier::new(READERS + 1);
    thread::scope(|scope| {
        let readers: Vec<_> = (0..READERS)
            .map(|_| {
                scope.spawn(|| {
                    all_read.wait();
                    let mut newest = 0;
                    loop {
                        // Read before the table: the last round sees the last one.
                        let is_last = is_over.load(Ordering::SeqCst);
                        let table = router.load();
                        let node = |key| *table.node_of_shard_key(key).unwrap();
                        let nodes: BTreeSet<u64> = (0..128).map(node).collect();
                        assert_eq!(nodes.len(), 1, "a mixture of tables: {nodes:?}");
                        let number = node(0);
                        assert!(number >= newest, "{number} after {newest}");
                        newest = number;
                        if is_last {
                            return newest;
                        }
                    }
                })
            })
            .collect();
        all_read.wait();
        let mut number = 0;
        for _ in 0..5_000 {
            let previous = router.replace(numbered(number + 1));
            assert_eq!(previous.node_of_shard_key(0), Ok(&number));
            number += 1;
        }
        is_over.store(true, Ordering::SeqCst);
        for reader in readers {
            assert_eq!(reader.join().unwrap(), number);
        }
    });
}

#[test]
fn a_table_lives_as_long_as_a_request_uses_it() {
    let router = Router::new(numbered(1));
    let loaded = router.load();
    let kept = router.load_full();
    let previous = router.replace(numbered(2));
    assert_eq!(loaded.node_of_shard_key(0), Ok(&1));
    assert_eq!(kept.node_of_shard_key(0), Ok(&1));
    assert_eq!(router.load().node_of_shard_key(0), Ok(&2));
    drop((loaded, kept));
    assert_eq!(std::sync::Arc::strong_count(&previous), 1);
}

const fn is_shared<T: Send + Sync>() {}

const _: () = {
    is_shared::<Router<ShardTable<String>>>();
    is_shared::<Router<IuidTable<String>>>();
    is_shared::<RoutesError>();
};
