package main

import (
	"context"
	"slices"
	"time"

	kvstore "kvstore.io/client"
)

// definitions creates the database with a table of each engine.
func (r *run) definitions(ctx context.Context, c *check) {
	c.must(r.client.Ping(ctx))
	var err error
	r.info, err = r.client.ServerInfo(ctx)
	c.must(err)
	c.that(r.info.Version != "" && r.info.MaxKeyBytes == 65_535 && r.info.MaxItems > 0, "server info: %+v", r.info)
	c.that(r.info.MaxValueBytes > 0 && r.info.MaxFrameBytes > 0, "server info: %+v", r.info)

	for _, want := range []bool{true, false} {
		created, err := r.client.CreateDatabase(ctx, r.database)
		c.must(err)
		c.equal("database is new", created, want)
	}
	c.that(contains(r.info.Engines, "hash"), "engines: %v", r.info.Engines)
	for _, engine := range engines {
		c.that(contains(r.info.Engines, engine), "engines: %v", r.info.Engines)
		table := r.client.Table(r.database, engine)
		first, err := table.Create(ctx, engine, nil)
		c.must(err)
		again, err := table.Create(ctx, engine, nil)
		c.must(err)
		described, err := table.Describe(ctx)
		c.must(err)
		for _, info := range []kvstore.TableInfo{first, again, described} {
			c.equal("database", info.Database, r.database)
			c.equal("table", info.Table, engine)
			c.equal("engine", info.Engine, engine)
			c.equal("ordered", info.Ordered, true)
			c.equal("id", info.ID, first.ID)
			c.that(len(info.Options) > 0, "no options: %+v", info)
		}
	}
	_, err = r.client.Table(r.database, "bplus").Create(ctx, "lsm", nil)
	c.equal("code", c.is(err, kvstore.ErrAlreadyExists).Code, kvstore.CodeDefinitionDiffers)

	databases, err := r.client.Databases(ctx)
	c.must(err)
	c.that(contains(databases, r.database) && slices.IsSorted(databases), "databases: %v", databases)
	tables, err := r.client.Tables(ctx, r.database)
	c.must(err)
	c.that(slices.Equal(tables, engines), "tables: %v", tables)
}

// operations asks for figures and runs each kind of job.
func (r *run) operations(ctx context.Context, c *check) {
	store, err := r.client.Stats(ctx)
	c.must(err)
	c.that(len(store.Numbers) > 0, "no figures of the store")
	for _, engine := range engines {
		table := r.client.Table(r.database, engine)
		stats, err := table.Stats(ctx)
		c.must(err)
		c.that(len(stats.Numbers) > 0, "no figures of the table")
		for kind, job := range map[kvstore.OperationKind]func(context.Context) (kvstore.Operation, error){
			kvstore.KindFlush: table.Flush, kvstore.KindOptimize: table.Optimize, kvstore.KindVerify: table.Verify,
		} {
			done, err := job(ctx)
			c.must(err)
			c.that(done.State == kvstore.StateDone && done.Kind == kind, "%v of %s: %+v", kind, engine, done)
			c.that(done.Table == engine && done.Database == r.database, "%v of %s: %+v", kind, engine, done)
			c.that(done.FindingsTotal == 0 && len(done.Findings) == 0, "%v of %s: %+v", kind, engine, done)
		}
	}
	checkpoint, err := r.client.Checkpoint(ctx)
	c.must(err)
	c.that(checkpoint.State == kvstore.StateDone && checkpoint.Kind == kvstore.KindCheckpoint, "%+v", checkpoint)

	started, err := r.client.Table(r.database, "lsm").Start(ctx, kvstore.KindFlush)
	c.must(err)
	ended, err := r.client.Await(ctx, started.ID)
	c.must(err)
	c.that(ended.ID == started.ID && ended.State == kvstore.StateDone, "%+v", ended)
	all, err := r.client.Operations(ctx)
	c.must(err)
	c.that(slices.ContainsFunc(all, func(o kvstore.Operation) bool { return o.ID == started.ID }), "not among %v", all)
	_, err = r.client.Operation(ctx, 1<<60)
	c.equal("code", c.is(err, kvstore.ErrNotFound).Code, kvstore.CodeNotFound)
	_, err = r.client.Table(r.database, "none").Verify(ctx)
	c.is(err, kvstore.ErrNotFound)
}

