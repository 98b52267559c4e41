package kvstore

import (
	"context"
	"sync"
)

// pool holds the connections of a client: each of them is idle or has a slot.
type pool struct {
	dial   func(context.Context) (*connection, error)
	slots  chan struct{} // one element for each connection that is in use or being made
	closed chan struct{}

	mu   sync.Mutex    // guards idle and the closing of closed
	idle []*connection // the last one was used last
}

func newPool(size int, dial func(context.Context) (*connection, error)) *pool {
	return &pool{dial: dial, slots: make(chan struct{}, size), closed: make(chan struct{})}
}

// take waits for a slot and gives an idle connection or a new one; with fresh always a new one.
func (p *pool) take(ctx context.Context, fresh bool) (*connection, error) {
	if p.isClosed() {
		return nil, errClosed()
	}
	select {
	case p.slots <- struct{}{}:
	case <-p.closed:
		return nil, errClosed()
	case <-ctx.Done():
		return nil, notSent("no connection of the pool came free", ctx.Err())
	}
	conn := p.pop()
	if conn != nil && fresh {
		conn.close()
		conn = nil
	}
	if conn != nil {
		return conn, nil
	}
	conn, err := p.dial(ctx)
	if err != nil {
		<-p.slots
		return nil, err
	}
	return conn, nil
}

// give takes a connection back, or closes it when it must not be used again.
func (p *pool) give(conn *connection) {
	p.mu.Lock()
	if conn.broken || p.isClosed() {
		conn.close()
	} else {
		p.idle = append(p.idle, conn)
	}
	p.mu.Unlock()
	<-p.slots
}

// close closes the idle connections at once and the others when they come back. It may be called twice.
func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.isClosed() {
		return
	}
	close(p.closed)
	for _, conn := range p.idle {
		conn.close()
	}
	p.idle = nil
}

func (p *pool) pop() *connection {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(p.idle) - 1
	if last < 0 {
		return nil
	}
	conn := p.idle[last]
	p.idle = p.idle[:last]
	return conn
}

func (p *pool) isClosed() bool {
	select {
	case <-p.closed:
		return true
	default:
		return false
	}
}

func errClosed() *Error {
	failure := notSent("", ErrClosed)
	failure.Retryable = false
	return failure
}
