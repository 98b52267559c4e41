//! Writes of one key and of several.

use kvstore_client::{Condition, Durability, Error};

use crate::fails;
use crate::harness::Test;

pub fn values(test: &Test, engine: &str) {
    let table = test.table("values", engine);
    let all: Vec<u8> = (0..=255).collect();
    let longest = vec![b'x'; 65_535];
    let keys: [&[u8]; 5] = [&all, b"", &longest, b"\0", "gr\u{fc}n".as_bytes()];
    for key in keys {
        assert_eq!(table.get(key).unwrap(), None);
        assert!(!table.contains(key).unwrap());
        table.put(key, &all).unwrap();
        assert_eq!(table.get(key).unwrap().as_ref(), Some(&all));
        table.put(key, "").unwrap();
        assert_eq!(table.get(key).unwrap(), Some(Vec::new()));
        assert!(table.contains(key).unwrap());
    }
    assert_eq!(table.count(..).unwrap(), 5);
    assert_eq!(table.get("gr\u{fc}n").unwrap(), Some(Vec::new()));
    for key in keys {
        table.remove(key).unwrap();
        table.remove(key).unwrap();
        assert_eq!(table.get(key).unwrap(), None);
        assert!(!table.contains(key).unwrap());
    }
    let long = vec![b'x'; 65_536];
    fails!(table.put(&long, "v"), Error::TooLarge(_));
    fails!(table.get(&long), Error::TooLarge(_));
    fails!(table.remove(&long), Error::TooLarge(_));
    for durability in [Durability::SYNC, Durability::BUFFERED] {
        let table = table.clone().with_durability(durability);
        table.put("durable", durability.0.to_string()).unwrap();
        assert_eq!(
            table.get("durable").unwrap(),
            Some(durability.0.to_string().into_bytes())
        );
    }
}

pub fn large_values(test: &Test, engine: &str) {
    let table = test.table("large", engine);
    let limit = test.client.server_info().unwrap().max_value_bytes;
    let value: Vec<u8> = (0..limit + 1).map(|place| (place * 31 / 7) as u8).collect();
    for size in [8 << 20, limit] {
        table.put("k", &value[..size]).unwrap();
        assert!(
            table.get("k").unwrap().unwrap() == value[..size],
            "a value of {size} bytes came back otherwise"
        );
    }
    fails!(table.put("k", &value), Error::TooLarge(_));
    fails!(table.put("k", vec![0; 20 << 20]), Error::TooLarge(_));
    assert_eq!(table.get("k").unwrap().unwrap().len(), limit);
    table.put("k", "small").unwrap();
    assert_eq!(table.get("k").unwrap().unwrap(), b"small");
}

pub fn conditions(test: &Test, engine: &str) {
    let table = test.table("conditions", engine);
    assert!(table.put_if_absent("k", "1").unwrap());
    assert!(!table.put_if_absent("k", "2").unwrap());
    assert!(!table.replace("k", "2", "3").unwrap());
    assert!(table.replace("k", "1", "3").unwrap());
    assert_eq!(table.get("k").unwrap().unwrap(), b"3");
    assert!(!table.remove_value("k", "1").unwrap());
    assert!(table.remove_value("k", "3").unwrap());
    assert!(!table.replace("k", "3", "4").unwrap());
    assert!(!table.put_if("k", "4", &Condition::Exists).unwrap());
    assert_eq!(table.get_tagged("k").unwrap(), None);

    table.put("k", "4").unwrap();
    assert!(table.put_if("k", "5", &Condition::Exists).unwrap());
    let tagged = table.get_tagged("k").unwrap().unwrap();
    assert_eq!(tagged.value, b"5");
    assert!(!table.put_if("k", "6", &Condition::TagIs(tagged.tag ^ 1)).unwrap());
    assert!(table.put_if("k", "6", &Condition::TagIs(tagged.tag)).unwrap());
    assert!(!table.remove_if("k", &Condition::TagIs(tagged.tag)).unwrap());
    let tagged = table.get_tagged("k").unwrap().unwrap();
    assert!(table.remove_if("k", &Condition::TagIs(tagged.tag)).unwrap());
    assert!(table.remove_if("k", &Condition::Absent).unwrap());
    assert!(!table.contains("k").unwrap());
    assert!(table.put_if("k", "", &Condition::Absent).unwrap());
    assert!(table.remove_value("k", "").unwrap());
}

