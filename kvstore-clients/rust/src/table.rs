//! Reads and writes of one table.

use std::sync::Arc;

use crate::client::Inner;
use crate::connection::{Kind, Service};
use crate::kvstore::{TKVStoreServiceSyncClient, TableName, WriteOptions};
use crate::types::{option_map, table_name};
use crate::view::{Source, View};
use crate::{Condition, Durability, KeyRange, Operation, OperationKind, Result, Scan, Stats, TableInfo, Tagged};

/// A table of a [`Client`](crate::Client): its name, and no more. Cheap to clone; may be used by several threads.
///
/// Keys and values are bytes or text, which is taken as UTF-8.
#[derive(Clone, Debug)]
pub struct Table {
    client: Arc<Inner>,
    view: View,
    durability: Option<Durability>,
}

impl Table {
    pub(crate) fn new(client: Arc<Inner>, table: TableName) -> Table {
        let source = Source::Newest(Arc::clone(&client));
        Table {
            client,
            view: View { source, table },
            durability: None,
        }
    }

    /// This table with another durability of the writes made through it.
    pub fn with_durability(mut self, durability: Durability) -> Table {
        self.durability = Some(durability);
        self
    }

    /// The database's name.
    pub fn database(&self) -> &str {
        &self.view.table.database
    }

    /// The table's name.
    pub fn name(&self) -> &str {
        &self.view.table.table
    }

    /// What the table is.
    pub fn describe(&self) -> Result<TableInfo> {
        let info = self
            .client
            .call(Kind::Read, |service| service.describe_table(self.table()));
        info.map(TableInfo::from)
    }

    /// Gives the table another name in its database, and gives the handle of the new name, with the same durability.
    ///
    /// From then on this handle and others of the old name find no table, or another one that was given the name since.
    pub fn rename(&self, name: &str) -> Result<Table> {
        let info = self.write(|service| service.rename_table(self.table(), name.to_string()))?;
        let mut renamed = self.clone();
        renamed.view.table = table_name(&info.database, &info.table);
        Ok(renamed)
    }

    /// Gives options other values, at once and for good, and tells what the table is then. An option that a table has for
    /// life is [`Error::InvalidRequest`](crate::Error::InvalidRequest).
    pub fn alter(&self, options: &[(&str, &str)]) -> Result<TableInfo> {
        self.write(|service| service.alter_table(self.table(), option_map(options)))
            .map(TableInfo::from)
    }

    /// Removes the table and its data.
    pub fn drop_table(&self) -> Result<()> {
        self.write(|service| service.drop_table(self.table()))
    }

    /// Removes the table's data.
    pub fn truncate(&self) -> Result<()> {
        self.write(|service| service.truncate_table(self.table()))
    }

    /// A key's value; `None` when it has none.
    pub fn get(&self, key: impl AsRef<[u8]>) -> Result<Option<Vec<u8>>> {
        self.view.get(key)
    }

    /// A key's value with its tag; `None` when it has none.
    pub fn get_tagged(&self, key: impl AsRef<[u8]>) -> Result<Option<Tagged>> {
        self.view.get_tagged(key)
    }

    /// The values of several keys, in the order given, all as they were at one moment.
    pub fn get_all<K: AsRef<[u8]>>(&self, keys: impl IntoIterator<Item = K>) -> Result<Vec<Option<Vec<u8>>>> {
        self.view.get_all(keys)
    }

    /// Whether a key has a value.
    pub fn contains(&self, key: impl AsRef<[u8]>) -> Result<bool> {
        self.view.contains(key)
    }

    /// How many keys a range has. Reads no values.
    pub fn count(&self, range: impl Into<KeyRange>) -> Result<u64> {
        self.view.count(range)
    }

    /// Walks a range in the order of its keys.
    pub fn scan(&self, range: impl Into<KeyRange>) -> Scan {
        self.view.scan(range)
    }

