package kvstore

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"
)

const short = 60 * time.Millisecond

// within fails the test when a call took longer than it may.
func within(t *testing.T, began time.Time) {
	t.Helper()
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestTheSoonerOfTimeoutAndContextEndsACall(t *testing.T) {
	for _, c := range []struct {
		name            string
		client, context time.Duration
	}{{"client", short, time.Minute}, {"context", time.Minute, short}} {
		t.Run(c.name, func(t *testing.T) {
			s := newStub(t, plain)
			client := s.client(t, WithTimeout(c.client))
			table := client.Table("d", "t")
			ctx, cancel := context.WithTimeout(t.Context(), c.context)
			defer cancel()
			began := time.Now()

			s.fail("get", hang)
			_, _, err := table.Get(ctx, key)
			expectIs(t, err, ErrConnectionFailed, context.DeadlineExceeded)
			expect(t, "gets", s.count("get"), 1)
			expect(t, "idle connections", len(client.pool.idle), 0)
			within(t, began)
		})
	}
}

func TestWriteWithoutAnswerInTimeHasAnUnknownOutcome(t *testing.T) {
	s := newStub(t, plain)
	client := s.client(t, WithTimeout(short))
	table := client.Table("d", "t")
	s.fail("put", hang)
	expectIs(t, table.Put(t.Context(), key, nil), ErrOutcomeUnknown, context.DeadlineExceeded)
	if err := table.Put(t.Context(), key, nil); err != nil {
		t.Error(err)
	}
	expect(t, "connections", s.accepted(), 2)
}

func TestCancelledContextEndsACallAtOnce(t *testing.T) {
	s := newStub(t, plain)
	client := s.client(t)
	ctx, cancel := context.WithCancel(t.Context())
	s.fail("get", func(s *stub) (bool, bool) {
		cancel()
		return hang(s)
	})
	began := time.Now()
	_, _, err := client.Table("d", "t").Get(ctx, key)
	expectIs(t, err, ErrConnectionFailed, context.Canceled)
	within(t, began)
	expect(t, "idle connections", len(client.pool.idle), 0)

	before := s.accepted()
	err = client.Table("d", "t").Put(ctx, key, nil)
	expectIs(t, err, ErrConnectionFailed, context.Canceled)
	expect(t, "connections", s.accepted(), before)
}

func TestCallWaitsForAConnectionOfThePoolAndNotForever(t *testing.T) {
	s := newStub(t, plain)
	client := s.client(t, WithPool(1))
	table := client.Table("d", "t")
	held, err := client.pool.take(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), short)
	defer cancel()
	_, _, err = table.Get(ctx, key)
	expectIs(t, err, ErrConnectionFailed, context.DeadlineExceeded)

	done := make(chan error)
	go func() { done <- table.Put(t.Context(), key, nil) }()
	client.pool.give(held)
	if err := <-done; err != nil {
		t.Error(err)
	}
	expect(t, "connections", s.accepted(), 1)
}

func TestPoolIsTheMostThereIs(t *testing.T) {
	s := newStub(t, plain)
	client := s.client(t, WithPool(3))
	var all sync.WaitGroup
	for range 12 {
		s.fail("get", slow)
		all.Add(1)
		go func() {
			defer all.Done()
			if _, _, err := client.Table("d", "t").Get(t.Context(), key); err != nil {
				t.Error(err)
			}
		}()
	}
	all.Wait()
	expect(t, "connections", s.accepted(), 3)
}

func TestClosedClientSaysSo(t *testing.T) {
	s := newStub(t, plain)
	client := s.client(t)
	if err := client.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(client.Close(), client.Close()); err != nil {
		t.Error(err)
	}
	expectIs(t, client.Ping(t.Context()), ErrConnectionFailed, ErrClosed)
	_, err := client.Snapshot(t.Context(), 0)
	expectIs(t, err, ErrConnectionFailed, ErrClosed)
	expect(t, "pings", s.count("ping"), 1)
}