pub fn merges(test: &Test, engine: &str) {
    let table = test.table("merges", engine);
    assert_eq!(table.add("n", 5).unwrap(), 5);
    assert_eq!(table.add("n", -7).unwrap(), -2);
    assert_eq!(table.get("n").unwrap().unwrap(), b"-2");
    table.put("n", i64::MAX.to_string()).unwrap();
    fails!(table.add("n", 1), Error::InvalidRequest(_));
    assert_eq!(table.add("n", i64::MIN).unwrap(), -1);
    table.put("n", "seven").unwrap();
    fails!(table.add("n", 1), Error::InvalidRequest(_));
    assert_eq!(table.get("n").unwrap().unwrap(), b"seven");

    assert_eq!(table.append("text", "abc").unwrap(), 3);
    assert_eq!(table.append("text", "de").unwrap(), 5);
    assert_eq!(table.patch("text", 1, "BC").unwrap(), 5);
    assert_eq!(table.patch("text", 5, "FG").unwrap(), 7);
    for offset in [-1, 8] {
        fails!(table.patch("text", offset, "x"), Error::InvalidRequest(_));
    }
    fails!(table.append("text", vec![0; 1 << 20]), Error::InvalidRequest(_));
    assert_eq!(table.get_and_put("text", "").unwrap().unwrap(), b"aBCdeFG");
    assert_eq!(table.get_and_remove("text").unwrap(), Some(Vec::new()));
    assert_eq!(table.get_and_remove("text").unwrap(), None);
    assert_eq!(table.get_and_put("text", "1").unwrap(), None);

    let batch = || test.client.batch(&test.database);
    batch()
        .put(table.name(), "n", "1")
        .add(table.name(), "n", 41)
        .append(table.name(), "list", "abc")
        .patch(table.name(), "list", 1, "B")
        .remove(table.name(), "text")
        .write()
        .unwrap();
    let expected = [Some(b"42".to_vec()), Some(b"aBc".to_vec()), None];
    assert_eq!(table.get_all(["n", "list", "text"]).unwrap(), expected);
    fails!(
        batch().add(table.name(), "n", 1).add(table.name(), "list", 1).write(),
        Error::InvalidRequest(_)
    );
    assert_eq!(table.get("n").unwrap().unwrap(), b"42");
}

pub fn batch(test: &Test, engine: &str) {
    let (one, two) = (test.table("one", engine), test.table("two", engine));
    let batch = || test.client.batch(&test.database);
    one.put("gone", "v").unwrap();
    let first = batch()
        .check(one.name(), "gone", &Condition::value_is("v"))
        .check(two.name(), "a", &Condition::Absent)
        .remove(one.name(), "gone")
        .put(one.name(), "a", "1")
        .put(two.name(), "a", "2")
        .put(two.name(), "a", "3")
        .durability(Durability::SYNC)
        .write()
        .unwrap();
    assert_eq!(one.get_all(["gone", "a"]).unwrap(), [None, Some(b"1".to_vec())]);
    assert_eq!(two.get("a").unwrap().unwrap(), b"3");

    let failed = batch()
        .put(one.name(), "a", "other")
        .remove(two.name(), "a")
        .check(one.name(), "a", &Condition::Exists)
        .check(two.name(), "a", &Condition::Absent)
        .check(two.name(), "b", &Condition::Exists)
        .write();
    fails!(failed, Error::ConditionFailed { failed_check: 1, .. });
    assert_eq!(one.get("a").unwrap().unwrap(), b"1");
    assert_eq!(two.get("a").unwrap().unwrap(), b"3");
    fails!(
        batch().put(one.name(), "b", "1").put("none", "b", "1").write(),
        Error::NotFound(_)
    );
    assert!(!one.contains("b").unwrap());
    fails!(batch().write(), Error::InvalidRequest(_));

    let second = batch().put(two.name(), "b", "1").write().unwrap();
    assert!(second > first, "{second} is not over {first}");
}
