package kvstore

import (
	"context"
	"iter"
	"math"

	"kvstore.io/client/kvstorethrift"
)

// Range is a range of keys: all of them, those between two bounds, or those with a prefix. A bound or prefix that is nil is not
// there; one that is empty is.
type Range struct {
	Start          []byte
	StartExclusive bool // whether Start itself is left out
	Stop           []byte
	StopInclusive  bool // whether Stop itself is taken
	Prefix         []byte
}

// Prefix is the range of all keys that begin with a prefix.
func Prefix(prefix []byte) Range {
	return Range{Prefix: prefix}
}

func (r Range) toThrift() *kvstorethrift.KeyRange {
	keys := &kvstorethrift.KeyRange{StartKey: r.Start, StopKey: r.Stop, Prefix: r.Prefix}
	if r.StartExclusive {
		keys.StartExclusive = &r.StartExclusive
	}
	if r.StopInclusive {
		keys.StopInclusive = &r.StopInclusive
	}
	return keys
}

// Entry is a key with its value. The value is nil when only keys were asked for, and when it is too large for a page: then
// ValueBytes is its size, and Get gives the value.
type Entry struct {
	Key   []byte
	Value []byte
	// ValueBytes is the size of a value that was left out, and else 0.
	ValueBytes int64
}

// ScanOptions says what a scan gives. The zero ScanOptions gives all entries in the order of their keys.
type ScanOptions struct {
	Range Range
	// Reversed begins with the last key.
	Reversed bool
	KeysOnly bool
	// Limit is the most entries of the whole scan. 0: no limit. Page leaves it to its caller.
	Limit int
	// PageEntries is the most entries of a page, up to 100,000. 0: 1,000.
	PageEntries int
	// PageBytes is the most bytes of a page, which has one entry at least. 0: 1 MiB.
	PageBytes int
	// MaxValueBytes is the size over which values are left out. 0: what fits into a frame.
	MaxValueBytes int
}

// Page is a part of a scan.
type Page struct {
	Entries []Entry
	// Continuation gives the next page; nil when this was the last. It is good for any client of the server, also after a
	// restart of the server, until the table is dropped.
	Continuation []byte
}

// Scan gives the entries of a range. It fetches them page by page, each within the timeout of a call, until the loop ends. An
// error is the last thing it gives. Without a snapshot a page shows what was written meanwhile.
//
//	for entry, err := range table.Scan(ctx, kvstore.ScanOptions{Range: kvstore.Prefix([]byte("a"))}) {
//		if err != nil {
//			return err
//		}
//		fmt.Printf("%q\n", entry.Key)
//	}
func (v *View) Scan(ctx context.Context, options ScanOptions) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		var continuation []byte
		for left := options.Limit; ; {
			part := options
			if options.Limit > 0 && (options.PageEntries == 0 && left < 1_000 || left < options.PageEntries) {
				part.PageEntries = left
			}
			page, err := v.Page(ctx, part, continuation)
			if err != nil {
				yield(Entry{}, err)
				return
			}
			for _, entry := range page.Entries {
				if !yield(entry, nil) {
					return
				}
				if left--; left == 0 {
					return
				}
			}
			if continuation = page.Continuation; continuation == nil {
				return
			}
		}
	}
}

// Page gives one page of a scan: the first with a nil continuation, another with the continuation of the one before and the
// same options.
func (v *View) Page(ctx context.Context, options ScanOptions, continuation []byte) (Page, error) {
	request := &kvstorethrift.ScanRequest{
		Table:         v.name,
		Range:         options.Range.toThrift(),
		Reversed:      &options.Reversed,
		KeysOnly:      &options.KeysOnly,
		MaxEntries:    unlessZero(options.PageEntries),
		MaxBytes:      unlessZero(options.PageBytes),
		MaxValueBytes: unlessZero(options.MaxValueBytes),
		Continuation:  continuation,
		SnapshotID:    v.snapshot,
	}
	answer, err := fetch(ctx, v.calls, reading, func(ctx context.Context, calls *api) (*kvstorethrift.ScanPage, error) {
		return calls.Scan(ctx, request)
	})
	if err != nil {
		return Page{}, err
	}
	page := Page{Entries: make([]Entry, len(answer.Entries)), Continuation: answer.Continuation}
	for i, entry := range answer.Entries {
		page.Entries[i] = Entry{Key: entry.Key, Value: entry.Value, ValueBytes: entry.GetValueBytes()}
	}
	return page, nil
}

// unlessZero gives a number of the API, or none for 0. One that is too large for the API stays too large for the server.
func unlessZero(number int) *int32 {
	if number == 0 {
		return nil
	}
	limited := int32(max(math.MinInt32, min(number, math.MaxInt32)))
	return &limited
}
