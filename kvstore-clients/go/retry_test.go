package kvstore

import (
	"context"
	"errors"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/apache/thrift/lib/go/thrift"

	"kvstore.io/client/kvstorethrift"
)

var key = []byte("key")

func expect(t *testing.T, what string, got, want int) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %d, not %d", what, got, want)
	}
}

func expectIs(t *testing.T, err error, kinds ...error) {
	t.Helper()
	var failure *Error
	if !errors.As(err, &failure) {
		t.Errorf("%v is not an *Error", err)
	}
	for _, kind := range kinds {
		if !errors.Is(err, kind) {
			t.Errorf("%v is not %v", err, kind)
		}
	}
}

func TestReadIsRepeatedTwiceOnNewConnections(t *testing.T) {
	s := newStub(t, plain)
	s.values["key"] = []byte("value")
	table := s.client(t).Table("d", "t")
	s.fail("get", drop, drop)
	if value, found, err := table.Get(t.Context(), key); err != nil || !found || string(value) != "value" {
		t.Fatalf("%q %v %v", value, found, err)
	}
	expect(t, "gets", s.count("get"), 3)
	expect(t, "connections", s.accepted(), 3)

	s.fail("get", drop, drop, drop)
	_, _, err := table.Get(t.Context(), key)
	expectIs(t, err, ErrConnectionFailed)
	expect(t, "gets", s.count("get"), 6)
}

func TestConnectionsThatAllBrokeAreReplacedAtOnce(t *testing.T) {
	s := newStub(t, plain)
	client := s.client(t, WithPool(4))
	table := client.Table("d", "t")
	for _, call := range []func() error{
		func() error {
			_, _, err := table.Get(t.Context(), key)
			return err
		},
		func() error { return table.Put(t.Context(), key, nil) },
	} {
		conns := make([]*connection, 4)
		for i := range conns {
			var err error
			if conns[i], err = client.pool.take(t.Context(), false); err != nil {
				t.Fatal(err)
			}
			if err := conns[i].run(t.Context(), reading, ping); err != nil {
				t.Fatal(err)
			}
		}
		for _, conn := range conns {
			conn.used = time.Now().Add(-2 * time.Second)
			client.pool.give(conn)
		}
		before := s.accepted()
		s.breakAll()
		if err := call(); err != nil {
			t.Error(err)
		}
		expect(t, "new connections", s.accepted()-before, 1)
		for client.pool.pop() != nil {
			continue
		}
	}
}

func TestWriteThatWasSentIsNotRepeated(t *testing.T) {
	s := newStub(t, plain)
	client := s.client(t)
	table := client.Table("d", "t")
	s.fail("put", drop)
	err := table.Put(t.Context(), key, nil)
	expectIs(t, err, ErrOutcomeUnknown)
	var failure *Error
	if errors.As(err, &failure) && (failure.Retryable || failure.Code != CodeOutcomeUnknown || failure.Outcome != OutcomeUnknown) {
		t.Errorf("%+v", failure)
	}
	expect(t, "puts", s.count("put"), 1)
	if err := table.Put(t.Context(), key, nil); err != nil {
		t.Error(err)
	}
	expect(t, "connections", s.accepted(), 2)

	s.fail("write", drop)
	_, err = client.Batch("d").Put("t", key, nil).Write(t.Context())
	expectIs(t, err, ErrOutcomeUnknown)
	expect(t, "writes", s.count("write"), 1)
}

func TestChangesOfTablesAndBackupsThatWereSentAreNotRepeated(t *testing.T) {
	s := newStub(t, plain)
	client := s.client(t)
	table := client.Table("d", "t")
	for method, call := range map[string]func() error{
		"renameTable": func() error {
			_, err := table.Rename(t.Context(), "new")
			return err
		},
		"alterTable": func() error {
			_, err := table.Alter(t.Context(), nil)
			return err
		},
		"deleteBackup": func() error { return client.DeleteBackup(t.Context(), 1) },
		"startOperation": func() error {
			_, err := client.Backup(t.Context())
			return err
		},
	} {
		s.fail(method, drop)
		expectIs(t, call(), ErrOutcomeUnknown)
		expect(t, method, s.count(method), 1)
	}
}

func TestMergesThatWereSentAreNotRepeated(t *testing.T) {
	s := newStub(t, plain)
	client := s.client(t)
	table := client.Table("d", "t")
	for method, call := range map[string]func() error{
		"add": func() error {
			_, err := table.Add(t.Context(), key, 1)
			return err
		},
		"append": func() error {
			_, err := table.Append(t.Context(), key, key)
			return err
		},
		"patch": func() error {
			_, err := table.Patch(t.Context(), key, 0, key)
			return err
		},
		"getAndPut": func() error {
			_, _, err := table.GetAndPut(t.Context(), key, key)
			return err
		},
		"getAndRemove": func() error {
			_, _, err := table.GetAndRemove(t.Context(), key)
			return err
		},
		"writeMerges": func() error {
			_, err := client.Batch("d").Add("t", key, 1).Write(t.Context())
			return err
		},
	} {
		s.fail(method, drop)
		expectIs(t, call(), ErrOutcomeUnknown)
		expect(t, method, s.count(method), 1)
	}
}

