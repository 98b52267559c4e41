//! Runs scenarios and tells how they went.

use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use kvstore_client::{Client, Options, Table};

/// What a scenario has to work with.
pub struct Test {
    pub client: Client,
    pub options: Options,
    /// The server's URL, without a token.
    pub url: String,
    pub database: String,
}

impl Test {
    /// A new table.
    pub fn table(&self, name: &str, engine: &str) -> Table {
        let name = format!("{name}-{engine}");
        self.client.create_table(&self.database, &name, engine, &[]).unwrap();
        self.client.table(&self.database, &name)
    }

    /// A new table with so many entries: the numbers from 0 as keys, twice the number as value.
    pub fn filled(&self, name: &str, engine: &str, entries: u32) -> Table {
        let table = self.table(name, engine);
        for start in (0..entries).step_by(500) {
            let mut batch = self.client.batch(&self.database);
            for number in start..entries.min(start + 500) {
                batch = batch.put(table.name(), key(number), (number * 2).to_string());
            }
            batch.write().unwrap();
        }
        table
    }

    /// Drops what the scenarios made. A database that a scenario restored is there only if the scenario failed.
    pub fn clean_up(&self) {
        let restored = self.restored();
        if self.client.databases().unwrap().contains(&restored) {
            self.drop(&restored);
        }
        self.drop(&self.database);
    }

    /// The name of the database that a scenario restores.
    pub fn restored(&self) -> String {
        format!("{}_restored", self.database)
    }

    /// Drops a database with its tables.
    pub fn drop(&self, database: &str) {
        for name in self.client.tables(database).unwrap() {
            self.client.table(database, &name).drop_table().unwrap();
        }
        self.client.drop_database(database).unwrap();
        assert!(!self.client.databases().unwrap().contains(&database.to_string()));
    }
}

/// A number as a key that is ordered as the number.
pub fn key(number: u32) -> Vec<u8> {
    format!("{number:06}").into_bytes()
}

/// Checks that a call fails with an error of this kind.
#[macro_export]
macro_rules! fails {
    ($call:expr, $($kind:pat_param)|+) => {
        match $call {
            Err($($kind)|+) => {}
            Err(error) => panic!("{} failed otherwise: {error:?}", stringify!($call)),
            Ok(_) => panic!("{} did not fail", stringify!($call)),
        }
    };
}

/// Runs scenarios.
pub struct Run {
    test: Test,
    failures: usize,
    message: Arc<Mutex<String>>,
}

impl Run {
    pub fn new(client: Client, options: Options, url: String) -> Run {
        let message = Arc::new(Mutex::new(String::new()));
        let told = Arc::clone(&message);
        panic::set_hook(Box::new(move |panic| {
            *told.lock().unwrap() = panic.to_string().replace('\n', " ").chars().take(500).collect();
        }));
        let nanos = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos();
        let database = format!("e2e_rust_{nanos:x}_{}", std::process::id());
        Run {
            test: Test {
                client,
                options,
                url,
                database,
            },
            failures: 0,
            message,
        }
    }

    pub fn test(&self) -> &Test {
        &self.test
    }

    /// Runs a scenario and prints one line.
    pub fn check(&mut self, name: &str, scenario: impl FnOnce(&Test)) {
        match panic::catch_unwind(AssertUnwindSafe(|| scenario(&self.test))) {
            Ok(()) => println!("ok {name}"),
            Err(_) => {
                self.failures += 1;
                println!("not ok {name}: {}", self.message.lock().unwrap());
            }
        }
    }

    pub fn end(self) -> ExitCode {
        match self.failures {
            0 => ExitCode::SUCCESS,
            _ => ExitCode::FAILURE,
        }
    }
}