    /// Gives a key a value.
    pub fn put(&self, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Result<()> {
        let (key, value) = (key.as_ref(), value.as_ref());
        self.write(|service| service.put(self.table(), key.to_vec(), value.to_vec(), self.options()))
    }

    /// Removes a key, whether it has a value or not.
    pub fn remove(&self, key: impl AsRef<[u8]>) -> Result<()> {
        let key = key.as_ref();
        self.write(|service| service.remove(self.table(), key.to_vec(), self.options()))
    }

    /// Gives a key a value if the condition holds, and tells whether it did.
    pub fn put_if(&self, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>, condition: &Condition) -> Result<bool> {
        let (key, value) = (key.as_ref(), value.as_ref());
        self.write(|service| {
            service.put_if(
                self.table(),
                key.to_vec(),
                value.to_vec(),
                condition.to_wire(),
                self.options(),
            )
        })
    }

    /// Removes a key if the condition holds, and tells whether it did.
    pub fn remove_if(&self, key: impl AsRef<[u8]>, condition: &Condition) -> Result<bool> {
        let key = key.as_ref();
        self.write(|service| service.remove_if(self.table(), key.to_vec(), condition.to_wire(), self.options()))
    }

    /// Gives a key a value if it has none, and tells whether it had none.
    pub fn put_if_absent(&self, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Result<bool> {
        self.put_if(key, value, &Condition::Absent)
    }

    /// Gives a key another value if it has the expected one, and tells whether it had.
    pub fn replace(&self, key: impl AsRef<[u8]>, expected: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Result<bool> {
        self.put_if(key, value, &Condition::value_is(expected))
    }

    /// Removes a key if it has the expected value, and tells whether it had.
    pub fn remove_value(&self, key: impl AsRef<[u8]>, expected: impl AsRef<[u8]>) -> Result<bool> {
        self.remove_if(key, &Condition::value_is(expected))
    }

    /// Adds to the number that a key has, and gives the sum. The value is decimal text of 64 bits, such as `-7`; a key
    /// without a value counts as 0. A value that is no number, or a sum beyond 64 bits, is [`Error::InvalidRequest`].
    ///
    /// A call that ended with [`Error::OutcomeUnknown`] must not simply be made again: it could add twice. The client
    /// never does that.
    ///
    /// [`Error::InvalidRequest`]: crate::Error::InvalidRequest
    /// [`Error::OutcomeUnknown`]: crate::Error::OutcomeUnknown
    pub fn add(&self, key: impl AsRef<[u8]>, delta: i64) -> Result<i64> {
        let key = key.as_ref();
        self.write(|service| service.add(self.table(), key.to_vec(), delta, self.options()))
    }

    /// Appends to a value, up to 1 MiB, and gives its new length. A key without a value counts as one with an empty value.
    /// What [`Table::add`] says about calls with an unknown outcome holds here too.
    pub fn append(&self, key: impl AsRef<[u8]>, suffix: impl AsRef<[u8]>) -> Result<usize> {
        let (key, suffix) = (key.as_ref(), suffix.as_ref());
        self.write(|service| service.append(self.table(), key.to_vec(), suffix.to_vec(), self.options()))
            .map(|length| length as usize)
    }

    /// Overwrites a part of a value, and gives the value's new length. The offset is 0 to the length of the present value,
    /// which grows as needed.
    pub fn patch(&self, key: impl AsRef<[u8]>, offset: i32, part: impl AsRef<[u8]>) -> Result<usize> {
        let (key, part) = (key.as_ref(), part.as_ref());
        self.write(|service| service.patch(self.table(), key.to_vec(), offset, part.to_vec(), self.options()))
            .map(|length| length as usize)
    }

    /// Gives a key a value, and gives the one before; `None` when there was none.
    ///
    /// When the one before does not fit into an answer, the outcome of [`Error::TooLarge`](crate::Error::TooLarge) tells
    /// whether the key got the value: it did not if it is `REJECTED`.
    pub fn get_and_put(&self, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Result<Option<Vec<u8>>> {
        let (key, value) = (key.as_ref(), value.as_ref());
        self.write(|service| service.get_and_put(self.table(), key.to_vec(), value.to_vec(), self.options()))
            .map(|before| before.value)
    }

    /// Removes a key, and gives its value; `None` when it had none. It fails as [`Table::get_and_put`] does.
    pub fn get_and_remove(&self, key: impl AsRef<[u8]>) -> Result<Option<Vec<u8>>> {
        let key = key.as_ref();
        self.write(|service| service.get_and_remove(self.table(), key.to_vec(), self.options()))
            .map(|before| before.value)
    }

    /// Figures of the table.
    pub fn stats(&self) -> Result<Stats> {
        self.client
            .call(Kind::Read, |service| service.table_stats(self.table()))
            .map(Stats::from)
    }

    /// Brings the table's memory to its files, and waits for the end.
    pub fn flush(&self) -> Result<Operation> {
        self.run(OperationKind::FLUSH)
    }

    /// Compacts the table or puts its values in order, and waits for the end.
    pub fn optimize(&self) -> Result<Operation> {
        self.run(OperationKind::OPTIMIZE)
    }

    /// Reads all of the table and checks it, and waits for the end. What it found is in [`Operation::findings`].
    pub fn verify(&self) -> Result<Operation> {
        self.run(OperationKind::VERIFY)
    }

    /// Starts a flush, an optimization or a verification, and does not wait; see [`Client::wait`](crate::Client::wait).
    pub fn start(&self, kind: OperationKind) -> Result<Operation> {
        self.client.start(kind, Some(self.table()), None)
    }

    fn run(&self, kind: OperationKind) -> Result<Operation> {
        self.client.wait(self.start(kind)?)
    }

    fn write<T>(&self, call: impl FnMut(&mut Service) -> thrift::Result<T>) -> Result<T> {
        self.client.call(Kind::Write, call)
    }

    fn table(&self) -> TableName {
        self.view.table.clone()
    }

    fn options(&self) -> WriteOptions {
        WriteOptions::new(self.durability)
    }
}
