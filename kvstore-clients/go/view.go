package kvstore

import (
	"context"

	"kvstore.io/client/kvstorethrift"
)

// View reads one table: as it is now when it is part of a [Table], as it was when it comes from a [Snapshot].
type View struct {
	calls    caller
	name     *kvstorethrift.TableName
	snapshot *int64
}

// Tagged is a value with its tag: the 64-bit hash that HTTP shows as ETag. See [TagIs].
type Tagged struct {
	Value []byte
	Tag   int64
}

// Database is the name of the table's database.
func (v *View) Database() string { return v.name.Database }

// Name is the name of the table.
func (v *View) Name() string { return v.name.Table }

func (v *View) options(tag bool) *kvstorethrift.ReadOptions {
	return &kvstorethrift.ReadOptions{SnapshotID: v.snapshot, WithTag: &tag}
}

// Get gives the value of a key and whether it has one. An empty value is a value: it is empty, not nil, and true. A key without
// a value gives nil and false.
func (v *View) Get(ctx context.Context, key []byte) ([]byte, bool, error) {
	found, err := v.get(ctx, key, false)
	if err != nil {
		return nil, false, err
	}
	return found.Value, found.IsSetValue(), nil
}

// GetTagged gives the value of a key with its tag, and whether it has one.
func (v *View) GetTagged(ctx context.Context, key []byte) (Tagged, bool, error) {
	found, err := v.get(ctx, key, true)
	if err != nil {
		return Tagged{}, false, err
	}
	return Tagged{Value: found.Value, Tag: found.GetTag()}, found.IsSetValue(), nil
}

func (v *View) get(ctx context.Context, key []byte, tag bool) (*kvstorethrift.GetResult_, error) {
	return fetch(ctx, v.calls, reading, func(ctx context.Context, calls *api) (*kvstorethrift.GetResult_, error) {
		return calls.Get(ctx, v.name, key, v.options(tag))
	})
}

// GetAll gives the values of several keys, in the order given, all as they were at one moment. The value of a key that has none
// is nil; an empty value is empty, not nil.
func (v *View) GetAll(ctx context.Context, keys [][]byte) ([][]byte, error) {
	found, err := fetch(ctx, v.calls, reading, func(ctx context.Context, calls *api) ([]*kvstorethrift.GetResult_, error) {
		return calls.MultiGet(ctx, v.name, keys, v.options(false))
	})
	if err != nil {
		return nil, err
	}
	values := make([][]byte, len(found))
	for i, one := range found {
		values[i] = one.Value
	}
	return values, nil
}

// Contains tells whether a key has a value.
func (v *View) Contains(ctx context.Context, key []byte) (bool, error) {
	return fetch(ctx, v.calls, reading, func(ctx context.Context, calls *api) (bool, error) {
		return calls.Contains(ctx, v.name, key, v.options(false))
	})
}

// Count gives the number of keys of a range; Range{} is all. It reads no values.
func (v *View) Count(ctx context.Context, keys Range) (int64, error) {
	return fetch(ctx, v.calls, reading, func(ctx context.Context, calls *api) (int64, error) {
		return calls.CountKeys(ctx, v.name, keys.toThrift(), v.options(false))
	})
}
