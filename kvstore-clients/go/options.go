package kvstore

import (
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	defaultPort           = "9090"
	defaultConnectTimeout = 5 * time.Second
	defaultTimeout        = 30 * time.Second
	defaultPool           = 8
	defaultMaxFrameBytes  = 17 << 20
	largestFrame          = 1<<30 - 1
	largestPool           = 10_000
)

// config is what a URL and the options say.
type config struct {
	address        string
	token          string
	secure         bool
	tls            *tls.Config
	connectTimeout time.Duration
	timeout        time.Duration
	pool           int
	maxFrameBytes  int
}

// Option changes how a client connects. It goes before the parameter of the URL.
type Option func(*config)

// WithConnectTimeout limits the time to connect, with the TLS handshake: 5 s without it. In the URL: connect_timeout_ms.
func WithConnectTimeout(timeout time.Duration) Option {
	return func(c *config) { c.connectTimeout = timeout }
}

// WithTimeout limits the time of a call, with waiting for a connection: 30 s without it. In the URL: timeout_ms.
func WithTimeout(timeout time.Duration) Option {
	return func(c *config) { c.timeout = timeout }
}

// WithPool sets how many connections there are at most: 8 without it. In the URL: pool. Snapshots have connections of their
// own.
func WithPool(connections int) Option {
	return func(c *config) { c.pool = connections }
}

// WithMaxFrameBytes sets the largest request and answer: 17 MiB without it. It should be the server's. In the URL:
// max_frame_bytes.
func WithMaxFrameBytes(bytes int) Option {
	return func(c *config) { c.maxFrameBytes = bytes }
}

// WithTLSConfig sets how TLS is done, such as a root certificate of one's own. The scheme of the URL has to be kvstores.
func WithTLSConfig(settings *tls.Config) Option {
	return func(c *config) { c.tls = settings.Clone() }
}

// newConfig reads a URL and applies the options.
func newConfig(address string, options []Option) (*config, error) {
	c := &config{
		connectTimeout: defaultConnectTimeout,
		timeout:        defaultTimeout,
		pool:           defaultPool,
		maxFrameBytes:  defaultMaxFrameBytes,
	}
	if err := c.readURL(address); err != nil {
		return nil, err
	}
	for _, option := range options {
		option(c)
	}
	return c, c.check()
}

// readURL reads kvstore://[TOKEN@]HOST[:PORT][?PARAMETERS]. Its errors do not repeat the URL, which may have a token.
func (c *config) readURL(address string) error {
	parsed, err := url.Parse(address)
	if err != nil {
		var inner *url.Error
		if errors.As(err, &inner) && !strings.Contains(inner.Err.Error(), "userinfo") {
			err = inner.Err
		}
		return invalid("the URL cannot be read: " + strings.ReplaceAll(err.Error(), address, "..."))
	}
	switch parsed.Scheme {
	case "kvstore":
	case "kvstores":
		c.secure = true
	default:
		return invalid(fmt.Sprintf("the scheme of the URL is kvstore or kvstores, not %q", parsed.Scheme))
	}
	if parsed.Opaque != "" || parsed.Hostname() == "" {
		return invalid("the URL names no host: kvstore://[TOKEN@]HOST[:PORT]")
	}
	if parsed.Path != "" && parsed.Path != "/" || parsed.Fragment != "" {
		return invalid("the URL has a path or a fragment: kvstore://[TOKEN@]HOST[:PORT]")
	}
	if parsed.User != nil {
		if _, two := parsed.User.Password(); two || parsed.User.Username() == "" {
			return invalid("before the @ of the URL is the token, without a colon")
		}
		c.token = parsed.User.Username()
	}
	port := parsed.Port()
	if port == "" {
		port = defaultPort
	}
	if number, err := strconv.Atoi(port); err != nil || number < 1 || number > math.MaxUint16 {
		return invalid("the port of the URL is 1 to 65535")
	}
	c.address = net.JoinHostPort(parsed.Hostname(), port)
	return c.readParameters(parsed.RawQuery)
}

func (c *config) readParameters(query string) error {
	parameters, err := url.ParseQuery(query)
	if err != nil {
		return invalid("the parameters of the URL cannot be read: " + err.Error())
	}
	for name, values := range parameters {
		if len(values) > 1 {
			return invalid(fmt.Sprintf("the URL has the parameter %q more than once", name))
		}
		number, err := strconv.ParseInt(values[0], 10, 32)
		switch name {
		case "connect_timeout_ms":
			c.connectTimeout = time.Duration(number) * time.Millisecond
		case "timeout_ms":
			c.timeout = time.Duration(number) * time.Millisecond
		case "pool":
			c.pool = int(number)
		case "max_frame_bytes":
			c.maxFrameBytes = int(number)
		default:
			return invalid(fmt.Sprintf("the URL has an unknown parameter %q", name))
		}
		if err != nil {
			return invalid(fmt.Sprintf("the parameter %q of the URL is not a number that fits: %q", name, values[0]))
		}
	}
	return nil
}

func (c *config) check() error {
	switch {
	case c.connectTimeout <= 0 || c.timeout <= 0:
		return invalid("a timeout is longer than nothing")
	case c.pool < 1 || c.pool > largestPool:
		return invalid(fmt.Sprintf("the pool has 1 to %d connections", largestPool))
	case c.maxFrameBytes < 1 || c.maxFrameBytes > largestFrame:
		return invalid(fmt.Sprintf("max_frame_bytes is 1 to %d", largestFrame))
	case c.tls != nil && !c.secure:
		return invalid("TLS is set, but the scheme of the URL is not kvstores")
	}
	return nil
}
