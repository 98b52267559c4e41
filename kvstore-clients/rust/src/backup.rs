//! Backups of the server's store.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::connection::Kind;
use crate::kvstore::{self, TKVStoreServiceSyncClient};
use crate::{Client, Operation, OperationKind, Result};

/// A backup of the server's store, in the server's directory for backups.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Backup {
    /// The backup's number.
    pub backup_id: i64,
    /// When it was made.
    pub time: SystemTime,
    /// The operation up to which the backup has all.
    pub lsn: i64,
    /// The size of the store that a restore makes.
    pub store_bytes: u64,
    /// What this backup added to the directory.
    pub written_bytes: u64,
    /// What is wrong with its description; `None`: nothing is. [`Client::verify_backups`] reads the rest.
    pub damage: Option<String>,
}

/// Which database of which backup becomes which database.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Restore {
    /// The backup's number.
    pub backup_id: i64,
    /// The name that the backup has.
    pub database: String,
    /// The new name.
    pub restored_as: String,
}

impl Client {
    /// The backups in the server's directory for backups, oldest first.
    pub fn backups(&self) -> Result<Vec<Backup>> {
        let backups = self.inner.call(Kind::Read, |service| service.backups())?;
        Ok(backups.into_iter().map(Backup::from).collect())
    }

    /// Deletes a backup. Parts that others need stay.
    pub fn delete_backup(&self, backup_id: i64) -> Result<()> {
        self.inner.call(Kind::Write, |service| service.delete_backup(backup_id))
    }

    /// Makes a backup of the store in the server's directory for backups, and waits for the end. It is in
    /// [`Operation::backup`]. One that was cancelled leaves nothing, and is not an error.
    pub fn backup(&self) -> Result<Operation> {
        self.wait(&self.start_backup()?)
    }

    /// Starts a backup and does not wait; see [`Client::wait`].
    pub fn start_backup(&self) -> Result<Operation> {
        self.inner.start(OperationKind::BACKUP, None, None)
    }

    /// Reads every byte of all backups and checks it, and waits for the end. What it found is in [`Operation::findings`].
    pub fn verify_backups(&self) -> Result<Operation> {
        self.wait(&self.start_verify_backups()?)
    }

    /// Starts a verification of all backups and does not wait; see [`Client::wait`].
    pub fn start_verify_backups(&self) -> Result<Operation> {
        self.inner.start(OperationKind::VERIFY_BACKUPS, None, None)
    }

    /// Puts the tables of a database, as a backup has them, into a new database, and waits for the end. There must be no
    /// database of the new name. A restore that was cancelled leaves nothing, and is not an error.
    pub fn restore(&self, backup_id: i64, database: &str, restored_as: &str) -> Result<Operation> {
        self.wait(&self.start_restore(backup_id, database, restored_as)?)
    }

    /// Starts a restore and does not wait; see [`Client::wait`].
    pub fn start_restore(&self, backup_id: i64, database: &str, restored_as: &str) -> Result<Operation> {
        let restore = kvstore::Restore::new(backup_id, database.to_string(), restored_as.to_string());
        self.inner.start(OperationKind::RESTORE, None, Some(restore))
    }
}

impl From<kvstore::Backup> for Backup {
    fn from(backup: kvstore::Backup) -> Backup {
        Backup {
            backup_id: backup.backup_id,
            time: UNIX_EPOCH + Duration::from_millis(backup.time_millis.max(0) as u64),
            lsn: backup.lsn,
            store_bytes: backup.store_bytes as u64,
            written_bytes: backup.written_bytes as u64,
            damage: backup.damage,
        }
    }
}

impl From<kvstore::Restore> for Restore {
    fn from(restore: kvstore::Restore) -> Restore {
        Restore {
            backup_id: restore.backup_id,
            database: restore.database,
            restored_as: restore.restored_as,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backup_and_a_restore_keep_each_field() {
        let backup = Backup::from(kvstore::Backup::new(1, 1_500, 7, 1 << 40, 3, "torn".to_string()));
        let expected = Backup {
            backup_id: 1,
            time: UNIX_EPOCH + Duration::from_millis(1_500),
            lsn: 7,
            store_bytes: 1 << 40,
            written_bytes: 3,
            damage: Some("torn".to_string()),
        };
        assert_eq!(backup, expected);
        let restore = Restore::from(kvstore::Restore::new(1, "d".to_string(), "e".to_string()));
        assert_eq!(
            (restore.backup_id, &restore.database[..], &restore.restored_as[..]),
            (1, "d", "e")
        );
    }
}
