//! The client.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::connection::{Connection, Fault, Kind, Service, retry};
use crate::kvstore::TKVStoreServiceSyncClient;
use crate::pool::{Pool, Slot};
use crate::types::{option_map, table_name};
use crate::{Batch, Options, Result, ServerInfo, Snapshot, Stats, Table, TableInfo};

/// A connection that was idle for longer is checked before a write.
const TRUSTED_IDLE: Duration = Duration::from_secs(1);

/// A client of one server. It may be cloned and used by several threads; clones share the connections.
///
/// The last clone closes the connections when it is dropped, as [`Client::close`] does earlier.
#[derive(Clone, Debug)]
pub struct Client {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) options: Options,
    pool: Pool,
}

impl Client {
    /// Connects to the server at a URL such as `kvstore://localhost:9090`; see [`Options`].
    pub fn connect(url: &str) -> Result<Client> {
        Client::with_options(Options::new(url)?)
    }

    /// Connects as the options say. The server has to answer.
    pub fn with_options(options: Options) -> Result<Client> {
        options.check()?;
        #[cfg(feature = "tls")]
        let options = match options.tls && options.tls_config.is_none() {
            true => options.tls_config(crate::tls::system_config()?),
            false => options,
        };
        let pool = Pool::new(options.pool);
        let client = Client {
            inner: Arc::new(Inner { options, pool }),
        };
        client.ping()?;
        Ok(client)
    }

    /// Closes the connections. Calls that run come to their end; later ones fail. Open snapshots are not touched.
    pub fn close(&self) {
        self.inner.pool.close();
    }

    /// Returns normally if the server answers. Needs no token, but a client that has one shows it.
    pub fn ping(&self) -> Result<()> {
        self.inner.call(Kind::Read, |service| service.ping())
    }

    /// What the server is and its limits.
    pub fn server_info(&self) -> Result<ServerInfo> {
        self.inner
            .call(Kind::Read, |service| service.server_info())
            .map(ServerInfo::from)
    }

    /// The names of the databases, sorted.
    pub fn databases(&self) -> Result<Vec<String>> {
        self.inner.call(Kind::Read, |service| service.databases())
    }

    /// Creates a database; `false` when it was there.
    pub fn create_database(&self, database: &str) -> Result<bool> {
        self.inner
            .call(Kind::Write, |service| service.create_database(database.to_string()))
    }

    /// Drops a database. Refused while it has tables.
    pub fn drop_database(&self, database: &str) -> Result<()> {
        self.inner
            .call(Kind::Write, |service| service.drop_database(database.to_string()))
    }

    /// The names of a database's tables, sorted.
    pub fn tables(&self, database: &str) -> Result<Vec<String>> {
        self.inner
            .call(Kind::Read, |service| service.tables(database.to_string()))
    }

    /// Creates a table, or describes it when it is there with this engine and each option given. The engine is `"bplus"`,
    /// `"hash"` or `"lsm"`. An option is a name and a value, such as `("DURABILITY", "buffered")`.
    pub fn create_table(
        &self,
        database: &str,
        table: &str,
        engine: &str,
        options: &[(&str, &str)],
    ) -> Result<TableInfo> {
        let info = self.inner.call(Kind::Write, |service| {
            service.create_table(table_name(database, table), engine.to_string(), option_map(options))
        });
        info.map(TableInfo::from)
    }

    /// A table to read and write. Does not ask the server whether it is there.
    pub fn table(&self, database: &str, table: &str) -> Table {
        Table::new(Arc::clone(&self.inner), table_name(database, table))
    }

    /// Collects changes of one database that are applied together or not at all.
    pub fn batch(&self, database: &str) -> Batch {
        Batch::new(Arc::clone(&self.inner), database)
    }

    /// Opens a view of the whole store at this moment. It ends when it was not used for 60 s.
    pub fn snapshot(&self) -> Result<Snapshot> {
        self.snapshot_with_lease(Duration::ZERO)
    }

    /// Opens a view of the whole store that ends when it was not used for so long: 1 s to 1 h.
    pub fn snapshot_with_lease(&self, lease: Duration) -> Result<Snapshot> {
        Snapshot::open(&self.inner.options, lease)
    }

    /// Figures of the store.
    pub fn stats(&self) -> Result<Stats> {
        self.inner
            .call(Kind::Read, |service| service.store_stats())
            .map(Stats::from)
    }
}

impl Inner {
    /// Calls with a connection of the pool, and again where that is safe.
    pub(crate) fn call<T>(&self, kind: Kind, mut call: impl FnMut(&mut Service) -> thrift::Result<T>) -> Result<T> {
        let mut slot = self.pool.take(self.options.timeout)?;
        let deadline = Instant::now() + self.options.timeout;
        retry(deadline, || self.attempt(&mut slot, kind, deadline, &mut call))
    }

    fn attempt<T>(
        &self,
        slot: &mut Slot<'_>,
        kind: Kind,
        deadline: Instant,
        call: &mut impl FnMut(&mut Service) -> thrift::Result<T>,
    ) -> std::result::Result<T, Fault> {
        let held = slot
            .connection
            .take()
            .and_then(|held| self.checked(held, kind, deadline));
        let mut connection = match held {
            Some(connection) => connection,
            None => Connection::open(&self.options, deadline)?,
        };
        let result = connection.call(kind, deadline, call);
        match result.as_ref().err().is_none_or(|fault| fault.usable) {
            true => slot.connection = Some(connection),
            false => self.pool.drop_idle(),
        }
        result
    }

    /// Gives the connection back unless it is to be written to, was idle for long and does not answer.
    fn checked(&self, mut held: Connection, kind: Kind, deadline: Instant) -> Option<Connection> {
        if kind == Kind::Read || held.idle() <= TRUSTED_IDLE {
            return Some(held);
        }
        let soon = deadline.min(Instant::now() + self.options.connect_timeout);
        if held.call(Kind::Read, soon, |service| service.ping()).is_ok() {
            return Some(held);
        }
        self.pool.drop_idle();
        None
    }
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.options.fmt(f)
    }
}
