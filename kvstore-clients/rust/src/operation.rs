//! Jobs that run on the server.

use std::thread;
use std::time::Duration;

use crate::client::Inner;
use crate::connection::Kind;
use crate::kvstore::{self, OperationRequest, TKVStoreServiceSyncClient, TableName};
use crate::{Backup, Client, Error, Finding, OperationKind, OperationState, Restore, Result};

/// The pauses between two looks at an operation: the first and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_millis(5), Duration::from_millis(500));

/// A job that runs on the server. It goes on when the client is gone.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Operation {
    /// The operation's number.
    pub operation_id: i64,
    /// What it does; 0 if the server did not tell.
    pub kind: OperationKind,
    /// The table's database, of a flush, an optimization or a verification of a table.
    pub database: Option<String>,
    /// The table, of the same.
    pub table: Option<String>,
    /// How it is; 0 if the server did not tell.
    pub state: OperationState,
    /// How long it runs or ran.
    pub seconds: f64,
    /// Of those that can be cancelled, see [`Client::cancel_operation`]: how far it is.
    pub done_bytes: Option<u64>,
    /// Of the same: how much there is.
    pub total_bytes: Option<u64>,
    /// Of a verification, of a table or of backups: how many damaged places there are in all.
    pub findings_total: Option<u64>,
    /// Of the same: the first of them.
    pub findings: Vec<Finding>,
    /// Why it failed.
    pub error: Option<Error>,
    /// Of a backup that is done: what it made.
    pub backup: Option<Backup>,
    /// Of a restore: what it was asked for.
    pub restore: Option<Restore>,
}

impl Client {
    /// Makes a checkpoint of the store, and waits for the end.
    pub fn checkpoint(&self) -> Result<Operation> {
        self.wait(&self.start_checkpoint()?)
    }

    /// Starts a checkpoint and does not wait.
    pub fn start_checkpoint(&self) -> Result<Operation> {
        self.inner.start(OperationKind::CHECKPOINT, None, None)
    }

    /// How far an operation is.
    pub fn operation(&self, operation_id: i64) -> Result<Operation> {
        self.inner.operation(operation_id)
    }

    /// Operations that run and those that ended lately, oldest first.
    pub fn operations(&self) -> Result<Vec<Operation>> {
        let operations = self.inner.call(Kind::Read, |service| service.operations())?;
        Ok(operations.into_iter().map(Operation::from).collect())
    }

    /// Asks an optimization, a backup, a verification of backups or a restore to stop at its next safe point. A backup or
    /// restore that stopped leaves nothing. Others run to their end.
    pub fn cancel_operation(&self, operation_id: i64) -> Result<Operation> {
        self.inner
            .call(Kind::Write, |service| service.cancel_operation(operation_id))
            .map(Operation::from)
    }

    /// Waits for an operation's end and gives it as it is then. One that failed is an error, one that was cancelled is not.
    pub fn wait(&self, operation: &Operation) -> Result<Operation> {
        self.inner.wait(operation.clone())
    }
}

impl Inner {
    /// Starts an operation, of a table or a restore if it is of one.
    pub(crate) fn start(
        &self,
        kind: OperationKind,
        table: Option<TableName>,
        restore: Option<kvstore::Restore>,
    ) -> Result<Operation> {
        let request = OperationRequest::new(kind, table, restore);
        self.call(Kind::Write, |service| service.start_operation(request.clone()))
            .map(Operation::from)
    }

    pub(crate) fn wait(&self, mut operation: Operation) -> Result<Operation> {
        let (mut pause, longest) = PAUSES;
        while operation.state == OperationState::RUNNING {
            thread::sleep(pause);
            pause = longest.min(pause * 2);
            operation = self.operation(operation.operation_id)?;
        }
        match operation.state {
            OperationState::FAILED => Err(operation.error.unwrap_or_else(|| Error::other("the operation failed"))),
            _ => Ok(operation),
        }
    }

    fn operation(&self, operation_id: i64) -> Result<Operation> {
        self.call(Kind::Read, |service| service.operation(operation_id))
            .map(Operation::from)
    }
}

impl From<kvstore::Operation> for Operation {
    fn from(operation: kvstore::Operation) -> Operation {
        let (database, table) = match operation.table {
            Some(name) => (Some(name.database), Some(name.table)),
            None => (None, None),
        };
        Operation {
            operation_id: operation.operation_id,
            kind: operation.kind.unwrap_or(OperationKind(0)),
            database,
            table,
            state: operation.state.unwrap_or(OperationState(0)),
            seconds: operation.seconds.into_inner(),
            done_bytes: operation.done_bytes.map(|bytes| bytes as u64),
            total_bytes: operation.total_bytes.map(|bytes| bytes as u64),
            findings_total: operation.findings_total.map(|findings| findings as u64),
            findings: operation.findings.into_iter().flatten().map(Finding::from).collect(),
            error: operation.error.map(Error::from),
            backup: operation.backup.map(Backup::from),
            restore: operation.restore.map(Restore::from),
        }
    }
}
