package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"math"
	"time"

	kvstore "kvstore.io/client"
)

// values puts, reads and removes single values of all shapes.
func (r *run) values(ctx context.Context, c *check, table *kvstore.Table) {
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	for _, pair := range [][2][]byte{
		{every, every},
		{{}, []byte("of the empty key")},
		{bytes.Repeat([]byte{255}, 65_535), []byte("of the longest key")},
		{[]byte("empty"), {}},
	} {
		key, value := pair[0], pair[1]
		c.holds(ctx, &table.View, key, nil)
		c.must(table.Put(ctx, key, value))
		c.holds(ctx, &table.View, key, value)
		there, err := table.Contains(ctx, key)
		c.must(err)
		c.that(there, "not there: %.20q", key)
		c.must(table.Put(ctx, key, []byte("another"), kvstore.Sync))
		c.holds(ctx, &table.View, key, []byte("another"))
		c.must(table.Remove(ctx, key, kvstore.Buffered))
		c.holds(ctx, &table.View, key, nil)
		c.must(table.Remove(ctx, key))
		there, err = table.Contains(ctx, key)
		c.must(err)
		c.that(!there, "there: %.20q", key)
	}
	c.must(table.Put(ctx, nil, nil))
	c.holds(ctx, &table.View, []byte{}, []byte{})
	c.must(table.Remove(ctx, nil))
	tooLong := c.is(table.Put(ctx, make([]byte, 65_536), every), kvstore.ErrTooLarge)
	c.that(tooLong.Message != "" && tooLong.Outcome == kvstore.OutcomeRejected, "%+v", tooLong)
}

// largeValues puts a value of 8 MiB and one that is too large.
func (r *run) largeValues(ctx context.Context, c *check, table *kvstore.Table) {
	key, large := []byte("large"), make([]byte, 8<<20)
	_, err := rand.Read(large)
	c.must(err)
	c.must(table.Put(ctx, key, large))
	c.holds(ctx, &table.View, key, large)
	c.is(table.Put(ctx, key, make([]byte, r.info.MaxValueBytes+1)), kvstore.ErrTooLarge)
	c.holds(ctx, &table.View, key, large)
	c.must(table.Remove(ctx, key))
}

// getAll reads several keys at once.
func (r *run) getAll(ctx context.Context, c *check, table *kvstore.Table) {
	c.must(table.Put(ctx, []byte("a"), []byte("1")))
	c.must(table.Put(ctx, []byte("b"), nil))
	values, err := table.GetAll(ctx, [][]byte{[]byte("b"), []byte("a"), []byte("none"), []byte("a")})
	c.must(err)
	c.equal("values", len(values), 4)
	c.that(values[0] != nil && len(values[0]) == 0, "empty value: %v", values[0])
	c.that(string(values[1]) == "1" && string(values[3]) == "1", "%q", values)
	c.that(values[2] == nil, "missing value: %v", values[2])
	values, err = table.GetAll(ctx, nil)
	c.must(err)
	c.equal("values of no keys", len(values), 0)
}

// conditions writes under each condition.
func (r *run) conditions(ctx context.Context, c *check, table *kvstore.Table) {
	key, one, two := []byte("condition"), []byte("1"), []byte("2")
	wants := func(want bool) func(bool, error) {
		return func(got bool, err error) {
			c.must(err)
			c.equal("condition holds", got, want)
		}
	}
	wants(false)(table.PutIf(ctx, key, one, kvstore.Exists()))
	wants(true)(table.PutIfAbsent(ctx, key, one))
	wants(false)(table.PutIfAbsent(ctx, key, two))
	c.holds(ctx, &table.View, key, one)
	wants(false)(table.Replace(ctx, key, two, one))
	wants(true)(table.Replace(ctx, key, one, two))
	c.holds(ctx, &table.View, key, two)
	wants(false)(table.RemoveValue(ctx, key, one))
	wants(true)(table.RemoveValue(ctx, key, two))
	c.holds(ctx, &table.View, key, nil)

	_, found, err := table.GetTagged(ctx, key)
	c.must(err)
	c.that(!found, "a missing value has a tag")
	wants(true)(table.PutIfAbsent(ctx, key, nil))
	wants(true)(table.Replace(ctx, key, nil, one))
	tagged, found, err := table.GetTagged(ctx, key)
	c.must(err)
	c.that(found && bytes.Equal(tagged.Value, one), "tagged: %v %+v", found, tagged)
	wants(false)(table.PutIf(ctx, key, two, kvstore.TagIs(tagged.Tag+1)))
	wants(true)(table.PutIf(ctx, key, two, kvstore.TagIs(tagged.Tag)))
	wants(false)(table.RemoveIf(ctx, key, kvstore.TagIs(tagged.Tag)))
	wants(true)(table.RemoveIf(ctx, key, kvstore.Exists()))
	c.holds(ctx, &table.View, key, nil)
}

