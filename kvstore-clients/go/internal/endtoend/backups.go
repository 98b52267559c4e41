package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	kvstore "kvstore.io/client"
)

// backsUp tells whether the server was started with a directory for backups.
func (r *run) backsUp(ctx context.Context) bool {
	_, err := r.client.Backups(ctx)
	return !errors.Is(err, kvstore.ErrInvalidRequest)
}

// backups makes a backup, restores a table of each engine from it, and deletes it.
func (r *run) backups(ctx context.Context, c *check) {
	for _, engine := range engines {
		_, err := r.client.Table(r.database, "saved_"+engine).Create(ctx, engine, nil)
		c.must(err)
		r.fill(ctx, c, "saved_"+engine, entries)
	}
	made, err := r.client.Backup(ctx)
	c.must(err)
	c.that(made.State == kvstore.StateDone && made.Kind == kvstore.KindBackup && made.Table == "", "%+v", made)
	c.that(made.Backup != nil && made.Backup.StoreBytes > 0 && made.Backup.Damage == "", "%+v", made.Backup)
	backup := *made.Backup
	listed, err := r.client.Backups(ctx)
	c.must(err)
	c.that(slices.Contains(listed, backup), "%+v is not among %+v", backup, listed)
	verified, err := r.client.VerifyBackups(ctx)
	c.must(err)
	c.that(verified.State == kvstore.StateDone && verified.FindingsTotal == 0, "%+v", verified)

	r.restored(ctx, c, backup.ID)
	c.must(r.client.DeleteBackup(ctx, backup.ID))
	c.is(r.client.DeleteBackup(ctx, backup.ID), kvstore.ErrNotFound)
	listed, err = r.client.Backups(ctx)
	c.must(err)
	c.that(!slices.Contains(listed, backup), "%+v is there after it was deleted", backup)
	_, err = r.client.Restore(ctx, kvstore.Restore{BackupID: backup.ID, Database: r.database, RestoredAs: "e2e_go_never"})
	c.is(err, kvstore.ErrNotFound)
}

// restored restores the database under another name, as it was when the backup was made.
func (r *run) restored(ctx context.Context, c *check, backup int64) {
	for _, engine := range engines {
		c.must(r.client.Table(r.database, "saved_"+engine).Remove(ctx, keyOf(0)))
	}
	restore := kvstore.Restore{BackupID: backup, Database: r.database, RestoredAs: r.database + "_restored"}
	defer r.drop(ctx, restore.RestoredAs)
	done, err := r.client.Restore(ctx, restore)
	c.must(err)
	c.that(done.State == kvstore.StateDone && done.Kind == kvstore.KindRestore && *done.Restore == restore, "%+v", done)
	for _, engine := range engines {
		table, seen := r.client.Table(restore.RestoredAs, "saved_"+engine), 0
		info, err := table.Describe(ctx)
		c.must(err)
		c.equal("engine", info.Engine, engine)
		for entry, err := range table.Scan(ctx, kvstore.ScanOptions{}) {
			c.must(err)
			right := bytes.Equal(entry.Key, keyOf(seen)) && bytes.Equal(entry.Value, valueOf(seen))
			c.that(right, "entry %d: %q %q", seen, entry.Key, entry.Value)
			seen++
		}
		c.equal("restored entries", seen, entries)
		c.must(table.Put(ctx, keyOf(0), []byte("another")))
		c.holds(ctx, &r.client.Table(r.database, "saved_"+engine).View, keyOf(0), nil)
	}
	_, err = r.client.Restore(ctx, restore)
	c.equal("code", c.is(err, kvstore.ErrAlreadyExists).Code, kvstore.CodeAlreadyExists)
	for _, wrong := range []kvstore.Restore{
		{BackupID: backup, Database: "e2e_go_none", RestoredAs: "e2e_go_never"},
		{BackupID: 1 << 60, Database: r.database, RestoredAs: "e2e_go_never"},
	} {
		_, err = r.client.Restore(ctx, wrong)
		c.is(err, kvstore.ErrNotFound)
	}
	_, err = r.client.Restore(ctx, kvstore.Restore{BackupID: backup, Database: r.database, RestoredAs: "not a name"})
	c.is(err, kvstore.ErrInvalidRequest)
}

// drop drops a database with its tables, if it is there.
func (r *run) drop(ctx context.Context, database string) {
	tables, err := r.client.Tables(ctx, database)
	if errors.Is(err, kvstore.ErrNotFound) {
		return
	}
	for _, table := range tables {
		err = errors.Join(err, r.client.Table(database, table).Drop(ctx))
	}
	if err = errors.Join(err, r.client.DropDatabase(ctx, database)); err != nil {
		r.report(fmt.Sprintf("clean up of %s", database), err)
	}
}
