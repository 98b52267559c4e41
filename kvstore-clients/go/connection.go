package kvstore

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"math"
	"net"
	"os"
	"time"

	"github.com/apache/thrift/lib/go/thrift"

	"kvstore.io/client/kvstorethrift"
)

// api is the generated client of one connection.
type api = kvstorethrift.KVStoreServiceClient

// access tells reads from writes: they are repeated by different rules.
type access bool

const (
	reading access = false
	writing access = true
)

// wire is a network connection that knows whether it sent anything in this call and how it failed.
type wire struct {
	net.Conn
	sent   bool
	failed error
}

func (w *wire) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	if err != nil {
		w.failed = err
	}
	return n, err
}

func (w *wire) Write(p []byte) (int, error) {
	n, err := w.Conn.Write(p)
	w.sent = w.sent || n > 0
	if err != nil {
		w.failed = err
	}
	return n, err
}

// transport is the wire as Thrift wants it. It sends the head of a frame together with its body.
type transport struct {
	*wire
	out *bufio.Writer
}

func (t *transport) Open() error                 { return nil }
func (t *transport) IsOpen() bool                { return true }
func (t *transport) Write(p []byte) (int, error) { return t.out.Write(p) }
func (t *transport) Flush(context.Context) error { return t.out.Flush() }
func (t *transport) RemainingBytes() uint64      { return math.MaxUint64 } // not known

// namedCalls is a Thrift client that remembers the method of the latest call.
type namedCalls struct {
	thrift.TClient
	method string
}

func (n *namedCalls) Call(ctx context.Context, method string, args, result thrift.TStruct) (thrift.ResponseMeta, error) {
	n.method = method
	return n.TClient.Call(ctx, method, args, result)
}

// connection is one connection to the server, for one call at a time.
type connection struct {
	wire   *wire
	named  *namedCalls
	calls  *api
	used   time.Time
	broken bool // it has to be closed and must not be used again
}

// dial connects and, with a token, authenticates.
func dial(ctx context.Context, c *config) (*connection, error) {
	limited, cancel := context.WithTimeout(ctx, c.connectTimeout)
	defer cancel()
	var raw net.Conn
	var err error
	if c.secure {
		raw, err = (&tls.Dialer{Config: c.tls}).DialContext(limited, "tcp", c.address)
	} else {
		raw, err = (&net.Dialer{}).DialContext(limited, "tcp", c.address)
	}
	if err != nil {
		return nil, dialFailure(limited, c, err)
	}
	conn := newConnection(raw, c.maxFrameBytes)
	if c.token == "" {
		return conn, nil
	}
	err = conn.run(ctx, reading, func(ctx context.Context, calls *api) error { return calls.Authenticate(ctx, c.token) })
	if err != nil {
		conn.close()
		return nil, err
	}
	return conn, nil
}

// dialFailure gives the error of a connection that could not be made.
func dialFailure(ctx context.Context, c *config, err error) error {
	failure := notSent("no connection to "+c.address, timeCause(ctx, err))
	var untrusted *tls.CertificateVerificationError
	failure.Retryable = !errors.As(err, &untrusted)
	failure.repeat = failure.Retryable && !isTimeout(failure.cause)
	return failure
}

func newConnection(raw net.Conn, maxFrameBytes int) *connection {
	settings := &thrift.TConfiguration{
		MaxFrameSize:       int32(maxFrameBytes),
		MaxMessageSize:     int32(maxFrameBytes),
		TBinaryStrictRead:  thrift.BoolPtr(true),
		TBinaryStrictWrite: thrift.BoolPtr(true),
	}
	w := &wire{Conn: raw}
	framed := thrift.NewTFramedTransportConf(&transport{wire: w, out: bufio.NewWriter(w)}, settings)
	protocol := thrift.NewTBinaryProtocolConf(framed, settings)
	named := &namedCalls{TClient: thrift.NewTStandardClient(protocol, protocol)}
	return &connection{wire: w, named: named, calls: kvstorethrift.NewKVStoreServiceClient(named), used: time.Now()}
}

func (c *connection) close() {
	_ = c.wire.Close() // what it could tell changes nothing: it is not used again
}

