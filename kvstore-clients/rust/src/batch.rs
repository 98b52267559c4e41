//! Changes that are applied together.

use std::sync::Arc;

use crate::client::Inner;
use crate::connection::Kind;
use crate::kvstore::{self, Check, Merge, Mutation, Patch, TKVStoreServiceSyncClient, WriteOptions};
use crate::types::table_name;
use crate::{Condition, Durability, Error, Result};

/// Changes of tables of one database that are applied together or not at all, in the order given.
#[derive(Clone, Debug)]
#[must_use = "a batch does nothing until it is written"]
pub struct Batch {
    client: Arc<Inner>,
    database: String,
    mutations: Vec<Mutation>,
    checks: Vec<Check>,
    durability: Option<Durability>,
}

impl Batch {
    pub(crate) fn new(client: Arc<Inner>, database: &str) -> Batch {
        Batch {
            client,
            database: database.to_string(),
            mutations: Vec::new(),
            checks: Vec::new(),
            durability: None,
        }
    }

    /// Gives a key a value.
    pub fn put(mut self, table: &str, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Batch {
        let value = value.as_ref().to_vec();
        self.mutations
            .push(Mutation::new(key.as_ref().to_vec(), value, table.to_string(), None));
        self
    }

    /// Removes a key, whether it has a value or not.
    pub fn remove(mut self, table: &str, key: impl AsRef<[u8]>) -> Batch {
        self.mutations
            .push(Mutation::new(key.as_ref().to_vec(), None, table.to_string(), None));
        self
    }

    /// Adds to the number that a key has, see [`Table::add`](crate::Table::add).
    pub fn add(self, table: &str, key: impl AsRef<[u8]>, delta: i64) -> Batch {
        self.merge(table, key.as_ref(), Merge::new(delta, None, None))
    }

    /// Appends to a value, see [`Table::append`](crate::Table::append).
    pub fn append(self, table: &str, key: impl AsRef<[u8]>, suffix: impl AsRef<[u8]>) -> Batch {
        let suffix = suffix.as_ref().to_vec();
        self.merge(table, key.as_ref(), Merge::new(None, suffix, None))
    }

    /// Overwrites a part of a value, see [`Table::patch`](crate::Table::patch).
    pub fn patch(self, table: &str, key: impl AsRef<[u8]>, offset: i32, part: impl AsRef<[u8]>) -> Batch {
        let patch = Patch::new(offset, part.as_ref().to_vec());
        self.merge(table, key.as_ref(), Merge::new(None, None, patch))
    }

    fn merge(mut self, table: &str, key: &[u8], merge: Merge) -> Batch {
        self.mutations
            .push(Mutation::new(key.to_vec(), None, table.to_string(), merge));
        self
    }

    /// Applies the batch only if the condition holds before all changes.
    pub fn check(mut self, table: &str, key: impl AsRef<[u8]>, condition: &Condition) -> Batch {
        self.checks.push(Check::new(
            key.as_ref().to_vec(),
            condition.to_wire(),
            table.to_string(),
        ));
        self
    }

    /// What the batch survives once it is written.
    pub fn durability(mut self, durability: Durability) -> Batch {
        self.durability = Some(durability);
        self
    }

    /// Applies the batch. Gives its place in the store's log, which grows with each batch.
    pub fn write(self) -> Result<i64> {
        let tables = self.mutations.iter().map(|mutation| &mutation.table);
        let named = tables
            .chain(self.checks.iter().map(|check| &check.table))
            .flatten()
            .next();
        let table = named
            .cloned()
            .ok_or_else(|| Error::invalid("a batch has one change or check at least"))?;
        let mut batch = kvstore::Batch::new(table_name(&self.database, &table), self.mutations, self.checks);
        let places = batch.mutations.iter_mut().map(|mutation| &mut mutation.table);
        let checks = batch.checks.iter_mut().flatten().map(|check| &mut check.table);
        for place in places.chain(checks) {
            place.take_if(|name| *name == table);
        }
        let options = WriteOptions::new(self.durability);
        // A server without merges would take one for a removal. It does not know the method.
        let merges = batch.mutations.iter().any(|mutation| mutation.merge.is_some());
        self.client.call(Kind::Write, |service| {
            if merges {
                service.write_merges(batch.clone(), options.clone())
            } else {
                service.write(batch.clone(), options.clone())
            }
        })
    }
}
