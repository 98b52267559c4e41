//! What a client repeats, waits for and reports, against a stub.

mod stub;

use std::thread;
use std::time::{Duration, Instant};

use kvstore_client::{Client, Error, ErrorCode, Options, Outcome};
use stub::{Act, Stub, error, lease, table_info, value, void};

fn client(stub: &Stub) -> Client {
    Client::connect(&stub.url).unwrap()
}

fn quick(stub: &Stub) -> Client {
    let options = Options::new(&stub.url).unwrap().timeout(Duration::from_millis(300));
    Client::with_options(options).unwrap()
}

#[test]
fn a_client_may_go_to_other_threads() {
    fn check<T: Send + Sync + 'static>() {}
    check::<Client>();
    check::<kvstore_client::Table>();
    check::<kvstore_client::Snapshot>();
    check::<kvstore_client::View>();
    check::<kvstore_client::Scan>();
    check::<kvstore_client::Batch>();
    check::<Error>();
}

#[test]
fn a_read_is_repeated_twice_on_new_connections() {
    let stub = Stub::start(|name, before| match (name, before) {
        ("get", 0 | 1) => Act::Close,
        ("get", _) => value(b"v"),
        _ => void(),
    });
    assert_eq!(client(&stub).table("d", "t").get("k").unwrap().unwrap(), b"v");
    assert_eq!(stub.shown(), "0:get 1:get 2:get");
}

#[test]
fn a_read_is_not_repeated_more_often() {
    let stub = Stub::start(|name, _| if name == "ping" { void() } else { Act::Close });
    let failed = client(&stub).databases().unwrap_err();
    assert!(matches!(failed, Error::ConnectionFailed(_)), "{failed:?}");
    assert_eq!(stub.shown(), "0:databases 1:databases 2:databases");
}

#[test]
fn a_write_that_was_sent_is_not_repeated() {
    let stub = Stub::start(|name, _| if name == "put" { Act::Close } else { void() });
    let client = client(&stub);
    let failed = client.table("d", "t").put("k", "v").unwrap_err();
    assert!(matches!(failed, Error::OutcomeUnknown(_)), "{failed:?}");
    assert_eq!(failed.failure().outcome, Some(Outcome::UNKNOWN));
    client.table("d", "t").remove("k").unwrap();
    assert_eq!(stub.shown(), "0:put 1:remove");
}

#[test]
fn no_merge_that_was_sent_is_repeated() {
    let stub = Stub::start(|name, _| if name == "ping" { void() } else { Act::Close });
    let client = client(&stub);
    let table = client.table("d", "t");
    let failures = [
        table.add("k", 1).unwrap_err(),
        table.append("k", "v").unwrap_err(),
        table.patch("k", 0, "v").unwrap_err(),
        table.get_and_put("k", "v").unwrap_err(),
        table.get_and_remove("k").unwrap_err(),
        client.batch("d").add("t", "k", 1).write().unwrap_err(),
    ];
    for failed in failures {
        assert!(matches!(failed, Error::OutcomeUnknown(_)), "{failed:?}");
    }
    assert_eq!(
        stub.shown(),
        "0:add 1:append 2:patch 3:getAndPut 4:getAndRemove 5:writeMerges"
    );
}

#[test]
fn no_change_of_a_table_or_backup_that_was_sent_is_repeated() {
    let stub = Stub::start(|name, _| if name == "ping" { void() } else { Act::Close });
    let client = client(&stub);
    let table = client.table("d", "t");
    let failures = [
        table.rename("new").unwrap_err(),
        table.alter(&[("DURABILITY", "SYNC")]).unwrap_err(),
        client.delete_backup(1).unwrap_err(),
        client.backup().unwrap_err(),
    ];
    for failed in failures {
        assert!(matches!(failed, Error::OutcomeUnknown(_)), "{failed:?}");
    }
    let failed = client.backups().unwrap_err();
    assert!(matches!(failed, Error::ConnectionFailed(_)), "{failed:?}");
    assert_eq!(
        stub.shown(),
        "0:renameTable 1:alterTable 2:deleteBackup 3:startOperation 4:backups 5:backups 6:backups"
    );
}

#[test]
fn a_renamed_table_has_another_handle() {
    let stub = Stub::start(|name, _| match name {
        "renameTable" => table_info("d", "new"),
        _ => void(),
    });
    let table = client(&stub).table("d", "t");
    let renamed = table.rename("new").unwrap();
    assert_eq!((renamed.database(), renamed.name(), table.name()), ("d", "new", "t"));
    renamed.put("k", "v").unwrap();
    assert_eq!(stub.shown(), "0:renameTable 0:put");
}

#[test]
fn a_write_of_which_nothing_was_sent_is_repeated() {
    let stub = Stub::start(|name, before| match (name, before) {
        ("authenticate", 1 | 2) => Act::Close,
        ("put", 0) => Act::Close,
        _ => void(),
    });
    let options = Options::new(&stub.url).unwrap().token("secret");
    let table = Client::with_options(options).unwrap().table("d", "t");
    table.put("k", "v").unwrap_err();
    table.put("k", "v").unwrap();
    assert_eq!(
        stub.shown(),
        "0:authenticate 0:put 1:authenticate 2:authenticate 3:authenticate 3:put"
    );
}