// run does one call. The deadline of the context is the one of the socket, and its cancellation interrupts the socket.
func (c *connection) run(ctx context.Context, kind access, do func(context.Context, *api) error) error {
	if err := ctx.Err(); err != nil {
		return notSent("the call was not begun", err)
	}
	deadline, _ := ctx.Deadline()
	c.wire.sent, c.wire.failed = false, nil
	c.broken = true // until an answer is read
	if err := c.wire.SetDeadline(deadline); err != nil {
		c.wire.failed = err
		return c.fail(ctx, kind, err)
	}
	stop := context.AfterFunc(ctx, func() { _ = c.wire.SetDeadline(time.Unix(1, 0)) })
	// The runtime reads again after a timeout when it sees a deadline in the context; this one is the socket's already.
	err := do(context.WithoutCancel(ctx), c.calls)
	c.used = time.Now()
	c.broken = !stop() || !isAnswer(err) || isLast(err)
	if err != nil {
		return c.fail(ctx, kind, err)
	}
	return nil
}

// isAnswer tells whether a call ended with what the API declares, so that the connection is between two calls.
func isAnswer(err error) bool {
	var failed *kvstorethrift.ServiceError
	var unfulfilled *kvstorethrift.ConditionFailed
	return err == nil || errors.As(err, &failed) || errors.As(err, &unfulfilled)
}

// isLast tells whether the server ends the connection behind its answer, because it is stopping.
func isLast(err error) bool {
	var failed *kvstorethrift.ServiceError
	return errors.As(err, &failed) && failed.Code == kvstorethrift.ErrorCode_STOPPING
}

// fail gives the error of a call and says whether the call may be repeated.
func (c *connection) fail(ctx context.Context, kind access, err error) error {
	var answer *kvstorethrift.ServiceError
	if errors.As(err, &answer) {
		failure := fromService(answer)
		failure.repeat = failure.Retryable && (kind == reading || failure.Outcome == OutcomeRejected)
		return failure
	}
	var unfulfilled *kvstorethrift.ConditionFailed
	if errors.As(err, &unfulfilled) {
		return fromCondition(unfulfilled)
	}
	if c.wire.failed != nil {
		return c.failWire(ctx, kind)
	}
	var refusal thrift.TApplicationException
	if errors.As(err, &refusal) {
		return c.notUnderstood(kind, refusal)
	}
	if !c.wire.sent {
		return &Error{
			Code: CodeTooLarge, Message: "the request does not fit into max_frame_bytes", Outcome: OutcomeRejected,
			kind: ErrTooLarge, cause: err,
		}
	}
	return lost(kind, "the answer cannot be read", err)
}

// notUnderstood gives the error of a call that the server refused, or that failed there without an error of the API.
func (c *connection) notUnderstood(kind access, refusal thrift.TApplicationException) error {
	failure := &Error{Code: CodeInternalError, Message: "the server did not do the call", cause: refusal}
	if refusal.TypeId() == thrift.UNKNOWN_METHOD {
		failure.Message = "the server is older than this client and does not know the method " + c.named.method +
			"; nothing was changed"
		failure.Outcome = OutcomeRejected
	} else if kind == writing {
		failure.Outcome = OutcomeUnknown
	}
	return failure
}

// failWire gives the error of a call whose connection broke or whose time was over.
func (c *connection) failWire(ctx context.Context, kind access) error {
	cause := timeCause(ctx, c.wire.failed)
	var failure *Error
	if c.wire.sent {
		failure = lost(kind, "no answer from "+c.wire.RemoteAddr().String(), cause)
		failure.Retryable = kind == reading
	} else {
		failure = notSent("nothing was sent to "+c.wire.RemoteAddr().String(), cause)
	}
	failure.repeat = failure.Retryable
	return failure
}

// lost gives the error of a call that was sent and whose answer will not come.
func lost(kind access, message string, cause error) *Error {
	if kind == writing {
		return &Error{
			Code: CodeOutcomeUnknown, Message: message, Outcome: OutcomeUnknown, kind: ErrOutcomeUnknown, cause: cause,
		}
	}
	return &Error{Message: message, Outcome: OutcomeFailed, kind: ErrConnectionFailed, cause: cause}
}

// timeCause gives the context's error for a failure that comes from its end, and else the failure.
func timeCause(ctx context.Context, err error) error {
	if ended := ctx.Err(); ended != nil {
		return ended
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return context.DeadlineExceeded
	}
	return err
}

// isTimeout tells whether time was over or a context cancelled.
func isTimeout(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}