// rename renames a table with a snapshot open, and gives its first name to another one.
func (r *run) rename(ctx context.Context, c *check, other *kvstore.Table) {
	engine := other.Name()
	table := r.client.Table(r.database, "named_"+engine)
	before, err := table.Create(ctx, engine, nil)
	c.must(err)
	c.must(table.Put(ctx, []byte("k"), []byte("v")))
	snapshot, err := r.client.Snapshot(ctx, 0)
	c.must(err)
	defer snapshot.Close()
	c.must(table.Put(ctx, []byte("k"), []byte("w")))
	_, err = table.Rename(ctx, engine)
	c.equal("code", c.is(err, kvstore.ErrAlreadyExists).Code, kvstore.CodeAlreadyExists)
	_, err = table.Rename(ctx, "not a name")
	c.is(err, kvstore.ErrInvalidRequest)

	renamed, err := table.Rename(ctx, "renamed_"+engine)
	c.must(err)
	c.equal("name", renamed.Name(), "renamed_"+engine)
	c.holds(ctx, &renamed.View, []byte("k"), []byte("w"))
	c.holds(ctx, snapshot.Table(r.database, renamed.Name()), []byte("k"), []byte("v"))
	after, err := renamed.Describe(ctx)
	c.must(err)
	c.that(after.Table == renamed.Name() && after.Engine == engine && after.ID == before.ID, "%+v after %+v", after, before)
	names, err := r.client.Tables(ctx, r.database)
	c.must(err)
	c.that(contains(names, renamed.Name()) && !contains(names, table.Name()), "tables: %v", names)
	_, _, err = table.Get(ctx, []byte("k"))
	c.equal("code", c.is(err, kvstore.ErrNotFound).Code, kvstore.CodeTableNotFound)
	_, err = table.Rename(ctx, "again_"+engine)
	c.is(err, kvstore.ErrNotFound)

	_, err = table.Create(ctx, engine, nil)
	c.must(err)
	c.holds(ctx, &table.View, []byte("k"), nil)
	c.holds(ctx, &renamed.View, []byte("k"), []byte("w"))
	c.must(table.Drop(ctx))
	c.must(renamed.Drop(ctx))
}

// alter gives options other values, which count at once.
func (r *run) alter(ctx context.Context, c *check, other *kvstore.Table) {
	engine := other.Name()
	table := r.client.Table(r.database, "altered_"+engine)
	before, err := table.Create(ctx, engine, map[string]string{"DURABILITY": "SYNC"})
	c.must(err)
	for _, limit := range []string{"10", "11"} {
		info, err := table.Alter(ctx, map[string]string{"DURABILITY": "BUFFERED", "MAX_VALUE_BYTES": limit})
		c.must(err)
		described, err := table.Describe(ctx)
		c.must(err)
		for _, info := range []kvstore.TableInfo{info, described} {
			c.equal("MAX_VALUE_BYTES", info.Options["MAX_VALUE_BYTES"], limit)
			c.equal("DURABILITY", info.Options["DURABILITY"], "BUFFERED")
			c.that(info.ID == before.ID && len(info.Options) == len(before.Options), "%+v after %+v", info, before)
		}
		if err = table.Put(ctx, []byte("k"), make([]byte, 11)); limit == "10" {
			c.is(err, kvstore.ErrTooLarge)
			c.must(table.Put(ctx, []byte("k"), make([]byte, 10)))
		} else {
			c.must(err)
		}
	}
	forLife := map[string]string{"bplus": "BTREE_ORDER", "lsm": "SPARSE_INDEX_SIZE"}[engine]
	for _, wrong := range []map[string]string{
		{forLife: "77"}, {"DURABILITY": "SYNC", "NO_SUCH_OPTION": "1"}, {"DURABILITY": "NEVER"},
	} {
		_, err = table.Alter(ctx, wrong)
		c.is(err, kvstore.ErrInvalidRequest)
	}
	described, err := table.Describe(ctx)
	c.must(err)
	c.equal("DURABILITY", described.Options["DURABILITY"], "BUFFERED")
	c.equal(forLife, described.Options[forLife], before.Options[forLife])
	_, err = r.client.Table(r.database, "none").Alter(ctx, map[string]string{"DURABILITY": "SYNC"})
	c.is(err, kvstore.ErrNotFound)
	c.must(table.Drop(ctx))
}

