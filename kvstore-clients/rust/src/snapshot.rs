//! Views of one moment.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::connection::{Connection, Kind, Service, retry};
use crate::kvstore::TKVStoreServiceSyncClient;
use crate::types::table_name;
use crate::view::{Source, View};
use crate::{Error, Options, Result};

/// A view of the whole store at one moment. Dropping it closes it.
///
/// It has a connection of its own and ends with it, or when it was not used for its lease. Several threads may use it; their
/// reads go one after another.
#[derive(Debug)]
pub struct Snapshot {
    lease: Arc<Lease>,
}

/// A snapshot on the server and the connection that keeps it.
pub(crate) struct Lease {
    id: i64,
    timeout: Duration,
    connection: Mutex<Option<Connection>>,
}

impl Snapshot {
    pub(crate) fn open(options: &Options, lease: Duration) -> Result<Snapshot> {
        let lease = i32::try_from(lease.as_millis()).unwrap_or(i32::MAX);
        let deadline = Instant::now() + options.timeout;
        retry(deadline, || {
            let mut connection = Connection::open(options, deadline)?;
            let opened = connection.call(Kind::Read, deadline, |service| service.open_snapshot(lease))?;
            let lease = Lease {
                id: opened.snapshot_id,
                timeout: options.timeout,
                connection: Mutex::new(Some(connection)),
            };
            Ok(Snapshot { lease: Arc::new(lease) })
        })
    }

    /// A table as it is in this snapshot. Reads of it fail when the snapshot is closed.
    pub fn table(&self, database: &str, table: &str) -> View {
        View {
            source: Source::Snapshot(Arc::clone(&self.lease)),
            table: table_name(database, table),
        }
    }

    /// Closes the snapshot. Harmless when it is gone already.
    pub fn close(&self) {
        if let Some(mut connection) = self.lease.lock().take() {
            let deadline = Instant::now() + self.lease.timeout;
            let closed = connection.call(Kind::Read, deadline, |service| service.close_snapshot(self.lease.id));
            drop(closed);
        }
    }
}

impl Drop for Snapshot {
    /// Ends the connection, and with it the snapshot.
    fn drop(&mut self) {
        self.lease.lock().take();
    }
}

impl Lease {
    pub(crate) fn id(&self) -> i64 {
        self.id
    }

    /// Calls once: there is no other connection that has this snapshot.
    pub(crate) fn call<T>(&self, call: impl FnOnce(&mut Service) -> thrift::Result<T>) -> Result<T> {
        let mut held = self.lock();
        let connection = held
            .as_mut()
            .ok_or_else(|| Error::expired("the snapshot is closed or its connection ended"))?;
        connection
            .call(Kind::Read, Instant::now() + self.timeout, call)
            .map_err(|fault| {
                if !fault.usable {
                    *held = None;
                }
                fault.error
            })
    }

    fn lock(&self) -> MutexGuard<'_, Option<Connection>> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lease").field("id", &self.id).finish_non_exhaustive()
    }
}
