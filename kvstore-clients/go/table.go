package kvstore

import (
	"context"

	"kvstore.io/client/kvstorethrift"
)

// Table is a handle on one table, whether it is there or not: it is no more than the name. It is safe for several goroutines.
// The reads are those of [View].
type Table struct {
	View
	client *Client
}

// Table gives a handle on a table. It does not ask the server.
func (c *Client) Table(database, table string) *Table {
	name := &kvstorethrift.TableName{Database: database, Table: table}
	return &Table{View: View{calls: c, name: name}, client: c}
}

// WriteOption changes how a write is done. A [Durability] is one.
type WriteOption interface {
	apply(*kvstorethrift.WriteOptions)
}

// Durability is what an acknowledged write survives.
type Durability int32

const (
	// TableDefault is as the table says.
	TableDefault = Durability(kvstorethrift.Durability_TABLE_DEFAULT)
	// Sync survives a loss of power.
	Sync = Durability(kvstorethrift.Durability_SYNC)
	// Buffered survives the end of the process; a loss of power takes at most the last second.
	Buffered = Durability(kvstorethrift.Durability_BUFFERED)
)

func (d Durability) apply(options *kvstorethrift.WriteOptions) {
	options.Durability = kvstorethrift.DurabilityPtr(kvstorethrift.Durability(d))
}

func writeOptions(options []WriteOption) *kvstorethrift.WriteOptions {
	all := &kvstorethrift.WriteOptions{}
	for _, option := range options {
		option.apply(all)
	}
	return all
}

// Put puts a value. A nil value is the empty one.
func (t *Table) Put(ctx context.Context, key, value []byte, options ...WriteOption) error {
	return t.calls.call(ctx, writing, func(ctx context.Context, calls *api) error {
		return calls.Put(ctx, t.name, key, value, writeOptions(options))
	})
}

// Remove removes a key, whether it has a value or not.
func (t *Table) Remove(ctx context.Context, key []byte, options ...WriteOption) error {
	return t.calls.call(ctx, writing, func(ctx context.Context, calls *api) error {
		return calls.Remove(ctx, t.name, key, writeOptions(options))
	})
}

// PutIf puts a value if the condition holds, and tells whether it did.
func (t *Table) PutIf(ctx context.Context, key, value []byte, condition Condition, options ...WriteOption) (bool, error) {
	return fetch(ctx, t.calls, writing, func(ctx context.Context, calls *api) (bool, error) {
		return calls.PutIf(ctx, t.name, key, value, condition.toThrift(), writeOptions(options))
	})
}

// RemoveIf removes a key if the condition holds, and tells whether it did.
func (t *Table) RemoveIf(ctx context.Context, key []byte, condition Condition, options ...WriteOption) (bool, error) {
	return fetch(ctx, t.calls, writing, func(ctx context.Context, calls *api) (bool, error) {
		return calls.RemoveIf(ctx, t.name, key, condition.toThrift(), writeOptions(options))
	})
}

// PutIfAbsent puts a value if the key has none, and tells whether it did.
func (t *Table) PutIfAbsent(ctx context.Context, key, value []byte, options ...WriteOption) (bool, error) {
	return t.PutIf(ctx, key, value, Absent(), options...)
}

// Replace puts a value if the key has exactly the expected one, and tells whether it did.
func (t *Table) Replace(ctx context.Context, key, expected, value []byte, options ...WriteOption) (bool, error) {
	return t.PutIf(ctx, key, value, ValueIs(expected), options...)
}

// RemoveValue removes a key if it has exactly the expected value, and tells whether it did.
func (t *Table) RemoveValue(ctx context.Context, key, expected []byte, options ...WriteOption) (bool, error) {
	return t.RemoveIf(ctx, key, ValueIs(expected), options...)
}

// Add adds to the number that a key has and gives the sum. The value is decimal text of 64 bits, such as "-7"; a key without a
// value counts as 0. A value that is no number, and a sum beyond 64 bits, is an ErrInvalidRequest. A call that ended with
// ErrOutcomeUnknown must not simply be made again: it could add twice. The client never does that.
func (t *Table) Add(ctx context.Context, key []byte, delta int64, options ...WriteOption) (int64, error) {
	return fetch(ctx, t.calls, writing, func(ctx context.Context, calls *api) (int64, error) {
		return calls.Add(ctx, t.name, key, delta, writeOptions(options))
	})
}

// Append appends to a value, up to 1 MiB, and gives its new length. A key without a value counts as one with an empty value. A
// call that ended with ErrOutcomeUnknown must not simply be made again: it could append twice.
func (t *Table) Append(ctx context.Context, key, suffix []byte, options ...WriteOption) (int, error) {
	return t.length(ctx, func(ctx context.Context, calls *api) (int32, error) {
		return calls.Append(ctx, t.name, key, suffix, writeOptions(options))
	})
}

// Patch overwrites a part of a value and gives the value's new length. The part begins at the offset: 0 to the length of the
// present value, which grows as needed.
func (t *Table) Patch(ctx context.Context, key []byte, offset int32, part []byte, options ...WriteOption) (int, error) {
	return t.length(ctx, func(ctx context.Context, calls *api) (int32, error) {
		return calls.Patch(ctx, t.name, key, offset, part, writeOptions(options))
	})
}

func (t *Table) length(ctx context.Context, do func(context.Context, *api) (int32, error)) (int, error) {
	length, err := fetch(ctx, t.calls, writing, do)
	return int(length), err
}

// GetAndPut puts a value and gives the one before, and whether there was one. When that does not fit into an answer the error is
// ErrTooLarge, and its Outcome tells whether the value was put: it was not if it is OutcomeRejected.
func (t *Table) GetAndPut(ctx context.Context, key, value []byte, options ...WriteOption) ([]byte, bool, error) {
	return t.previous(ctx, func(ctx context.Context, calls *api) (*kvstorethrift.GetResult_, error) {
		return calls.GetAndPut(ctx, t.name, key, value, writeOptions(options))
	})
}

// GetAndRemove removes a key and gives its value, and whether it had one. It fails as [Table.GetAndPut] does.
func (t *Table) GetAndRemove(ctx context.Context, key []byte, options ...WriteOption) ([]byte, bool, error) {
	return t.previous(ctx, func(ctx context.Context, calls *api) (*kvstorethrift.GetResult_, error) {
		return calls.GetAndRemove(ctx, t.name, key, writeOptions(options))
	})
}

func (t *Table) previous(
	ctx context.Context, do func(context.Context, *api) (*kvstorethrift.GetResult_, error),
) ([]byte, bool, error) {
	found, err := fetch(ctx, t.calls, writing, do)
	if err != nil {
		return nil, false, err
	}
	return found.Value, found.IsSetValue(), nil
}