func TestWriteIsRepeatedWhenTheServerRejectedItForNow(t *testing.T) {
	for _, c := range []struct {
		name          string
		answers, puts int
		kind          error
	}{
		{"retryable", 2, 3, nil},
		{"retryable", 3, 3, ErrUnavailable},
		{"retryable unknown", 1, 1, ErrOutcomeUnknown},
		{"final", 1, 1, ErrUnavailable},
	} {
		s := newStub(t, plain)
		table := s.client(t).Table("d", "t")
		for range c.answers {
			s.fail("put answer", drop)
		}
		err := table.Put(t.Context(), []byte(c.name), []byte("18"))
		if c.kind == nil && err != nil || !errors.Is(err, c.kind) {
			t.Errorf("%s: %v", c.name, err)
		}
		expect(t, c.name+": puts", s.count("put"), c.puts)
		expect(t, c.name+": connections", s.accepted(), 1)
	}
}

// A server that is stopping ends the connection behind its answer. A call on that connection would have an unknown outcome.
func TestConnectionOfAServerThatStopsIsNotUsedAgain(t *testing.T) {
	s := newStub(t, plain)
	table := s.client(t).Table("d", "t")
	s.fail("put answer", drop)
	if err := table.Put(t.Context(), []byte("retryable"), []byte("21")); err != nil {
		t.Error(err)
	}
	expect(t, "puts", s.count("put"), 2)
	expect(t, "connections", s.accepted(), 2)
}

func TestConnectionThatRestedIsPingedBeforeAWrite(t *testing.T) {
	s := newStub(t, plain)
	client := s.client(t)
	table := client.Table("d", "t")
	put := func() error { return table.Put(t.Context(), key, []byte("v")) }
	if err := put(); err != nil {
		t.Fatal(err)
	}
	if err := put(); err != nil {
		t.Fatal(err)
	}
	expect(t, "pings", s.count("ping"), 0)

	client.pool.idle[0].used = time.Now().Add(-2 * time.Second)
	if _, _, err := table.Get(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	expect(t, "pings", s.count("ping"), 0)

	client.pool.idle[0].used = time.Now().Add(-2 * time.Second)
	if err := put(); err != nil {
		t.Fatal(err)
	}
	expect(t, "pings", s.count("ping"), 1)

	client.pool.idle[0].used = time.Now().Add(-2 * time.Second)
	s.breakAll()
	if err := put(); err != nil {
		t.Fatal(err)
	}
	expect(t, "puts", s.count("put"), 4)
	expect(t, "connections", s.accepted(), 2)
}

func TestNobodyListens(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	client, err := Open("kvstore://" + address)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	err = client.Table("d", "t").Put(t.Context(), key, nil)
	expectIs(t, err, ErrConnectionFailed, syscall.ECONNREFUSED)
	var failure *Error
	if errors.As(err, &failure) && (failure.Outcome != OutcomeRejected || !failure.Retryable) {
		t.Errorf("%+v", failure)
	}
}

func TestFramesAreAsLargeAsTheServers(t *testing.T) {
	s := newStub(t, plain)
	table := s.client(t).Table("d", "t")
	if err := table.Put(t.Context(), key, make([]byte, 17<<20-200)); err != nil {
		t.Fatal(err)
	}
	if value, _, err := table.Get(t.Context(), key); err != nil || len(value) != 17<<20-200 {
		t.Errorf("%d bytes, %v", len(value), err)
	}
}

func TestRequestOverTheFrameIsTooLargeAndNotSent(t *testing.T) {
	s := newStub(t, plain)
	table := s.client(t, WithMaxFrameBytes(1000)).Table("d", "t")
	expectIs(t, table.Put(t.Context(), key, make([]byte, 1000)), ErrTooLarge)
	expect(t, "puts", s.count("put"), 0)
	if err := table.Put(t.Context(), key, make([]byte, 900)); err != nil {
		t.Error(err)
	}
}

func TestAnswerOverTheFrameIsNotAskedForAgain(t *testing.T) {
	s := newStub(t, plain)
	s.values["key"] = make([]byte, 1000)
	table := s.client(t, WithMaxFrameBytes(1000)).Table("d", "t")
	_, _, err := table.Get(t.Context(), key)
	expectIs(t, err, ErrConnectionFailed)
	expect(t, "gets", s.count("get"), 1)
	if _, _, err = table.Get(t.Context(), []byte("other")); err != nil {
		t.Error(err)
	}
	expect(t, "connections", s.accepted(), 2)
}

func TestCallThatTheServerDoesNotKnowIsRejected(t *testing.T) {
	s := newStub(t, plain)
	client := s.client(t)
	unknown := func(ctx context.Context, calls *api) error {
		_, err := calls.Client_().Call(ctx, "unheardOf", kvstorethrift.NewKVStoreServicePingArgs(), unreadResult{})
		return err
	}
	for _, kind := range []access{reading, writing} {
		err := client.call(t.Context(), kind, unknown)
		var refusal thrift.TApplicationException
		expectIs(t, err)
		if !errors.As(err, &refusal) || errors.Is(err, ErrOutcomeUnknown) || errors.Is(err, ErrConnectionFailed) {
			t.Error(err)
		}
		var failure *Error
		if !errors.As(err, &failure) || failure.Outcome != OutcomeRejected || failure.Retryable ||
			!strings.Contains(failure.Message, "older than this client and does not know the method unheardOf;") {
			t.Error(err)
		}
	}
}

func TestExceptionOfTheRuntimeLeavesTheOutcomeOfAWriteUnknown(t *testing.T) {
	c := &connection{wire: &wire{}, named: &namedCalls{}}
	broken := thrift.NewTApplicationException(thrift.INTERNAL_ERROR, "a mistake of the server")
	expectIs(t, c.fail(t.Context(), reading, broken))
	expectIs(t, c.fail(t.Context(), writing, broken), ErrOutcomeUnknown)
}

// unreadResult is a result that is never read.
type unreadResult struct{ thrift.TStruct }