#[test]
fn answers_that_can_be_repeated_are() {
    let stub = Stub::start(|name, before| match (name, before) {
        ("put", 0) => error(18, true, 1),
        ("remove", _) => error(18, true, 2),
        ("get", 0) => error(18, true, 1),
        ("get", _) => error(15, false, 2),
        _ => void(),
    });
    let table = client(&stub).table("d", "t");
    table.put("k", "v").unwrap();
    assert!(matches!(table.remove("k"), Err(Error::Unavailable(_))));
    let failed = table.get("k").unwrap_err();
    assert!(matches!(failed, Error::Corruption(_)), "{failed:?}");
    assert_eq!(failed.failure().code, Some(ErrorCode::CORRUPTION));
    assert_eq!(stub.shown(), "0:put 0:put 0:remove 0:get 0:get");
}

#[test]
fn the_connection_of_a_server_that_stops_is_not_used_again() {
    let stub = Stub::start(|name, before| match (name, before) {
        ("put", 0) => error(21, true, 1),
        _ => void(),
    });
    client(&stub).table("d", "t").put("k", "v").unwrap();
    assert_eq!(stub.shown(), "0:put 1:put");
}

#[test]
fn an_idle_connection_is_checked_before_a_write() {
    let stub = Stub::start(|name, before| match (name, before) {
        ("ping", 2) => Act::Close,
        _ => void(),
    });
    let table = client(&stub).table("d", "t");
    table.put("k", "v").unwrap();
    table.put("k", "v").unwrap();
    for _ in 0..2 {
        thread::sleep(Duration::from_millis(1100));
        table.put("k", "v").unwrap();
    }
    assert_eq!(stub.shown(), "0:put 0:put 0:ping 0:put 0:ping 1:put");
}

#[test]
fn a_call_ends_in_time_and_its_connection_is_not_used_again() {
    let stub = Stub::start(|name, before| match (name, before) {
        ("get" | "put", 0) => Act::Hang,
        ("get", _) => value(b"v"),
        _ => void(),
    });
    let table = quick(&stub).table("d", "t");
    let start = Instant::now();
    let failed = table.get("k").unwrap_err();
    assert!(matches!(failed, Error::ConnectionFailed(_)), "{failed:?}");
    let failed = table.put("k", "v").unwrap_err();
    assert!(matches!(failed, Error::OutcomeUnknown(_)), "{failed:?}");
    assert!(start.elapsed() < Duration::from_secs(2));
    assert!(table.get("k").unwrap().is_some());
    assert_eq!(stub.shown(), "0:get 1:put 2:get");
}

#[test]
fn the_pool_is_bounded_and_so_is_waiting_for_it() {
    let stub = Stub::start(|name, _| {
        if name == "remove" {
            thread::sleep(Duration::from_millis(200));
        }
        void()
    });
    let options = Options::new(&stub.url).unwrap().pool(2);
    let table = Client::with_options(options).unwrap().table("d", "t");
    thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| table.remove("k").unwrap());
        }
    });
    assert_eq!(stub.calls().len(), 6);
    assert!(
        stub.calls().iter().all(|(connection, _)| *connection < 2),
        "{}",
        stub.shown()
    );

    let stub = Stub::start(|name, _| if name == "get" { Act::Hang } else { void() });
    let options = Options::new(&stub.url)
        .unwrap()
        .pool(1)
        .timeout(Duration::from_millis(500));
    let client = Client::with_options(options).unwrap();
    let other = client.clone();
    let held = thread::spawn(move || other.table("d", "t").get("k"));
    while stub.calls().is_empty() {
        thread::sleep(Duration::from_millis(5));
    }
    thread::sleep(Duration::from_millis(150));
    client.table("d", "t").put("k", "v").unwrap();
    assert!(held.join().unwrap().is_err());
    assert_eq!(stub.shown(), "0:get 1:put");
}

#[test]
fn waiting_for_the_pool_ends_with_an_error() {
    let stub = Stub::start(|name, _| {
        if name == "remove" {
            thread::sleep(Duration::from_millis(400));
        }
        void()
    });
    let options = Options::new(&stub.url)
        .unwrap()
        .pool(1)
        .timeout(Duration::from_millis(600));
    let table = Client::with_options(options).unwrap().table("d", "t");
    let failed: usize = thread::scope(|scope| {
        let calls: Vec<_> = (0..4).map(|_| scope.spawn(|| table.remove("k"))).collect();
        let ended = calls.into_iter().map(|call| call.join().unwrap());
        ended
            .filter(|result| matches!(result, Err(Error::ConnectionFailed(_))))
            .count()
    });
    assert_eq!(failed, 2);
    assert_eq!(stub.calls().len(), 2);
}

