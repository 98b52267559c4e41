package kvstore

import (
	"bytes"
	"context"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/thrift/lib/go/thrift"

	"kvstore.io/client/kvstorethrift"
)

// fault is what the stub does before a call. It tells whether the call is done after that, and else whether the connection
// stays.
type fault func(s *stub) (serve, stay bool)

// stub is a server of one table in memory, with faults. A method that it does not have panics.
type stub struct {
	kvstorethrift.KVStoreService
	listener net.Listener
	done     chan struct{}
	token    string

	mu          sync.Mutex
	values      map[string][]byte
	calls       []string
	faults      map[string][]fault
	open        []net.Conn
	connections int
	ordered     *bool
	altered     map[string]string
	backups     []*kvstorethrift.Backup
	started     *kvstorethrift.OperationRequest
	operation   *kvstorethrift.Operation
}

type authenticated struct{}

// newStub starts a stub on a port of its own. wrap may put TLS around its listener.
func newStub(t *testing.T, wrap func(net.Listener) net.Listener) *stub {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &stub{
		listener: wrap(listener), done: make(chan struct{}), values: map[string][]byte{}, faults: map[string][]fault{},
	}
	go s.accept()
	t.Cleanup(func() {
		close(s.done)
		_ = s.listener.Close()
		s.breakAll()
	})
	return s
}

func plain(listener net.Listener) net.Listener { return listener }

// client gives a client of the stub that is closed at the end of the test.
func (s *stub) client(t *testing.T, options ...Option) *Client {
	t.Helper()
	client, err := Open("kvstore://"+s.listener.Addr().String(), options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// fail plans faults for the next calls of a method.
func (s *stub) fail(method string, faults ...fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[method] = append(s.faults[method], faults...)
}

// count tells how often a method was called.
func (s *stub) count(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, call := range s.calls {
		if call == method {
			n++
		}
	}
	return n
}

// accepted tells how many connections there were.
func (s *stub) accepted() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.connections
}

// breakAll closes all connections that are open.
func (s *stub) breakAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, conn := range s.open {
		_ = conn.Close()
	}
	s.open = nil
}

// drop closes the connection without an answer.
func drop(*stub) (bool, bool) { return false, false }

// hang answers nothing until the test ends.
func hang(s *stub) (bool, bool) {
	<-s.done
	return false, false
}

// slow answers after a moment.
func slow(s *stub) (bool, bool) {
	select {
	case <-s.done:
	case <-time.After(50 * time.Millisecond):
	}
	return true, true
}

func (s *stub) accept() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		s.connections++
		s.open = append(s.open, conn)
		s.mu.Unlock()
		go s.serve(conn)
	}
}

func (s *stub) serve(conn net.Conn) {
	defer conn.Close()
	settings := &thrift.TConfiguration{MaxFrameSize: 64 << 20, TBinaryStrictRead: thrift.BoolPtr(true)}
	framed := thrift.NewTFramedTransportConf(thrift.NewTSocketFromConnConf(conn, settings), settings)
	protocol := thrift.NewTBinaryProtocolConf(framed, settings)
	processor := thrift.WrapProcessor(kvstorethrift.NewKVStoreServiceProcessor(s), s.intercept)
	ctx := context.WithValue(context.Background(), authenticated{}, new(bool))
	for {
		if ok, _ := processor.Process(ctx, protocol, protocol); !ok {
			return
		}
	}
}

// intercept notes a call and does the fault planned for it.
func (s *stub) intercept(name string, next thrift.TProcessorFunction) thrift.TProcessorFunction {
	return thrift.WrappedTProcessorFunction{
		Wrapped: func(ctx context.Context, id int32, in, out thrift.TProtocol) (bool, thrift.TException) {
			s.mu.Lock()
			s.calls = append(s.calls, name)
			var planned fault
			if len(s.faults[name]) > 0 {
				planned = s.faults[name][0]
				s.faults[name] = s.faults[name][1:]
			}
			s.mu.Unlock()
			if planned != nil {
				if serve, stay := planned(s); !serve {
					return stay, nil
				}
			}
			return next.Process(ctx, id, in, out)
		},
	}
}

func (s *stub) Ping(context.Context) error { return nil }

func (s *stub) Authenticate(ctx context.Context, token string) error {
	if token != s.token {
		return &kvstorethrift.ServiceError{Code: kvstorethrift.ErrorCode_UNAUTHENTICATED}
	}
	*ctx.Value(authenticated{}).(*bool) = true
	return nil
}

