package kvstore

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	repetitions = 2                      // how often a call is repeated at most
	pause       = 100 * time.Millisecond // before the first repetition; the second waits twice as long
	restedAfter = time.Second            // a connection that was idle for longer is checked before a write
)

// Client is a pool of connections to one server. It is safe for several goroutines.
type Client struct {
	config *config
	pool   *pool

	mu        sync.Mutex // guards snapshots
	snapshots map[*Snapshot]struct{}
}

// Open gives a client for kvstore://[TOKEN@]HOST[:PORT], or kvstores:// for TLS, with port 9090 if none is given. Parameters of
// the URL are connect_timeout_ms, timeout_ms, pool and max_frame_bytes. A token with letters that mean something in a URL is
// escaped as usual. Open does not connect: the first call does, such as [Client.Ping].
func Open(url string, options ...Option) (*Client, error) {
	settings, err := newConfig(url, options)
	if err != nil {
		return nil, err
	}
	client := &Client{config: settings, snapshots: map[*Snapshot]struct{}{}}
	client.pool = newPool(settings.pool, client.dial)
	return client, nil
}

// Close closes the connections and the snapshots. It does not wait for calls under way: they keep their connection until then.
// For the call of a snapshot it waits as [Snapshot.Close] does. It may be called twice and always returns nil.
func (c *Client) Close() error {
	c.pool.close()
	for _, snapshot := range c.takeSnapshots() {
		_ = snapshot.Close() // always nil
	}
	return nil
}

// Ping reaches the server and comes back. It needs no token, but a client that has one uses it.
func (c *Client) Ping(ctx context.Context) error {
	return c.call(ctx, reading, ping)
}

func ping(ctx context.Context, calls *api) error {
	return calls.Ping(ctx)
}

// caller does calls on connections: the client on those of its pool, a snapshot on its own.
type caller interface {
	call(ctx context.Context, kind access, do func(context.Context, *api) error) error
}

// fetch does a call that has a result.
func fetch[T any](ctx context.Context, c caller, kind access, do func(context.Context, *api) (T, error)) (T, error) {
	var result T
	err := c.call(ctx, kind, func(ctx context.Context, calls *api) error {
		var err error
		result, err = do(ctx, calls)
		return err
	})
	return result, err
}

// call does a call within the timeout and repeats it as its kind allows.
func (c *Client) call(ctx context.Context, kind access, do func(context.Context, *api) error) error {
	return c.repeat(ctx, func(ctx context.Context, fresh bool) (bool, error) {
		conn, err := c.connect(ctx, kind, fresh)
		if err != nil {
			return false, err
		}
		defer c.pool.give(conn)
		err = conn.run(ctx, kind, do)
		return conn.broken, err
	})
}

// repeat makes attempts within the timeout until one succeeds or must not be repeated. An attempt tells whether its connection
// broke; then the next one is on a new connection.
func (c *Client) repeat(ctx context.Context, attempt func(ctx context.Context, fresh bool) (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, c.config.timeout)
	defer cancel()
	broken, err := attempt(ctx, false)
	for again := range repetitions {
		var failure *Error
		if err == nil || !errors.As(err, &failure) || !failure.repeat || !wait(ctx, pause<<again) {
			return err
		}
		broken, err = attempt(ctx, broken)
	}
	return err
}

// connect takes a connection of the pool. Before a write it pings one that rested, since nothing is sent again after that.
func (c *Client) connect(ctx context.Context, kind access, fresh bool) (*connection, error) {
	for {
		conn, err := c.pool.take(ctx, fresh)
		if err != nil || kind == reading || time.Since(conn.used) < restedAfter {
			return conn, err
		}
		limited, cancel := context.WithTimeout(ctx, c.config.connectTimeout)
		err = conn.run(limited, reading, ping)
		cancel()
		if err == nil {
			return conn, nil
		}
		c.pool.give(conn)
		if !conn.broken {
			return nil, err
		}
		fresh = true
	}
}

func (c *Client) dial(ctx context.Context) (*connection, error) {
	return dial(ctx, c.config)
}

// wait pauses, or tells that the context ends before.
func wait(ctx context.Context, duration time.Duration) bool {
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
