//! Several threads, and a restart of the server.

use std::process::Command;
use std::thread;
use std::time::Duration;

use kvstore_client::{Client, Error};

use crate::fails;
use crate::harness::{Test, key};

pub fn threads(test: &Test) {
    for engine in ["bplus", "lsm"] {
        let table = test.table("threads", engine);
        thread::scope(|scope| {
            for thread in 0..8 {
                let table = &table;
                scope.spawn(move || {
                    for number in 0..200 {
                        let key = key(thread * 1_000 + number);
                        let value = format!("{thread} {number}");
                        table.put(&key, &value).unwrap();
                        assert_eq!(table.get(&key).unwrap().unwrap(), value.as_bytes());
                    }
                });
            }
        });
        assert_eq!(table.count(..).unwrap(), 1_600);
        for entry in table.scan(..) {
            let entry = entry.unwrap();
            let number: u32 = String::from_utf8(entry.key).unwrap().parse().unwrap();
            assert_eq!(
                entry.value.unwrap(),
                format!("{} {}", number / 1_000, number % 1_000).as_bytes()
            );
        }
    }
}

pub fn restart(test: &Test, command: &str) {
    let tables = ["bplus", "lsm"].map(|engine| test.filled("restart", engine, 2_500));
    let mut scans = tables.clone().map(|table| table.scan(..).page_size(100));
    let mut keys = [Vec::new(), Vec::new()];
    for (scan, keys) in scans.iter_mut().zip(&mut keys) {
        keys.extend(scan.take(250).map(|entry| entry.unwrap().key));
    }
    let snapshot = test.client.snapshot().unwrap();
    let view = snapshot.table(&test.database, tables[0].name());
    let writer = Client::with_options(test.options.clone()).unwrap();

    let restarted = Command::new("sh").args(["-c", command]).status().unwrap();
    assert!(restarted.success(), "the restart failed");
    thread::sleep(Duration::from_millis(1_100));
    for (scan, keys) in scans.into_iter().zip(&mut keys) {
        keys.extend(scan.map(|entry| entry.unwrap().key));
        assert!(*keys == (0..2_500).map(key).collect::<Vec<_>>(), "{} keys", keys.len());
    }
    for client in [&test.client, &writer] {
        let table = client.table(&test.database, tables[0].name());
        table.put("after", "restart").unwrap();
        assert_eq!(table.get("after").unwrap().unwrap(), b"restart");
    }
    fails!(view.get("after"), Error::ConnectionFailed(_));
    fails!(view.get("after"), Error::SnapshotExpired(_));
}
