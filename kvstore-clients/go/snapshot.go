package kvstore

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"time"

	"kvstore.io/client/kvstorethrift"
)

// Snapshot is a view of the whole store at one moment. It has a connection of its own, which is not one of the pool, and ends
// with it: after a broken connection, or a call whose time was over, it is expired. Its reads are not repeated. It is safe for
// several goroutines, whose calls wait for each other.
type Snapshot struct {
	client *Client
	id     int64
	lease  time.Duration
	turn   chan struct{} // holds one element while a call uses conn
	conn   *connection
	ended  atomic.Bool // conn must not be used any more
}

// Snapshot opens a snapshot that lives for the lease after its last use: 1 s to 1 h, 0 for 60 s. It has to be closed.
func (c *Client) Snapshot(ctx context.Context, lease time.Duration) (*Snapshot, error) {
	millis := lease.Milliseconds()
	if millis < 0 || millis > math.MaxInt32 || millis == 0 && lease != 0 {
		return nil, invalid("a lease is 1 s to 1 h long, or 0")
	}
	var snapshot *Snapshot
	err := c.repeat(ctx, func(ctx context.Context, _ bool) (bool, error) {
		var err error
		snapshot, err = c.openSnapshot(ctx, int32(millis))
		return false, err
	})
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.snapshots[snapshot] = struct{}{}
	c.mu.Unlock()
	if c.pool.isClosed() {
		_ = snapshot.Close() // always nil
		return nil, errClosed()
	}
	return snapshot, nil
}

func (c *Client) openSnapshot(ctx context.Context, leaseMillis int32) (*Snapshot, error) {
	if c.pool.isClosed() {
		return nil, errClosed()
	}
	conn, err := c.dial(ctx)
	if err != nil {
		return nil, err
	}
	var lease *kvstorethrift.SnapshotLease
	err = conn.run(ctx, reading, func(ctx context.Context, calls *api) error {
		var err error
		lease, err = calls.OpenSnapshot(ctx, leaseMillis)
		return err
	})
	if err != nil {
		conn.close()
		return nil, err
	}
	return &Snapshot{
		client: c,
		id:     lease.SnapshotID,
		lease:  time.Duration(lease.LeaseMillis) * time.Millisecond,
		turn:   make(chan struct{}, 1),
		conn:   conn,
	}, nil
}

// Lease is how long the snapshot lives after its last use.
func (s *Snapshot) Lease() time.Duration { return s.lease }

// Table gives the reads of a table as the snapshot saw it. It does not ask the server.
func (s *Snapshot) Table(database, table string) *View {
	name := &kvstorethrift.TableName{Database: database, Table: table}
	return &View{calls: s, name: name, snapshot: &s.id}
}

// Close ends the snapshot and its connection. It waits for a call under way, as long as connecting may take. It may be called
// twice and always returns nil.
func (s *Snapshot) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), s.client.config.connectTimeout)
	defer cancel()
	// The server ends a snapshot with its connection, so a call that fails changes nothing.
	_ = s.call(ctx, reading, func(ctx context.Context, calls *api) error { return calls.CloseSnapshot(ctx, s.id) })
	s.end()
	return nil
}

// call does a read on the snapshot's connection. It is never repeated: another connection has not this snapshot.
func (s *Snapshot) call(ctx context.Context, kind access, do func(context.Context, *api) error) error {
	ctx, cancel := context.WithTimeout(ctx, s.client.config.timeout)
	defer cancel()
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return notSent("the snapshot's connection did not come free", ctx.Err())
	}
	if s.ended.Load() {
		return &Error{
			Code: CodeSnapshotExpired, Message: "the snapshot was closed or its connection ended",
			Outcome: OutcomeRejected, kind: ErrSnapshotExpired,
		}
	}
	err := s.conn.run(ctx, kind, do)
	if s.conn.broken {
		s.end()
	}
	var failure *Error
	if errors.As(err, &failure) && s.conn.broken {
		failure.Retryable = false
	}
	return err
}

// end closes the connection and forgets the snapshot.
func (s *Snapshot) end() {
	if s.ended.Swap(true) {
		return
	}
	s.conn.close()
	s.client.mu.Lock()
	delete(s.client.snapshots, s)
	s.client.mu.Unlock()
}

// takeSnapshots gives the snapshots that are open.
func (c *Client) takeSnapshots() []*Snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	var open []*Snapshot
	for snapshot := range c.snapshots {
		open = append(open, snapshot)
	}
	return open
}
