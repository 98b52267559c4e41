//! Databases, tables, operations and addresses.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use kvstore_client::{Client, Error, ErrorCode, OperationKind, OperationState, Options};

use crate::fails;
use crate::harness::Test;

pub fn server_and_names(test: &Test) {
    let (client, database) = (&test.client, test.database.as_str());
    client.ping().unwrap();
    let info = client.server_info().unwrap();
    assert!(!info.version.is_empty());
    for engine in ["bplus", "hash", "lsm"] {
        assert!(info.engines.iter().any(|name| name == engine), "{:?}", info.engines);
    }
    assert_eq!(info.max_key_bytes, 65_535);
    assert!(info.max_frame_bytes > info.max_value_bytes && info.max_items > 0);

    assert!(client.create_database(database).unwrap());
    assert!(!client.create_database(database).unwrap());
    assert!(client.databases().unwrap().contains(&database.to_string()));
    for (name, engine, other) in [("b", "bplus", "lsm"), ("a", "lsm", "bplus")] {
        let made = client.create_table(database, name, engine, &[]).unwrap();
        assert_eq!(
            (made.database.as_str(), made.table.as_str(), made.engine.as_str()),
            (database, name, engine)
        );
        assert_eq!(client.create_table(database, name, engine, &[]).unwrap(), made);
        assert_eq!(client.table(database, name).describe().unwrap(), made);
        assert!(made.ordered && !made.options.is_empty());
        let failed = client.create_table(database, name, other, &[]).unwrap_err();
        assert!(matches!(failed, Error::AlreadyExists(_)), "{failed:?}");
        assert_eq!(failed.failure().code, Some(ErrorCode::DEFINITION_DIFFERS));
    }
    assert_eq!(client.tables(database).unwrap(), ["a", "b"]);
    let failed = client.drop_database(database).unwrap_err();
    assert_eq!(failed.failure().code, Some(ErrorCode::DATABASE_NOT_EMPTY));

    let table = client.table(database, "a");
    table.put("k", "v").unwrap();
    table.truncate().unwrap();
    assert_eq!(table.get("k").unwrap(), None);
    table.drop_table().unwrap();
    assert_eq!(client.tables(database).unwrap(), ["b"]);
}

pub fn stats_and_operations(test: &Test) {
    for engine in ["bplus", "lsm"] {
        let table = test.filled("operations", engine, 300);
        let stats = table.stats().unwrap();
        assert!(!stats.numbers.is_empty(), "{stats:?}");
        for (run, kind) in [
            (table.flush(), OperationKind::FLUSH),
            (table.optimize(), OperationKind::OPTIMIZE),
        ] {
            let run = run.unwrap();
            assert_eq!((run.kind, run.state), (kind, OperationState::DONE));
            assert_eq!(run.table.as_deref(), Some(table.name()));
            assert!(run.seconds >= 0.0 && run.error.is_none());
        }
        let verified = table.verify().unwrap();
        assert_eq!(verified.findings_total, Some(0), "{verified:?}");
        assert!(verified.findings.is_empty());
        let started = table.start(OperationKind::VERIFY).unwrap();
        assert_eq!(test.client.wait(&started).unwrap().state, OperationState::DONE);
        assert_eq!(
            test.client.operation(started.operation_id).unwrap().operation_id,
            started.operation_id
        );
    }
    assert!(!test.client.stats().unwrap().numbers.is_empty());
    let checkpoint = test.client.checkpoint().unwrap();
    assert_eq!(
        (checkpoint.kind, checkpoint.state),
        (OperationKind::CHECKPOINT, OperationState::DONE)
    );
    assert_eq!(checkpoint.table, None);
    let operations = test.client.operations().unwrap();
    assert!(
        operations
            .iter()
            .any(|other| other.operation_id == checkpoint.operation_id)
    );
    fails!(test.client.operation(i64::MAX), Error::NotFound(_));
    fails!(test.client.cancel_operation(i64::MAX), Error::NotFound(_));
}

pub fn errors(test: &Test) {
    let (client, database) = (&test.client, test.database.as_str());
    let code = |error: Error| error.failure().code.unwrap();
    let table = client.table("e2e_rust_none", "t");
    fails!(table.get("k"), Error::NotFound(_));
    fails!(table.put("k", "v"), Error::NotFound(_));
    assert_eq!(code(table.get("k").unwrap_err()), ErrorCode::DATABASE_NOT_FOUND);
    assert_eq!(
        code(client.tables("e2e_rust_none").unwrap_err()),
        ErrorCode::DATABASE_NOT_FOUND
    );
    let table = client.table(database, "none");
    assert_eq!(code(table.describe().unwrap_err()), ErrorCode::TABLE_NOT_FOUND);
    assert_eq!(code(table.count(..).unwrap_err()), ErrorCode::TABLE_NOT_FOUND);
    assert_eq!(
        code(table.scan(..).next().unwrap().unwrap_err()),
        ErrorCode::TABLE_NOT_FOUND
    );
    fails!(client.create_database("no/name"), Error::InvalidRequest(_));
    fails!(
        client.create_table(database, "", "bplus", &[]),
        Error::InvalidRequest(_)
    );
    fails!(
        client.create_table(database, "t", "none", &[]),
        Error::InvalidRequest(_)
    );
    fails!(
        client.create_table(database, "t", "bplus", &[("NONE", "1")]),
        Error::InvalidRequest(_)
    );
    let failed = table.put("k", "v").unwrap_err();
    assert!(
        !failed.failure().message.is_empty() && !failed.failure().retryable,
        "{failed:?}"
    );
}

pub fn addresses(test: &Test) {
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("kvstore://{}", nobody.local_addr().unwrap());
    drop(nobody);
    let start = Instant::now();
    fails!(Client::connect(&url), Error::ConnectionFailed(_));
    assert!(start.elapsed() < Duration::from_secs(3));
    fails!(
        Client::connect(&test.url.replace("kvstore", "http")),
        Error::InvalidRequest(_)
    );
    fails!(
        Client::connect(&format!("{}?pools=1", test.url)),
        Error::InvalidRequest(_)
    );
    fails!(
        Client::connect(&format!("{}?pool=none", test.url)),
        Error::InvalidRequest(_)
    );
    let options = Options::new(&format!("{}?timeout_ms=9000&pool=2", test.url)).unwrap();
    Client::with_options(options).unwrap().close();
}

pub fn tokens(test: &Test) {
    let without = Client::connect(&test.url).unwrap();
    fails!(without.databases(), Error::Unauthenticated(_));
    fails!(
        without.table(&test.database, "b").put("k", "v"),
        Error::Unauthenticated(_)
    );
    let wrong = Options::new(&test.url)
        .unwrap()
        .token("wrong-wrong-wrong-wrong-wrong-wrong");
    fails!(Client::with_options(wrong), Error::Unauthenticated(_));
    let right = Client::with_options(test.options.clone()).unwrap();
    assert!(right.databases().unwrap().contains(&test.database));
}
