package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	kvstore "kvstore.io/client"
)

const entries = 2_500

func keyOf(i int) []byte   { return fmt.Appendf(nil, "key%06d", i) }
func valueOf(i int) []byte { return fmt.Appendf(nil, "value %d", i) }

// fill puts keys with values in batches.
func (r *run) fill(ctx context.Context, c *check, table string, count int) {
	for start := 0; start < count; start += 500 {
		batch := r.client.Batch(r.database)
		for i := start; i < min(start+500, count); i++ {
			batch.Put(table, keyOf(i), valueOf(i))
		}
		_, err := batch.Write(ctx)
		c.must(err)
	}
}

// scanned gives the numbers of the keys that a range and a limit have.
func scanned(options kvstore.ScanOptions) []int {
	var numbers []int
	keys := options.Range
	for i := range entries {
		key := keyOf(i)
		afterStart, beforeStop := bytes.Compare(key, keys.Start), bytes.Compare(key, keys.Stop)
		switch {
		case keys.Start != nil && (afterStart < 0 || afterStart == 0 && keys.StartExclusive):
		case keys.Stop != nil && (beforeStop > 0 || beforeStop == 0 && !keys.StopInclusive):
		case keys.Prefix != nil && !bytes.HasPrefix(key, keys.Prefix):
		default:
			numbers = append(numbers, i)
		}
	}
	if options.Reversed {
		slices.Reverse(numbers)
	}
	if options.Limit > 0 {
		numbers = numbers[:min(options.Limit, len(numbers))]
	}
	return numbers
}

func ranges() []kvstore.Range {
	return []kvstore.Range{
		{},
		{Start: keyOf(20), Stop: keyOf(1_300)},
		{Start: keyOf(20), StartExclusive: true, Stop: keyOf(1_300), StopInclusive: true},
		{Start: keyOf(2_400)},
		{Stop: keyOf(11), StopInclusive: true},
		{Start: []byte{}, Stop: []byte("key0000015")},
		kvstore.Prefix([]byte("key0001")),
		kvstore.Prefix(nil),
		kvstore.Prefix([]byte("none")),
		{Start: keyOf(30), Stop: keyOf(20)},
	}
}

// scan goes over ranges in both directions and with pages of several sizes.
func (r *run) scan(ctx context.Context, c *check, table *kvstore.Table) {
	c.must(table.Truncate(ctx))
	r.fill(ctx, c, table.Name(), entries)
	for i, keys := range ranges() {
		for _, page := range []int{0, 7} {
			for _, reversed := range []bool{false, true} {
				r.scanOnce(ctx, c, table, kvstore.ScanOptions{Range: keys, Reversed: reversed, PageEntries: page, KeysOnly: i%2 == 1})
				r.scanOnce(ctx, c, table, kvstore.ScanOptions{Range: keys, Reversed: reversed, PageEntries: page, Limit: 16})
			}
		}
	}
	r.scanOnce(ctx, c, table, kvstore.ScanOptions{Limit: 2_001})
	r.scanOnce(ctx, c, table, kvstore.ScanOptions{PageBytes: 500})

	_, err := table.Page(ctx, kvstore.ScanOptions{}, []byte("garbage"))
	c.equal("code", c.is(err, kvstore.ErrInvalidRequest).Code, kvstore.CodeContinuationInvalid)
	for _, wrong := range []int{-1, 100_001} {
		_, err = table.Page(ctx, kvstore.ScanOptions{PageEntries: wrong}, nil)
		c.is(err, kvstore.ErrInvalidRequest)
	}
	r.scanLarge(ctx, c, table)
}

func (r *run) scanOnce(ctx context.Context, c *check, table *kvstore.Table, options kvstore.ScanOptions) {
	want := scanned(options)
	got := 0
	for entry, err := range table.Scan(ctx, options) {
		c.must(err)
		c.that(got < len(want), "more than %d entries of %+v", len(want), options)
		value := valueOf(want[got])
		if options.KeysOnly {
			value = nil
		}
		right := bytes.Equal(entry.Key, keyOf(want[got])) && bytes.Equal(entry.Value, value)
		c.that(right && entry.ValueBytes == 0, "entry %d of %+v: %q %q", got, options, entry.Key, entry.Value)
		got++
	}
	c.equal(fmt.Sprintf("entries of %+v", options), got, len(want))
}

// scanLarge meets a value that is left out and goes on.
func (r *run) scanLarge(ctx context.Context, c *check, table *kvstore.Table) {
	key, large := append(keyOf(1_200), 'x'), make([]byte, 5_000)
	c.must(table.Put(ctx, key, large))
	got := 0
	for entry, err := range table.Scan(ctx, kvstore.ScanOptions{PageEntries: 7, MaxValueBytes: 4_999}) {
		c.must(err)
		if bytes.Equal(entry.Key, key) {
			c.that(entry.Value == nil, "the value was not left out")
			c.equal("value bytes", entry.ValueBytes, int64(5_000))
			c.holds(ctx, &table.View, entry.Key, large)
		} else {
			c.that(entry.Value != nil && entry.ValueBytes == 0, "%q: %+v", entry.Key, entry)
		}
		got++
	}
	c.equal("entries with a large one", got, entries+1)
	c.must(table.Remove(ctx, key))
}

// count counts ranges of what the scan left.
func (r *run) count(ctx context.Context, c *check, table *kvstore.Table) {
	for _, keys := range ranges() {
		count, err := table.Count(ctx, keys)
		c.must(err)
		c.equal(fmt.Sprintf("keys of %+v", keys), count, int64(len(scanned(kvstore.ScanOptions{Range: keys}))))
	}
}

// ownOrder scans a table without an order of keys: each key comes once, and ranges are refused.
func (r *run) ownOrder(ctx context.Context, c *check) {
	const count = 500
	table := r.client.Table(r.database, "own_order")
	made, err := table.Create(ctx, "hash", nil)
	c.must(err)
	c.equal("ordered", made.Ordered, false)
	r.fill(ctx, c, table.Name(), count)
	var keys [][]byte
	for entry, err := range table.Scan(ctx, kvstore.ScanOptions{PageEntries: 7}) {
		c.must(err)
		keys = append(keys, entry.Key)
	}
	c.equal("entries", len(keys), count)
	slices.SortFunc(keys, bytes.Compare)
	for i, key := range keys {
		c.that(bytes.Equal(key, keyOf(i)), "%q is not key %d", key, i)
	}
	total, err := table.Count(ctx, kvstore.Range{})
	c.must(err)
	c.equal("count", total, int64(count))
	for _, refused := range []kvstore.ScanOptions{
		{Range: kvstore.Range{Prefix: []byte("k")}},
		{Range: kvstore.Range{Start: []byte("a"), Stop: []byte("z")}},
		{Reversed: true},
	} {
		for _, err := range table.Scan(ctx, refused) {
			c.equal("code", c.is(err, kvstore.ErrInvalidRequest).Code, kvstore.CodeInvalidRequest)
		}
	}
	_, err = table.Count(ctx, kvstore.Range{Prefix: []byte("k")})
	c.is(err, kvstore.ErrInvalidRequest)
}
