package kvstore

import (
	"context"

	"kvstore.io/client/kvstorethrift"
)

// ServerInfo describes a server and its limits.
type ServerInfo struct {
	Version string
	Engines []string
	// Durability is "sync" or "buffered".
	Durability    string
	MaxKeyBytes   int
	MaxValueBytes int64
	MaxFrameBytes int
	// MaxItems limits the mutations of a batch, the checks of a batch and the keys of a GetAll.
	MaxItems int
}

// TableInfo describes a table.
type TableInfo struct {
	Database string
	Table    string
	ID       int32
	// Engine is "bplus", "hash" or "lsm".
	Engine string
	// Ordered tells whether the table keeps its entries in the order of keys. Any other table has an order of its own: it
	// refuses a Range with bounds or a prefix, and reversed scans.
	Ordered bool
	// Options are all parameters with their values.
	Options map[string]string
}

// Stats are figures by their place, such as "engine.height". Which there are may change between versions.
type Stats struct {
	Numbers map[string]float64
	Texts   map[string]string
}

// ServerInfo describes the server.
func (c *Client) ServerInfo(ctx context.Context) (ServerInfo, error) {
	info, err := fetch(ctx, c, reading, func(ctx context.Context, calls *api) (*kvstorethrift.ServerInfo, error) {
		return calls.ServerInfo(ctx)
	})
	if err != nil {
		return ServerInfo{}, err
	}
	return ServerInfo{
		Version:       info.Version,
		Engines:       info.Engines,
		Durability:    info.Durability,
		MaxKeyBytes:   int(info.MaxKeyBytes),
		MaxValueBytes: info.MaxValueBytes,
		MaxFrameBytes: int(info.MaxFrameBytes),
		MaxItems:      int(info.MaxItems),
	}, nil
}

// Databases gives the names of all databases, sorted.
func (c *Client) Databases(ctx context.Context) ([]string, error) {
	return fetch(ctx, c, reading, func(ctx context.Context, calls *api) ([]string, error) { return calls.Databases(ctx) })
}

// CreateDatabase tells whether the database is new; false when it was there.
func (c *Client) CreateDatabase(ctx context.Context, database string) (bool, error) {
	return fetch(ctx, c, writing, func(ctx context.Context, calls *api) (bool, error) {
		return calls.CreateDatabase(ctx, database)
	})
}

// DropDatabase drops a database. It is refused while the database has tables.
func (c *Client) DropDatabase(ctx context.Context, database string) error {
	return c.call(ctx, writing, func(ctx context.Context, calls *api) error { return calls.DropDatabase(ctx, database) })
}

// Tables gives the names of the tables of a database, sorted.
func (c *Client) Tables(ctx context.Context, database string) ([]string, error) {
	return fetch(ctx, c, reading, func(ctx context.Context, calls *api) ([]string, error) {
		return calls.Tables(ctx, database)
	})
}

// Stats gives the figures of the whole store.
func (c *Client) Stats(ctx context.Context) (Stats, error) {
	return toStats(fetch(ctx, c, reading, func(ctx context.Context, calls *api) (*kvstorethrift.Stats, error) {
		return calls.StoreStats(ctx)
	}))
}

// Create creates the table, or describes it when it is there with this engine and each option given; else the error is
// ErrAlreadyExists. The engine is "bplus", "hash" or "lsm"; options are those of the engine, such as MEM_CACHE_SIZE, or of
// any table, such as DURABILITY.
func (t *Table) Create(ctx context.Context, engine string, options map[string]string) (TableInfo, error) {
	return toTableInfo(fetch(ctx, t.calls, writing, func(ctx context.Context, calls *api) (*kvstorethrift.TableInfo, error) {
		return calls.CreateTable(ctx, t.name, engine, options)
	}))
}

// Describe gives the table's engine and options.
func (t *Table) Describe(ctx context.Context) (TableInfo, error) {
	return toTableInfo(fetch(ctx, t.calls, reading, func(ctx context.Context, calls *api) (*kvstorethrift.TableInfo, error) {
		return calls.DescribeTable(ctx, t.name)
	}))
}

// Drop removes the table and its data.
func (t *Table) Drop(ctx context.Context) error {
	return t.calls.call(ctx, writing, func(ctx context.Context, calls *api) error { return calls.DropTable(ctx, t.name) })
}

// Truncate removes the table's data.
func (t *Table) Truncate(ctx context.Context) error {
	return t.calls.call(ctx, writing, func(ctx context.Context, calls *api) error { return calls.TruncateTable(ctx, t.name) })
}

// Rename gives the table another name in its database, and gives the handle of the new name. A handle is a name: from then on
// this one and others of the old name find no table, or another one that was given the name since.
func (t *Table) Rename(ctx context.Context, name string) (*Table, error) {
	info, err := toTableInfo(fetch(ctx, t.calls, writing, func(ctx context.Context, calls *api) (*kvstorethrift.TableInfo, error) {
		return calls.RenameTable(ctx, t.name, name)
	}))
	if err != nil {
		return nil, err
	}
	return t.client.Table(info.Database, info.Table), nil
}

// Alter gives options other values, at once and for good, and describes the table with them. An option that a table has for
// life is an ErrInvalidRequest.
func (t *Table) Alter(ctx context.Context, options map[string]string) (TableInfo, error) {
	return toTableInfo(fetch(ctx, t.calls, writing, func(ctx context.Context, calls *api) (*kvstorethrift.TableInfo, error) {
		return calls.AlterTable(ctx, t.name, options)
	}))
}

// Stats gives the figures of the table.
func (t *Table) Stats(ctx context.Context) (Stats, error) {
	return toStats(fetch(ctx, t.calls, reading, func(ctx context.Context, calls *api) (*kvstorethrift.Stats, error) {
		return calls.TableStats(ctx, t.name)
	}))
}

func toStats(stats *kvstorethrift.Stats, err error) (Stats, error) {
	if err != nil {
		return Stats{}, err
	}
	return Stats{Numbers: stats.Numbers, Texts: stats.Texts}, nil
}

// toTableInfo takes a table for ordered if the server is of a version that does not say.
func toTableInfo(info *kvstorethrift.TableInfo, err error) (TableInfo, error) {
	if err != nil {
		return TableInfo{}, err
	}
	return TableInfo{
		Database: info.Database,
		Table:    info.Table,
		ID:       info.TableID,
		Engine:   info.Engine,
		Ordered:  !info.IsSetOrdered() || info.GetOrdered(),
		Options:  info.Options,
	}, nil
}
