// Package kvstore is the client of KVStore, a key-value server with a Thrift API.
//
// A [Client] is opened by URL and is safe for several goroutines. A [Table] is a handle on one table; it costs nothing and
// does not connect. Keys and values are bytes.
//
//	client, err := kvstore.Open("kvstore://localhost:9090")
//	if err != nil {
//		return err
//	}
//	defer client.Close()
//	carts := client.Table("shop", "carts")
//	err = carts.Put(ctx, []byte("42"), []byte("apples"))
//	value, found, err := carts.Get(ctx, []byte("42"))
//
// A missing value is not an empty one: see [View.Get] and [View.GetAll].
//
// # Time
//
// Each call ends at the deadline of its context or after the timeout of the client (30 s, see [WithTimeout]), whichever is
// sooner. Waiting for a connection, connecting and repeating a call are part of that time. A call whose context is cancelled
// ends at once; its connection is closed.
//
// # Errors
//
// Every error of this package is an [*Error]. [errors.Is] compares it with [ErrNotFound] and the other kinds, [errors.As] gives
// its fields. An error whose reason is a context also is [context.Canceled] or [context.DeadlineExceeded].
//
// # Repeated calls
//
// A read is tried again after a broken connection, twice at most, and a write only if nothing of it was sent. Both are tried
// again if the server answered that it did nothing and that the call can be repeated. A write that was sent and has no answer
// ends with [ErrOutcomeUnknown].
package kvstore

// Version is the version of this client.
const Version = "0.1.0"