// merges changes values by what they are, and asks for the ones before.
func (r *run) merges(ctx context.Context, c *check, table *kvstore.Table) {
	key := []byte("merge")
	sum := func(delta, want int64) {
		got, err := table.Add(ctx, key, delta)
		c.must(err)
		c.equal("sum", got, want)
	}
	sum(5, 5)
	sum(-7, -2)
	c.holds(ctx, &table.View, key, []byte("-2"))
	c.must(table.Put(ctx, key, []byte("9223372036854775807")))
	_, err := table.Add(ctx, key, 1, kvstore.Buffered)
	c.is(err, kvstore.ErrInvalidRequest)
	sum(math.MinInt64, -1)
	c.must(table.Put(ctx, key, []byte("seven")))
	_, err = table.Add(ctx, key, 1)
	c.is(err, kvstore.ErrInvalidRequest)

	length := func(want int) func(int, error) {
		return func(got int, err error) {
			c.must(err)
			c.equal("length", got, want)
		}
	}
	length(7)(table.Append(ctx, key, []byte("ty")))
	length(7)(table.Append(ctx, key, nil))
	length(7)(table.Patch(ctx, key, 0, []byte("S")))
	length(9)(table.Patch(ctx, key, 7, []byte("!!")))
	for _, offset := range []int32{-1, 10} {
		_, err = table.Patch(ctx, key, offset, []byte("x"))
		c.is(err, kvstore.ErrInvalidRequest)
	}
	_, err = table.Append(ctx, key, make([]byte, 1<<20))
	c.is(err, kvstore.ErrInvalidRequest)

	previous := func(want []byte) func([]byte, bool, error) {
		return func(got []byte, found bool, err error) {
			c.must(err)
			c.that(found == (want != nil) && bytes.Equal(got, want), "before: %v %q, not %q", found, got, want)
		}
	}
	previous([]byte("Seventy!!"))(table.GetAndPut(ctx, key, nil))
	previous([]byte{})(table.GetAndPut(ctx, key, []byte("1")))
	previous([]byte("1"))(table.GetAndRemove(ctx, key))
	previous(nil)(table.GetAndRemove(ctx, key))
	previous(nil)(table.GetAndPut(ctx, key, []byte("40")))

	list := []byte("merge list")
	_, err = r.client.Batch(r.database).
		Add(table.Name(), key, 2).
		Append(table.Name(), list, []byte("abc")).
		Patch(table.Name(), list, 1, []byte("B")).
		Write(ctx)
	c.must(err)
	c.holds(ctx, &table.View, key, []byte("42"))
	c.holds(ctx, &table.View, list, []byte("aBc"))
	_, err = r.client.Batch(r.database).Add(table.Name(), key, 1).Add(table.Name(), list, 1).Write(ctx)
	c.is(err, kvstore.ErrInvalidRequest)
	c.holds(ctx, &table.View, key, []byte("42"))
	c.must(table.Remove(ctx, key))
	c.must(table.Remove(ctx, list))
}

