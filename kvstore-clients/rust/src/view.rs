//! Reads of one table.

use std::sync::Arc;

use crate::client::Inner;
use crate::connection::{Kind, Service};
use crate::kvstore::{GetResult, ReadOptions, TKVStoreServiceSyncClient, TableName};
use crate::snapshot::Lease;
use crate::{KeyRange, Result, Scan, Tagged};

/// Where reads are made.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Newest(Arc<Inner>),
    Snapshot(Arc<Lease>),
}

impl Source {
    pub(crate) fn call<T>(&self, call: impl FnMut(&mut Service) -> thrift::Result<T>) -> Result<T> {
        match self {
            Source::Newest(client) => client.call(Kind::Read, call),
            Source::Snapshot(lease) => lease.call(call),
        }
    }

    pub(crate) fn snapshot_id(&self) -> Option<i64> {
        match self {
            Source::Newest(_) => None,
            Source::Snapshot(lease) => Some(lease.id()),
        }
    }
}

/// What can be read of one table, as it is in a snapshot or, as a part of [`Table`](crate::Table), as it is now.
///
/// Keys are bytes or text, which is taken as UTF-8.
#[derive(Clone, Debug)]
pub struct View {
    pub(crate) source: Source,
    pub(crate) table: TableName,
}

impl View {
    /// A key's value; `None` when it has none.
    pub fn get(&self, key: impl AsRef<[u8]>) -> Result<Option<Vec<u8>>> {
        Ok(self.read(key.as_ref(), false)?.value)
    }

    /// A key's value with its tag; `None` when it has none.
    pub fn get_tagged(&self, key: impl AsRef<[u8]>) -> Result<Option<Tagged>> {
        let result = self.read(key.as_ref(), true)?;
        Ok(result.value.map(|value| Tagged {
            value,
            tag: result.tag.unwrap_or_default(),
        }))
    }

    /// The values of several keys, in the order given, all as they were at one moment.
    pub fn get_all<K: AsRef<[u8]>>(&self, keys: impl IntoIterator<Item = K>) -> Result<Vec<Option<Vec<u8>>>> {
        let keys: Vec<Vec<u8>> = keys.into_iter().map(|key| key.as_ref().to_vec()).collect();
        let results = self
            .source
            .call(|service| service.multi_get(self.table.clone(), keys.clone(), self.options(false)))?;
        Ok(results.into_iter().map(|result| result.value).collect())
    }

    /// Whether a key has a value.
    pub fn contains(&self, key: impl AsRef<[u8]>) -> Result<bool> {
        let key = key.as_ref();
        self.source
            .call(|service| service.contains(self.table.clone(), key.to_vec(), self.options(false)))
    }

    /// How many keys a range has. Reads no values.
    pub fn count(&self, range: impl Into<KeyRange>) -> Result<u64> {
        let range = range.into().wire;
        let count = self
            .source
            .call(|service| service.count_keys(self.table.clone(), range.clone(), self.options(false)))?;
        Ok(count as u64)
    }

    /// Walks a range in the order of its keys.
    pub fn scan(&self, range: impl Into<KeyRange>) -> Scan {
        Scan::new(self, range.into())
    }

    fn read(&self, key: &[u8], with_tag: bool) -> Result<GetResult> {
        self.source
            .call(|service| service.get(self.table.clone(), key.to_vec(), self.options(with_tag)))
    }

    fn options(&self, with_tag: bool) -> ReadOptions {
        ReadOptions::new(self.source.snapshot_id(), with_tag.then_some(true))
    }
}