func (s *stub) Get(
	ctx context.Context, _ *kvstorethrift.TableName, key []byte, _ *kvstorethrift.ReadOptions,
) (*kvstorethrift.GetResult_, error) {
	if s.token != "" && !*ctx.Value(authenticated{}).(*bool) {
		return nil, &kvstorethrift.ServiceError{Code: kvstorethrift.ErrorCode_UNAUTHENTICATED}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return &kvstorethrift.GetResult_{Value: s.values[string(key)]}, nil
}

func (s *stub) Put(
	_ context.Context, _ *kvstorethrift.TableName, key, value []byte, _ *kvstorethrift.WriteOptions,
) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.faults["put answer"]) > 0 {
		code, _ := strconv.Atoi(string(value))
		s.faults["put answer"] = s.faults["put answer"][1:]
		retryable := bytes.HasPrefix(key, []byte("retryable"))
		outcome := kvstorethrift.Outcome_REJECTED
		if bytes.HasSuffix(key, []byte("unknown")) {
			outcome = kvstorethrift.Outcome_UNKNOWN
		}
		return &kvstorethrift.ServiceError{
			Code: kvstorethrift.ErrorCode(code), Retryable: &retryable, Outcome: &outcome,
			ErrorID: thrift.StringPtr("e1"), Details: map[string]string{"limit": "7"},
		}
	}
	s.values[string(key)] = value
	return nil
}

func (s *stub) Write(
	_ context.Context, batch *kvstorethrift.Batch, _ *kvstorethrift.WriteOptions,
) (int64, error) {
	if len(batch.Checks) > 0 {
		return 0, &kvstorethrift.ConditionFailed{FailedCheck: int32(len(batch.Checks) - 1)}
	}
	return int64(len(batch.Mutations)), nil
}

func (s *stub) DescribeTable(_ context.Context, name *kvstorethrift.TableName) (*kvstorethrift.TableInfo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &kvstorethrift.TableInfo{
		Database: name.Database, Table: name.Table, Engine: "lsm", Options: map[string]string{}, Ordered: s.ordered,
	}, nil
}

func (s *stub) RenameTable(ctx context.Context, name *kvstorethrift.TableName, to string) (*kvstorethrift.TableInfo, error) {
	return s.DescribeTable(ctx, &kvstorethrift.TableName{Database: name.Database, Table: to})
}

func (s *stub) AlterTable(
	ctx context.Context, name *kvstorethrift.TableName, options map[string]string,
) (*kvstorethrift.TableInfo, error) {
	info, err := s.DescribeTable(ctx, name)
	s.altered, info.Options = options, options
	return info, err
}

func (s *stub) Backups(context.Context) ([]*kvstorethrift.Backup, error) { return s.backups, nil }

func (s *stub) DeleteBackup(_ context.Context, id int64) error {
	s.backups = slices.DeleteFunc(s.backups, func(b *kvstorethrift.Backup) bool { return b.BackupID == id })
	return nil
}

// Scan continues after the key that the continuation is.
func (s *stub) Scan(_ context.Context, request *kvstorethrift.ScanRequest) (*kvstorethrift.ScanPage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var keys []string
	for key := range s.values {
		if strings.Compare(key, string(request.Continuation)) > 0 {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	page := &kvstorethrift.ScanPage{Entries: []*kvstorethrift.Entry{}}
	for _, key := range keys[:min(len(keys), int(request.GetMaxEntries()))] {
		page.Entries = append(page.Entries, &kvstorethrift.Entry{Key: []byte(key), Value: s.values[key]})
		page.Continuation = []byte(key)
	}
	if len(page.Entries) == len(keys) {
		page.Continuation = nil
	}
	return page, nil
}

func (s *stub) OpenSnapshot(context.Context, int32) (*kvstorethrift.SnapshotLease, error) {
	return &kvstorethrift.SnapshotLease{SnapshotID: 5, LeaseMillis: 60_000}, nil
}

func (s *stub) CloseSnapshot(context.Context, int64) error { return nil }

func (s *stub) StartOperation(
	_ context.Context, request *kvstorethrift.OperationRequest,
) (*kvstorethrift.Operation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.started = request
	running := *s.operation
	running.State = kvstorethrift.OperationState_RUNNING
	return &running, nil
}

func (s *stub) Operation(context.Context, int64) (*kvstorethrift.Operation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.operation, nil
}
