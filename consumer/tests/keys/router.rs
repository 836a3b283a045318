use rowkey::HotGuid;
use rowkey::routing::{NoNode, Router, ShardLayout, ShardRoutes, ShardTable};

const SHARDS: ShardLayout = ShardLayout::new(10, 20);

#[test]
fn a_shard_has_a_node() {
    let config = ShardRoutes {
        default: Some("home".into()),
        ..ShardRoutes::default()
    };
    let router = Router::new(ShardTable::new(SHARDS, &config, [("home", 1)]).unwrap());
    let id = HotGuid::from_parts(0, [0; 5], 0, 1 << 29).unwrap();
    assert_eq!(router.load().node_of(id), Ok(&1));
    let id = HotGuid::from_parts(0, [0; 5], 0, 1 << 30).unwrap();
    let error = router.load().node_of(id).unwrap_err();
    assert!(matches!(error, NoNode::ShardKey { .. }));
}
