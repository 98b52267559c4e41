//! Walks over ranges.

use std::ops::Bound;

use kvstore_client::{Error, KeyRange, Scan, Table};

use crate::fails;
use crate::harness::{Test, key};

fn numbers(scan: Scan) -> Vec<u32> {
    let number = |bytes: &[u8]| std::str::from_utf8(bytes).unwrap().parse::<u32>().unwrap();
    let entries = scan.map(|entry| {
        let entry = entry.unwrap();
        let key = number(&entry.key);
        assert_eq!(number(&entry.value.unwrap()), key * 2);
        assert_eq!(entry.value_bytes, None);
        key
    });
    entries.collect()
}

fn down(numbers: impl DoubleEndedIterator<Item = u32>) -> Vec<u32> {
    numbers.rev().collect()
}

pub fn scans(test: &Test, engine: &str) {
    let table = test.filled("scanned", engine, 2_500);
    let all: Vec<u32> = (0..2_500).collect();
    assert_eq!(numbers(table.scan(..)), all);
    assert_eq!(numbers(table.scan(..).page_size(7)), all);
    assert_eq!(numbers(table.scan(..).page_bytes(100)), all);
    assert_eq!(numbers(table.scan(..).reversed()), down(0..2_500));
    assert_eq!(numbers(table.scan(..).reversed().page_size(7)), down(0..2_500));
    for size in [7, 1_000] {
        bounds(&table, size);
    }
    let keys: Vec<Vec<u8>> = table
        .scan(..)
        .keys_only()
        .map(|entry| {
            let entry = entry.unwrap();
            assert_eq!((entry.value, entry.value_bytes), (None, None));
            entry.key
        })
        .collect();
    assert_eq!(keys, all.iter().copied().map(key).collect::<Vec<_>>());
    let refused = [
        table.scan(..).page_size(0),
        table.scan(..).page_size(100_001),
        table.scan(..).page_bytes(0),
    ];
    for mut scan in refused {
        fails!(scan.next().unwrap(), Error::InvalidRequest(_));
        assert!(scan.next().is_none());
    }

    let mut page = table.scan(..).page_size(7);
    assert_eq!(page.by_ref().take(7).count(), 7);
    let continuation = page.continuation().unwrap().to_vec();
    assert_eq!(numbers(table.scan(..).resume(&continuation[..])), all[7..]);
    for garbage in [&b"garbage"[..], b"", &continuation[1..]] {
        fails!(table.scan(..).resume(garbage).next().unwrap(), Error::InvalidRequest(_));
    }
    fails!(
        table.scan(..).reversed().resume(continuation).next().unwrap(),
        Error::InvalidRequest(_)
    );
}

fn bounds(table: &Table, size: u32) {
    let scan = |range: KeyRange| table.scan(range).page_size(size);
    let between = |start, stop| KeyRange::between(start, stop);
    let (from, to) = (key(100), key(140));
    let cases = [
        ((&from..&to).into(), 100..140),
        ((&from..=&to).into(), 100..141),
        (between(Bound::Excluded(&from), Bound::Excluded(&to)), 101..140),
        (between(Bound::Excluded(&from), Bound::Included(&to)), 101..141),
        ((key(2_480)..).into(), 2_480..2_500),
        ((..key(20)).into(), 0..20),
        (KeyRange::prefix("0001"), 100..200),
        (KeyRange::prefix("1"), 0..0),
        ((&to..&from).into(), 0..0),
    ];
    for (range, expected) in cases {
        assert_eq!(
            numbers(scan(range.clone())),
            expected.clone().collect::<Vec<_>>(),
            "{range:?}"
        );
        assert_eq!(
            numbers(scan(range.clone()).reversed()),
            down(expected.clone()),
            "{range:?}"
        );
        assert_eq!(
            numbers(scan(range.clone()).limit(9)),
            expected.clone().take(9).collect::<Vec<_>>()
        );
        assert_eq!(numbers(scan(range).limit(0)), []);
    }
    assert_eq!(
        numbers(table.scan(..).reversed().page_size(size).limit(15)),
        down(2_485..2_500)
    );
}

pub fn large_entries(test: &Test, engine: &str) {
    let table = test.table("sizes", engine);
    let sizes = [10, 500, 501, 2 << 20, 3];
    for (number, size) in (0..).zip(sizes) {
        table.put(key(number), vec![number as u8; size]).unwrap();
    }
    for (limit, told) in [(500, 2), (1 << 20, 1), (4 << 20, 0)] {
        let entries: Vec<_> = table.scan(..).max_value_bytes(limit).map(Result::unwrap).collect();
        assert_eq!(entries.len(), sizes.len());
        for (entry, size) in entries.iter().zip(sizes) {
            match &entry.value {
                Some(value) => assert!(value.len() == size && entry.value_bytes.is_none()),
                None => assert_eq!(entry.value_bytes, Some(size as u64)),
            }
        }
        assert_eq!(
            entries.iter().filter(|entry| entry.value.is_none()).count(),
            told,
            "limit {limit}"
        );
    }
    let left_out = table
        .scan(..)
        .max_value_bytes(1 << 20)
        .map(Result::unwrap)
        .find(|entry| entry.value.is_none());
    assert_eq!(table.get(left_out.unwrap().key).unwrap().unwrap().len(), 2 << 20);
}

pub fn dropped(test: &Test) {
    let begun = |table: &Table| {
        let mut scan = table.scan(..).page_size(7);
        assert_eq!(scan.by_ref().take(7).filter(|entry| entry.is_ok()).count(), 7);
        scan
    };
    for engine in ["bplus", "lsm"] {
        let table = test.filled("dropped", engine, 100);
        let (mut first, mut second) = (begun(&table), begun(&table));
        table.drop_table().unwrap();
        fails!(first.next().unwrap(), Error::TableDropped(_));
        assert!(first.next().is_none());
        let table = test.filled("dropped", engine, 100);
        fails!(second.next().unwrap(), Error::TableDropped(_));
        let mut third = begun(&table);
        table.truncate().unwrap();
        fails!(third.next().unwrap(), Error::TableDropped(_));
    }
}

/// A table without an order of keys has each key once, and no ranges.
pub fn own_order(test: &Test) {
    let table = test.filled("own", "hash", 500);
    assert!(!table.describe().unwrap().ordered);
    let found = numbers(table.scan(..).page_size(7));
    assert_eq!(numbers(table.scan(..)), found);
    let mut sorted = found;
    sorted.sort_unstable();
    assert_eq!(sorted, (0..500).collect::<Vec<_>>());
    assert_eq!(table.count(..).unwrap(), 500);
    let refused = [
        table.scan(KeyRange::prefix("0")),
        table.scan(key(1)..key(2)),
        table.scan(..).reversed(),
    ];
    for mut scan in refused {
        fails!(scan.next().unwrap(), Error::InvalidRequest(_));
    }
    fails!(table.count(KeyRange::prefix("0")), Error::InvalidRequest(_));
}
