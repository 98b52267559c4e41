//! Reads of several keys, counts and snapshots.

use std::ops::Bound;
use std::time::Duration;

use kvstore_client::{Error, KeyRange};

use crate::fails;
use crate::harness::{Test, key};

pub fn get_all(test: &Test, engine: &str) {
    let table = test.table("several", engine);
    for key in ["a", "b", ""] {
        table.put(key, format!("of {key}")).unwrap();
    }
    let values = table.get_all(["b", "none", "a", "b", ""]).unwrap();
    let value = |text: &str| Some(text.as_bytes().to_vec());
    assert_eq!(
        values,
        [value("of b"), None, value("of a"), value("of b"), value("of ")]
    );
    assert_eq!(table.get_all::<&str>([]).unwrap(), []);
    let items = test.client.server_info().unwrap().max_items;
    fails!(table.get_all(vec!["a"; items + 1]), Error::TooLarge(_));
    assert_eq!(table.get_all(vec!["a"; 1_000]).unwrap(), vec![value("of a"); 1_000]);
}

pub fn count(test: &Test, engine: &str) {
    let table = test.filled("counted", engine, 1_200);
    assert_eq!(table.count(..).unwrap(), 1_200);
    assert_eq!(table.count(key(100)..key(200)).unwrap(), 100);
    assert_eq!(table.count(key(100)..=key(200)).unwrap(), 101);
    assert_eq!(
        table.count((Bound::Excluded(key(100)), Bound::Unbounded)).unwrap(),
        1_099
    );
    assert_eq!(table.count(KeyRange::prefix("0000")).unwrap(), 100);
    assert_eq!(table.count(KeyRange::prefix("none")).unwrap(), 0);
}

pub fn snapshot(test: &Test, engine: &str) {
    let table = test.filled("moment", engine, 30);
    let snapshot = test.client.snapshot_with_lease(Duration::from_secs(20)).unwrap();
    table.put(key(0), "new").unwrap();
    table.remove(key(1)).unwrap();
    table.put(key(30), "new").unwrap();
    let view = snapshot.table(&test.database, table.name());
    assert_eq!(view.get(key(0)).unwrap().unwrap(), b"0");
    assert_eq!(view.get_all([key(1), key(30)]).unwrap(), [Some(b"2".to_vec()), None]);
    assert!(view.contains(key(1)).unwrap() && !view.contains(key(30)).unwrap());
    assert_eq!((view.count(..).unwrap(), table.count(..).unwrap()), (30, 30));
    let keys: Vec<Vec<u8>> = view.scan(..).page_size(7).map(|entry| entry.unwrap().key).collect();
    assert_eq!(keys, (0..30).map(key).collect::<Vec<_>>());
    assert_eq!(table.get(key(0)).unwrap().unwrap(), b"new");

    let mut rest = view.scan(..).page_size(7);
    assert!(rest.next().unwrap().is_ok());
    snapshot.close();
    snapshot.close();
    fails!(view.get(key(0)), Error::SnapshotExpired(_));
    fails!(view.count(..), Error::SnapshotExpired(_));
    let failed = rest.find_map(|entry| entry.err());
    assert!(matches!(failed, Some(Error::SnapshotExpired(_))), "{failed:?}");
    for millis in [1, 999, 3_600_001] {
        let opened = test.client.snapshot_with_lease(Duration::from_millis(millis));
        fails!(opened, Error::InvalidRequest(_));
    }

    let view = test.client.snapshot().unwrap().table(&test.database, table.name());
    fails!(view.get(key(0)), Error::SnapshotExpired(_));
}

pub fn lease(test: &Test) {
    let table = test.filled("lease", "lsm", 10);
    let snapshot = test.client.snapshot_with_lease(Duration::from_secs(1)).unwrap();
    let view = snapshot.table(&test.database, table.name());
    for _ in 0..4 {
        std::thread::sleep(Duration::from_millis(400));
        assert_eq!(view.count(..).unwrap(), 10);
    }
    std::thread::sleep(Duration::from_millis(1_500));
    fails!(view.count(..), Error::SnapshotExpired(_));
}
