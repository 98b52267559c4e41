//! Tables that get other names and options, and backups.

use kvstore_client::{Error, ErrorCode, OperationKind, OperationState};

use crate::fails;
use crate::harness::{Test, key};

pub fn rename(test: &Test, engine: &str) {
    let (client, database) = (&test.client, test.database.as_str());
    let (table, other) = (test.table("named", engine), test.table("other", engine));
    let before = table.describe().unwrap();
    table.put("k", "v").unwrap();
    let snapshot = client.snapshot().unwrap();
    table.put("k", "w").unwrap();
    let failed = table.rename(other.name()).unwrap_err();
    assert_eq!(failed.failure().code, Some(ErrorCode::ALREADY_EXISTS));
    fails!(table.rename("no/name"), Error::InvalidRequest(_));

    let renamed = table.rename(&format!("renamed-{engine}")).unwrap();
    assert_eq!(renamed.name(), format!("renamed-{engine}"));
    assert_eq!(renamed.get("k").unwrap().unwrap(), b"w");
    let view = snapshot.table(database, renamed.name());
    assert_eq!(view.get("k").unwrap().unwrap(), b"v");
    let mut expected = before;
    expected.table = renamed.name().to_string();
    assert_eq!(renamed.describe().unwrap(), expected);
    let names = client.tables(database).unwrap();
    assert!(names.contains(&expected.table) && !names.contains(&table.name().to_string()));
    assert_eq!(
        table.get("k").unwrap_err().failure().code,
        Some(ErrorCode::TABLE_NOT_FOUND)
    );
    fails!(table.rename("again"), Error::NotFound(_));

    let first = test.table("named", engine);
    assert_eq!(first.get("k").unwrap(), None);
    assert_eq!(renamed.get("k").unwrap().unwrap(), b"w");
}

pub fn alter(test: &Test, engine: &str) {
    let table = test.table("altered", engine);
    let mut expected = table.describe().unwrap();
    for (durability, limit) in [("SYNC", 10), ("BUFFERED", 11)] {
        let options = [
            ("DURABILITY", durability.to_string()),
            ("MAX_VALUE_BYTES", limit.to_string()),
        ];
        let given = options.each_ref().map(|(name, value)| (*name, value.as_str()));
        let altered = table.alter(&given).unwrap();
        expected
            .options
            .extend(options.map(|(name, value)| (name.to_string(), value)));
        assert_eq!(altered, expected);
        assert_eq!(table.describe().unwrap(), expected);
        table.put("k", vec![0; limit]).unwrap();
        fails!(table.put("k", vec![0; limit + 1]), Error::TooLarge(_));
    }
    let for_life = match engine {
        "bplus" => "BTREE_ORDER",
        _ => "SPARSE_INDEX_SIZE",
    };
    fails!(table.alter(&[(for_life, "77")]), Error::InvalidRequest(_));
    fails!(
        table.alter(&[("DURABILITY", "SYNC"), ("NONE", "1")]),
        Error::InvalidRequest(_)
    );
    fails!(table.alter(&[("DURABILITY", "NEVER")]), Error::InvalidRequest(_));
    assert_eq!(table.describe().unwrap(), expected);
    let none = test.client.table(&test.database, "none");
    fails!(none.alter(&[("DURABILITY", "SYNC")]), Error::NotFound(_));
}

/// Whether the server was started with a directory for backups.
pub fn backs_up(test: &Test) -> bool {
    !matches!(test.client.backups(), Err(Error::InvalidRequest(_)))
}

pub fn backups(test: &Test) {
    let (client, database) = (&test.client, test.database.as_str());
    let table = test.filled("saved", "lsm", 1_000);
    let made = client.backup().unwrap();
    assert_eq!((made.kind, made.state), (OperationKind::BACKUP, OperationState::DONE));
    assert_eq!(made.table, None);
    let backup = made.backup.unwrap();
    assert!(backup.store_bytes > 0 && client.backups().unwrap().contains(&backup));
    let verified = client.verify_backups().unwrap();
    assert_eq!(
        (verified.state, verified.findings_total),
        (OperationState::DONE, Some(0))
    );

    table.remove(key(0)).unwrap();
    let (id, restored) = (backup.backup_id, test.restored());
    let done = client.restore(id, database, &restored).unwrap();
    assert_eq!((done.kind, done.state), (OperationKind::RESTORE, OperationState::DONE));
    let asked = done.restore.unwrap();
    assert_eq!(
        (asked.backup_id, asked.database.as_str(), &asked.restored_as),
        (id, database, &restored)
    );
    let copy = client.table(&restored, table.name());
    let mut entries = 0;
    for (number, entry) in (0..).zip(copy.scan(..)) {
        let entry = entry.unwrap();
        assert_eq!(entry.key, key(number));
        assert_eq!(entry.value.unwrap(), (number * 2).to_string().into_bytes());
        entries += 1;
    }
    assert_eq!(entries, 1_000);
    copy.put(key(0), "another").unwrap();
    assert_eq!(table.get(key(0)).unwrap(), None);
    let failed = client.restore(id, database, &restored).unwrap_err();
    assert_eq!(failed.failure().code, Some(ErrorCode::ALREADY_EXISTS));
    test.drop(&restored);

    fails!(client.restore(id, database, "no/name"), Error::InvalidRequest(_));
    fails!(
        client.restore(id, "e2e_rust_none", "e2e_rust_never"),
        Error::NotFound(_)
    );
    client.delete_backup(id).unwrap();
    assert!(!client.backups().unwrap().contains(&backup));
    fails!(client.delete_backup(id), Error::NotFound(_));
    fails!(client.restore(id, database, "e2e_rust_never"), Error::NotFound(_));
}