#[test]
fn each_connection_begins_with_the_token() {
    let stub = Stub::start(|name, _| if name == "get" { Act::Close } else { void() });
    let client = Client::connect(&stub.url.replace("//", "//secret@")).unwrap();
    client.table("d", "t").get("k").unwrap_err();
    assert_eq!(
        stub.shown(),
        "0:authenticate 0:get 1:authenticate 1:get 2:authenticate 2:get"
    );

    let stub = Stub::start(|name, _| {
        if name == "authenticate" {
            error(2, false, 1)
        } else {
            void()
        }
    });
    let failed = Client::connect(&stub.url.replace("//", "//wrong@")).unwrap_err();
    assert!(matches!(failed, Error::Unauthenticated(_)), "{failed:?}");
    assert_eq!(stub.shown(), "0:authenticate");
}

#[test]
fn an_exception_of_the_runtime_is_the_base_error() {
    let stub = Stub::start(|name, before| match (name, before) {
        ("put", 0) => Act::Exception(6),
        _ => void(),
    });
    let table = client(&stub).table("d", "t");
    let failed = table.put("k", "v").unwrap_err();
    assert!(matches!(failed, Error::Other(_)), "{failed:?}");
    table.put("k", "v").unwrap();
    assert_eq!(stub.shown(), "0:put 1:put");
}

#[test]
fn a_call_that_the_server_does_not_know_is_rejected() {
    let stub = Stub::start(|name, _| match name {
        "ping" => void(),
        _ => Act::Exception(1),
    });
    let table = client(&stub).table("d", "t");
    for (method, failed) in [
        ("get", table.get("k").unwrap_err()),
        ("add", table.add("k", 1).unwrap_err()),
    ] {
        assert!(matches!(failed, Error::Other(_)), "{failed:?}");
        assert_eq!(failed.failure().outcome, Some(Outcome::REJECTED));
        assert!(!failed.failure().retryable);
        let expected = format!("older than this client and does not know the method {method};");
        assert!(failed.failure().message.contains(&expected), "{failed}");
    }
    assert_eq!(stub.shown(), "0:get 1:add");
}

#[test]
fn frames_over_the_limit_are_errors_on_both_sides() {
    let stub = Stub::start(|name, before| match (name, before) {
        ("get", 0) => value(&[1; 5_000]),
        ("get", _) => value(&[1; 4_000]),
        _ => void(),
    });
    let options = Options::new(&stub.url).unwrap().max_frame_bytes(4_500);
    let table = Client::with_options(options).unwrap().table("d", "t");
    for _ in 0..100 {
        let failed = table.put("k", [0; 4_500]).unwrap_err();
        assert!(matches!(failed, Error::TooLarge(_)), "{failed:?}");
    }
    table.put("k", [0; 4_000]).unwrap();
    let failed = table.get("k").unwrap_err();
    assert_eq!(failed.failure().code, Some(ErrorCode::ANSWER_TOO_LARGE));
    assert_eq!(table.get("k").unwrap().unwrap().len(), 4_000);
    assert_eq!(stub.shown(), "0:put 0:get 1:get");
}

#[test]
fn what_is_no_answer_ends_the_connection() {
    let stub = Stub::start(|name, before| match (name, before) {
        ("put", 0) => Act::Raw(b"HTTP/1.1 400 Bad Request".to_vec()),
        _ => void(),
    });
    let table = client(&stub).table("d", "t");
    let failed = table.put("k", "v").unwrap_err();
    assert!(matches!(failed, Error::OutcomeUnknown(_)), "{failed:?}");
    table.put("k", "v").unwrap();
    assert_eq!(stub.shown(), "0:put 1:put");
}

#[test]
fn a_snapshot_has_one_connection_and_is_not_read_from_another() {
    let stub = Stub::start(|name, _| match name {
        "openSnapshot" => lease(),
        "get" => Act::Close,
        _ => void(),
    });
    let snapshot = client(&stub).snapshot().unwrap();
    let view = snapshot.table("d", "t");
    assert!(matches!(view.get("k"), Err(Error::ConnectionFailed(_))));
    assert!(matches!(view.get("k"), Err(Error::SnapshotExpired(_))));
    snapshot.close();
    assert_eq!(stub.shown(), "1:openSnapshot 1:get");

    let snapshot = client(&stub).snapshot().unwrap();
    let view = snapshot.table("d", "t");
    snapshot.close();
    snapshot.close();
    assert!(matches!(view.contains("k"), Err(Error::SnapshotExpired(_))));
    assert!(
        stub.shown().ends_with("3:openSnapshot 3:closeSnapshot"),
        "{}",
        stub.shown()
    );
}

#[test]
fn a_closed_client_makes_no_calls() {
    let stub = Stub::start(|_, _| void());
    let client = client(&stub);
    client.close();
    client.close();
    assert!(matches!(client.drop_database("d"), Err(Error::ConnectionFailed(_))));
    assert_eq!(stub.shown(), "");
}

#[test]
fn a_port_where_nobody_listens_fails_quickly() {
    let start = Instant::now();
    let failed = Client::connect("kvstore://127.0.0.1:1").unwrap_err();
    assert!(matches!(failed, Error::ConnectionFailed(_)), "{failed:?}");
    assert!(failed.to_string().contains("127.0.0.1:1"), "{failed}");
    assert!(start.elapsed() < Duration::from_secs(2));
}
