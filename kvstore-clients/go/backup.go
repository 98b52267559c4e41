package kvstore

import (
	"context"
	"time"

	"kvstore.io/client/kvstorethrift"
)

// Backup is a backup of the server's store, in the server's directory for backups.
type Backup struct {
	ID   int64
	Time time.Time
	// LSN is the operation up to which the backup has all.
	LSN int64
	// StoreBytes is the size of the store that a restore makes.
	StoreBytes int64
	// WrittenBytes is what this backup added to the directory.
	WrittenBytes int64
	// Damage tells what is wrong with the backup's description; empty: nothing is. Only [Client.VerifyBackups] reads the rest.
	Damage string
}

// Restore names which database of which backup becomes which database.
type Restore struct {
	BackupID int64
	// Database is the name that the backup has.
	Database string
	// RestoredAs is the new name. There must be no such database.
	RestoredAs string
}

// Backup makes a backup of the store in the server's directory for backups and waits for that. [Operation.Backup] is what it
// made. One that was cancelled leaves nothing, and is not an error: see State.
func (c *Client) Backup(ctx context.Context) (Operation, error) {
	return c.runToEnd(ctx, &kvstorethrift.OperationRequest{Kind: kvstorethrift.OperationKind_BACKUP})
}

// StartBackup starts a backup and does not wait. See [Client.Await].
func (c *Client) StartBackup(ctx context.Context) (Operation, error) {
	return c.start(ctx, &kvstorethrift.OperationRequest{Kind: kvstorethrift.OperationKind_BACKUP})
}

// VerifyBackups reads every byte of all backups, checks it and waits for that. Findings are not an error: see FindingsTotal.
func (c *Client) VerifyBackups(ctx context.Context) (Operation, error) {
	return c.runToEnd(ctx, &kvstorethrift.OperationRequest{Kind: kvstorethrift.OperationKind_VERIFY_BACKUPS})
}

// StartVerifyBackups starts a verification of all backups and does not wait. See [Client.Await].
func (c *Client) StartVerifyBackups(ctx context.Context) (Operation, error) {
	return c.start(ctx, &kvstorethrift.OperationRequest{Kind: kvstorethrift.OperationKind_VERIFY_BACKUPS})
}

// Restore puts the tables of a database, as a backup has them, into a new database and waits for that. One that was cancelled
// leaves nothing, and is not an error: see State.
func (c *Client) Restore(ctx context.Context, restore Restore) (Operation, error) {
	return c.runToEnd(ctx, restore.request())
}

// StartRestore starts a restore and does not wait. See [Client.Await].
func (c *Client) StartRestore(ctx context.Context, restore Restore) (Operation, error) {
	return c.start(ctx, restore.request())
}

func (r Restore) request() *kvstorethrift.OperationRequest {
	return &kvstorethrift.OperationRequest{
		Kind:    kvstorethrift.OperationKind_RESTORE,
		Restore: &kvstorethrift.Restore{BackupID: r.BackupID, Database: r.Database, RestoredAs: r.RestoredAs},
	}
}

// Backups gives the backups in the server's directory for backups, oldest first.
func (c *Client) Backups(ctx context.Context) ([]Backup, error) {
	answer, err := fetch(ctx, c, reading, func(ctx context.Context, calls *api) ([]*kvstorethrift.Backup, error) {
		return calls.Backups(ctx)
	})
	backups := make([]Backup, len(answer))
	for i, backup := range answer {
		backups[i] = toBackup(backup)
	}
	return backups, err
}

// DeleteBackup deletes a backup. Parts that others need stay.
func (c *Client) DeleteBackup(ctx context.Context, backupID int64) error {
	return c.call(ctx, writing, func(ctx context.Context, calls *api) error { return calls.DeleteBackup(ctx, backupID) })
}

func toBackup(backup *kvstorethrift.Backup) Backup {
	return Backup{
		ID:           backup.BackupID,
		Time:         time.UnixMilli(backup.TimeMillis),
		LSN:          backup.Lsn,
		StoreBytes:   backup.StoreBytes,
		WrittenBytes: backup.WrittenBytes,
		Damage:       backup.GetDamage(),
	}
}