// errors provokes errors of names and definitions.
func (r *run) errors(ctx context.Context, c *check) {
	_, _, err := r.client.Table("e2e_go_none", "t").Get(ctx, nil)
	c.equal("code", c.is(err, kvstore.ErrNotFound).Code, kvstore.CodeDatabaseNotFound)
	_, _, err = r.client.Table(r.database, "none").Get(ctx, nil)
	c.equal("code", c.is(err, kvstore.ErrNotFound).Code, kvstore.CodeTableNotFound)
	_, err = r.client.Tables(ctx, "e2e_go_none")
	c.is(err, kvstore.ErrNotFound)
	_, err = r.client.CreateDatabase(ctx, "not a name")
	c.is(err, kvstore.ErrInvalidRequest)
	_, err = r.client.Table(r.database, "x/y").Create(ctx, "lsm", nil)
	c.is(err, kvstore.ErrInvalidRequest)
	_, err = r.client.Table(r.database, "x").Create(ctx, "paper", nil)
	c.is(err, kvstore.ErrInvalidRequest)
	_, err = r.client.Table(r.database, "x").Create(ctx, "lsm", map[string]string{"NO_SUCH_OPTION": "1"})
	c.is(err, kvstore.ErrInvalidRequest)
	err = r.client.DropDatabase(ctx, r.database)
	c.equal("code", c.is(err, err).Code, kvstore.CodeDatabaseNotEmpty)
	for _, engine := range engines {
		r.dropDuringScan(ctx, c, engine)
	}
}

// dropDuringScan drops a table after the first page of a scan, and once more with creating it again.
func (r *run) dropDuringScan(ctx context.Context, c *check, engine string) {
	table := r.client.Table(r.database, "dropped_"+engine)
	for _, again := range []bool{false, true} {
		_, err := table.Create(ctx, engine, nil)
		c.must(err)
		r.fill(ctx, c, table.Name(), 50)
		c.must(table.Truncate(ctx))
		left, err := table.Count(ctx, kvstore.Range{})
		c.must(err)
		c.equal("keys after truncate", left, int64(0))
		r.fill(ctx, c, table.Name(), 50)
		seen := 0
		for _, err = range table.Scan(ctx, kvstore.ScanOptions{PageEntries: 7}) {
			if err != nil {
				break
			}
			if seen++; seen == 7 {
				c.must(table.Drop(ctx))
				if again {
					_, created := table.Create(ctx, engine, nil)
					c.must(created)
				}
			}
		}
		c.equal("entries before the drop", seen, 7)
		c.is(err, kvstore.ErrTableDropped)
	}
}

// contexts ends calls by their context.
func (r *run) contexts(ctx context.Context, c *check) {
	table := r.client.Table(r.database, "lsm")
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	_, _, err := table.Get(cancelled, nil)
	c.is(err, context.Canceled)
	late, cancel := context.WithDeadline(ctx, time.Now().Add(-time.Second))
	defer cancel()
	c.is(table.Put(late, []byte("late"), nil), context.DeadlineExceeded)
	c.holds(ctx, &table.View, []byte("late"), nil)
}
