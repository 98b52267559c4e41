package kvstore

import (
	"context"
	"slices"

	"kvstore.io/client/kvstorethrift"
)

// Condition is what must hold for a write. [Absent], [Exists], [TagIs] and [ValueIs] give one; the zero Condition is refused by
// the server.
type Condition struct {
	kind  kvstorethrift.ConditionKind
	tag   *int64
	value []byte
}

// Absent holds when the key has no value.
func Absent() Condition {
	return Condition{kind: kvstorethrift.ConditionKind_ABSENT}
}

// Exists holds when the key has a value.
func Exists() Condition {
	return Condition{kind: kvstorethrift.ConditionKind_EXISTS}
}

// TagIs holds when the key's value has the tag, see [View.GetTagged].
func TagIs(tag int64) Condition {
	return Condition{kind: kvstorethrift.ConditionKind_TAG_IS, tag: &tag}
}

// ValueIs holds when the key's value has exactly these bytes. nil is the empty value.
func ValueIs(value []byte) Condition {
	return Condition{kind: kvstorethrift.ConditionKind_VALUE_IS, value: present(value)}
}

func (c Condition) toThrift() *kvstorethrift.Condition {
	return &kvstorethrift.Condition{Kind: c.kind, Tag: c.tag, Value: c.value}
}

// present gives bytes that are there for Thrift, for which nil is absent.
func present(bytes []byte) []byte {
	if bytes == nil {
		return []byte{}
	}
	return bytes
}

// Batch collects changes of the tables of one database that are applied together or not at all, in the order given, if every
// check holds before all of them. It keeps the slices given to it. It is for one goroutine.
type Batch struct {
	client    *Client
	database  string
	table     string // the one of the first change or check
	mutations []*kvstorethrift.Mutation
	checks    []*kvstorethrift.Check
}

// Batch begins a batch for the tables of a database.
func (c *Client) Batch(database string) *Batch {
	return &Batch{client: c, database: database, mutations: []*kvstorethrift.Mutation{}}
}

// Put adds a put and returns the batch. A nil value is the empty one.
func (b *Batch) Put(table string, key, value []byte) *Batch {
	mutation := &kvstorethrift.Mutation{Key: key, Value: present(value), Table: b.other(table)}
	b.mutations = append(b.mutations, mutation)
	return b
}

// Remove adds a removal and returns the batch.
func (b *Batch) Remove(table string, key []byte) *Batch {
	b.mutations = append(b.mutations, &kvstorethrift.Mutation{Key: key, Table: b.other(table)})
	return b
}

// Add adds an addition to a number, as [Table.Add] does it, and returns the batch.
func (b *Batch) Add(table string, key []byte, delta int64) *Batch {
	return b.merge(table, key, &kvstorethrift.Merge{Add: &delta})
}

// Append adds bytes to be appended to a value, as [Table.Append] does it, and returns the batch.
func (b *Batch) Append(table string, key, suffix []byte) *Batch {
	return b.merge(table, key, &kvstorethrift.Merge{Append: present(suffix)})
}

// Patch adds a part of a value to be overwritten, as [Table.Patch] does it, and returns the batch.
func (b *Batch) Patch(table string, key []byte, offset int32, part []byte) *Batch {
	return b.merge(table, key, &kvstorethrift.Merge{Patch: &kvstorethrift.Patch{Offset: offset, Part: present(part)}})
}

func (b *Batch) merge(table string, key []byte, merge *kvstorethrift.Merge) *Batch {
	b.mutations = append(b.mutations, &kvstorethrift.Mutation{Key: key, Merge: merge, Table: b.other(table)})
	return b
}

// Check adds a condition on a key and returns the batch.
func (b *Batch) Check(table string, key []byte, condition Condition) *Batch {
	check := &kvstorethrift.Check{Key: key, Condition: condition.toThrift(), Table: b.other(table)}
	b.checks = append(b.checks, check)
	return b
}

// Write applies the batch and gives its place in the store's log, which grows with each batch. When a check does not hold the
// error is ErrConditionFailed, with the place of the check. The batch is as it was and can be written again. An empty batch is
// an ErrInvalidRequest.
func (b *Batch) Write(ctx context.Context, options ...WriteOption) (int64, error) {
	if len(b.mutations)+len(b.checks) == 0 {
		return 0, invalid("the batch is empty")
	}
	batch := &kvstorethrift.Batch{
		Table:     &kvstorethrift.TableName{Database: b.database, Table: b.table},
		Mutations: b.mutations,
		Checks:    b.checks,
	}
	// A server without merges would take one for a removal. It does not know the method.
	merges := slices.ContainsFunc(b.mutations, (*kvstorethrift.Mutation).IsSetMerge)
	return fetch(ctx, b.client, writing, func(ctx context.Context, calls *api) (int64, error) {
		if merges {
			return calls.WriteMerges(ctx, batch, writeOptions(options))
		}
		return calls.Write(ctx, batch, writeOptions(options))
	})
}

// other gives the name of a table for the API: absent for the batch's own.
func (b *Batch) other(table string) *string {
	if len(b.mutations)+len(b.checks) == 0 {
		b.table = table
	}
	if table == b.table {
		return nil
	}
	return &table
}
