package kvstore

import (
	"crypto/tls"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestURLGivesAddressTokenAndSettings(t *testing.T) {
	for _, c := range []struct {
		url  string
		want config
	}{
		{"kvstore://host", config{address: "host:9090"}},
		{"kvstore://host/", config{address: "host:9090"}},
		{"kvstore://host:1", config{address: "host:1"}},
		{"kvstores://[::1]:7", config{address: "[::1]:7", secure: true}},
		{"kvstore://a%2Fb%40c@host", config{address: "host:9090", token: "a/b@c"}},
		{"kvstore://h?timeout_ms=7&connect_timeout_ms=8&pool=3&max_frame_bytes=99", config{
			address: "h:9090", timeout: 7 * time.Millisecond, connectTimeout: 8 * time.Millisecond, pool: 3, maxFrameBytes: 99,
		}},
	} {
		got, err := newConfig(c.url, nil)
		if err != nil {
			t.Errorf("%s: %v", c.url, err)
			continue
		}
		if c.want.timeout == 0 {
			c.want.timeout, c.want.connectTimeout = 30*time.Second, 5*time.Second
			c.want.pool, c.want.maxFrameBytes = 8, 17<<20
		}
		if *got != c.want {
			t.Errorf("%s: %+v, not %+v", c.url, *got, c.want)
		}
	}
}

func TestBadURLIsInvalidAndDoesNotShowTheToken(t *testing.T) {
	const token = "secret-of-somebody"
	for _, bad := range []string{
		"", "host", "host:9090", "http://host", "KVSTORE:host", "kvstore:", "kvstore://", "kvstore://:9090",
		"kvstore://host:0", "kvstore://host:65536", "kvstore://host:x", "kvstore://host:-1", "kvstore://host/path",
		"kvstore://host#part", "kvstore://" + token + ":b@host", "kvstore://@host", "kvstore://" + token + "@",
		"kvstore://" + token + "%zz@host", "kvstore://" + token + " x@host", "kvstore://" + token + "@host:x",
		"kvstore://host?what=1", "kvstore://host?timeout=1", "kvstore://host?pool", "kvstore://host?pool=",
		"kvstore://host?pool=x", "kvstore://host?pool=0", "kvstore://host?pool=-1", "kvstore://host?pool=10001",
		"kvstore://host?pool=1&pool=2", "kvstore://host?timeout_ms=0", "kvstore://host?timeout_ms=1.5",
		"kvstore://host?connect_timeout_ms=-1", "kvstore://host?timeout_ms=99999999999999999999",
		"kvstore://host?max_frame_bytes=0", "kvstore://host?max_frame_bytes=2000000000", "kvstore://host?a=%zz",
		"kvstore://host?pool=1;x=2",
	} {
		_, err := Open(bad)
		var failure *Error
		if !errors.Is(err, ErrInvalidRequest) || !errors.As(err, &failure) || failure.Code != CodeInvalidRequest {
			t.Errorf("%q: %v", bad, err)
		} else if strings.Contains(err.Error(), token) {
			t.Errorf("%q shows the token: %v", bad, err)
		}
	}
}

func TestOptionsGoBeforeTheURL(t *testing.T) {
	options := []Option{
		WithTimeout(time.Minute), WithConnectTimeout(time.Hour), WithPool(2), WithMaxFrameBytes(5), WithTLSConfig(&tls.Config{}),
	}
	got, err := newConfig("kvstores://host?timeout_ms=1&pool=9", options)
	if err != nil {
		t.Fatal(err)
	}
	if got.timeout != time.Minute || got.connectTimeout != time.Hour || got.pool != 2 || got.maxFrameBytes != 5 || got.tls == nil {
		t.Errorf("%+v", *got)
	}
	for name, option := range map[string]Option{
		"no time": WithTimeout(0), "no time to connect": WithConnectTimeout(-1), "no pool": WithPool(0),
		"no frame": WithMaxFrameBytes(0), "TLS without its scheme": WithTLSConfig(&tls.Config{}),
	} {
		if _, err := Open("kvstore://host", option); !errors.Is(err, ErrInvalidRequest) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