// batch writes two tables at once, or nothing.
func (r *run) batch(ctx context.Context, c *check, table *kvstore.Table) {
	other := r.client.Table(r.database, "other_"+table.Name())
	_, err := other.Create(ctx, table.Name(), nil)
	c.must(err)
	key, gone := []byte("batch"), []byte("gone")
	c.must(table.Put(ctx, gone, []byte("soon")))
	first, err := r.client.Batch(r.database).
		Put(table.Name(), key, []byte("1")).
		Put(other.Name(), key, nil).
		Remove(table.Name(), gone).
		Check(table.Name(), key, kvstore.Absent()).
		Check(other.Name(), key, kvstore.Absent()).
		Check(table.Name(), gone, kvstore.ValueIs([]byte("soon"))).
		Write(ctx, kvstore.Sync)
	c.must(err)
	c.holds(ctx, &table.View, key, []byte("1"))
	c.holds(ctx, &other.View, key, []byte{})
	c.holds(ctx, &table.View, gone, nil)

	batch := r.client.Batch(r.database).
		Put(other.Name(), key, []byte("2")).
		Remove(table.Name(), key).
		Check(table.Name(), key, kvstore.Exists()).
		Check(table.Name(), key, kvstore.ValueIs([]byte("wrong"))).
		Check(other.Name(), key, kvstore.Absent())
	for range 2 {
		_, err = batch.Write(ctx)
		c.equal("failed check", c.is(err, kvstore.ErrConditionFailed).FailedCheck, 1)
		c.holds(ctx, &table.View, key, []byte("1"))
		c.holds(ctx, &other.View, key, []byte{})
	}
	second, err := r.client.Batch(r.database).Remove(table.Name(), key).Remove(other.Name(), key).Write(ctx)
	c.must(err)
	c.that(second > first, "places in the log: %d, then %d", first, second)
	c.holds(ctx, &table.View, key, nil)
}

// snapshot reads an old state.
func (r *run) snapshot(ctx context.Context, c *check, table *kvstore.Table) {
	kept, added := []byte("kept"), []byte("zz added")
	c.must(table.Put(ctx, kept, []byte("old")))
	before, err := table.Count(ctx, kvstore.Range{})
	c.must(err)
	_, err = r.client.Snapshot(ctx, 5*time.Millisecond)
	c.is(err, kvstore.ErrInvalidRequest)
	snapshot, err := r.client.Snapshot(ctx, 0)
	c.must(err)
	defer snapshot.Close()
	c.equal("lease", snapshot.Lease().String(), "1m0s")
	c.must(table.Put(ctx, kept, []byte("new")))
	c.must(table.Put(ctx, added, nil))

	view := snapshot.Table(r.database, table.Name())
	c.holds(ctx, view, kept, []byte("old"))
	c.holds(ctx, view, added, nil)
	c.holds(ctx, &table.View, kept, []byte("new"))
	values, err := view.GetAll(ctx, [][]byte{kept, added})
	c.must(err)
	c.that(string(values[0]) == "old" && values[1] == nil, "%q", values)
	there, err := view.Contains(ctx, added)
	c.must(err)
	c.that(!there, "the snapshot has what came later")
	count, err := view.Count(ctx, kvstore.Range{})
	c.must(err)
	c.equal("keys", count, before)
	scanned := int64(0)
	for entry, err := range view.Scan(ctx, kvstore.ScanOptions{PageEntries: 700}) {
		c.must(err)
		c.that(!bytes.Equal(entry.Key, added), "the scan has what came later")
		c.that(!bytes.Equal(entry.Key, kept) || string(entry.Value) == "old", "the scan has the new value")
		scanned++
	}
	c.equal("scanned", fmt.Sprint(scanned), fmt.Sprint(before))

	c.must(snapshot.Close())
	c.must(snapshot.Close())
	_, _, err = view.Get(ctx, kept)
	c.is(err, kvstore.ErrSnapshotExpired)
	for _, err = range view.Scan(ctx, kvstore.ScanOptions{}) {
		break
	}
	c.is(err, kvstore.ErrSnapshotExpired)
	c.must(table.Remove(ctx, kept))
	c.must(table.Remove(ctx, added))
}
