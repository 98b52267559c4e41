package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"net"
	"os"
	"os/exec"
	"time"

	kvstore "kvstore.io/client"
)

// goroutines share a client whose pool is smaller than they are many.
func (r *run) goroutines(ctx context.Context, c *check) {
	client, err := kvstore.Open(r.url(r.token), kvstore.WithPool(4))
	c.must(err)
	defer client.Close()
	results := make(chan error)
	for worker := range 8 {
		table := client.Table(r.database, engines[worker%2])
		go func() { results <- work(ctx, table, worker) }()
	}
	for range 8 {
		err = errors.Join(err, <-results)
	}
	c.must(err)
}

// work puts 200 values and reads each of them back.
func work(ctx context.Context, table *kvstore.Table, worker int) error {
	for i := range 200 {
		key, value := fmt.Appendf(nil, "worker %d %d", worker, i), fmt.Appendf(nil, "%d of %d", i, worker)
		if err := table.Put(ctx, key, value); err != nil {
			return err
		}
		got, _, err := table.Get(ctx, key)
		if err != nil {
			return err
		}
		if !bytes.Equal(got, value) {
			return fmt.Errorf("%q has %q", key, got)
		}
	}
	return nil
}

// restart restarts the server in the middle of a scan of each engine, and lets a client of old connections write.
func (r *run) restart(ctx context.Context, c *check) {
	resting, err := kvstore.Open(r.url(r.token))
	c.must(err)
	defer resting.Close()
	table := resting.Table(r.database, "lsm")
	c.must(table.Put(ctx, []byte("resting"), []byte("before")))
	rested := time.After(1_100 * time.Millisecond)

	var next []func() (kvstore.Entry, error, bool)
	for _, engine := range engines {
		name := "restart_" + engine
		_, err := r.client.Table(r.database, name).Create(ctx, engine, nil)
		c.must(err)
		r.fill(ctx, c, name, entries)
		pull, stop := iter.Pull2(r.client.Table(r.database, name).Scan(ctx, kvstore.ScanOptions{PageEntries: 100}))
		defer stop()
		next = append(next, pull)
	}
	for i := range entries {
		if i == 250 {
			output, err := exec.CommandContext(ctx, "sh", "-c", os.Getenv("KVSTORE_E2E_RESTART")).CombinedOutput()
			c.that(err == nil, "the restart failed: %v: %s", err, output)
		}
		for _, pull := range next {
			entry, err, more := pull()
			c.that(more, "the scan ended after %d entries", i)
			c.must(err)
			right := bytes.Equal(entry.Key, keyOf(i)) && bytes.Equal(entry.Value, valueOf(i))
			c.that(right, "entry %d: %q %q", i, entry.Key, entry.Value)
		}
	}
	for _, pull := range next {
		_, err, more := pull()
		c.that(!more, "more than %d entries, %v", entries, err)
	}
	c.must(r.client.Table(r.database, "lsm").Put(ctx, []byte("main"), []byte("after")))
	<-rested
	c.must(table.Put(ctx, []byte("resting"), []byte("after")))
	c.holds(ctx, &table.View, []byte("resting"), []byte("after"))
}

// noConnection connects to nobody, and with URLs that are wrong.
func (r *run) noConnection(ctx context.Context, c *check) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	c.must(err)
	nobody := listener.Addr().String()
	c.must(listener.Close())
	client, err := kvstore.Open("kvstore://" + nobody)
	c.must(err)
	defer client.Close()
	began := time.Now()
	c.is(client.Ping(ctx), kvstore.ErrConnectionFailed)
	c.is(client.Table("d", "t").Put(ctx, nil, nil), kvstore.ErrConnectionFailed)
	c.that(time.Since(began) < 3*time.Second, "it took %v", time.Since(began))
	for _, wrong := range []string{"http://" + r.address, "kvstore://" + r.address + "?colour=1", r.address} {
		_, err := kvstore.Open(wrong)
		c.is(err, kvstore.ErrInvalidRequest)
	}

	closed, err := kvstore.Open(r.url(r.token))
	c.must(err)
	c.must(closed.Ping(ctx))
	c.must(closed.Close())
	c.is(closed.Ping(ctx), kvstore.ErrClosed)
}

// tokens connects without a token and with a wrong one.
func (r *run) tokens(ctx context.Context, c *check) {
	for _, token := range []string{"", "wrong-" + r.token} {
		client, err := kvstore.Open(r.url(token))
		c.must(err)
		defer client.Close()
		_, err = client.Databases(ctx)
		c.is(err, kvstore.ErrUnauthenticated)
		c.is(client.Table(r.database, "lsm").Put(ctx, nil, nil), kvstore.ErrUnauthenticated)
		_, err = client.Snapshot(ctx, 0)
		c.is(err, kvstore.ErrUnauthenticated)
	}
	open, err := kvstore.Open(r.url(""))
	c.must(err)
	defer open.Close()
	c.must(open.Ping(ctx))
}
