package kvstore

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"testing"
	"time"
)

// certificate makes a certificate for 127.0.0.1 and the pool that trusts it.
func certificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	trusted := x509.NewCertPool()
	trusted.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: private}, trusted
}

func TestTLSIsSpokenWithATrustedServerOnly(t *testing.T) {
	own, trusted := certificate(t)
	s := newStub(t, func(listener net.Listener) net.Listener {
		return tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{own}})
	})
	s.token = "a/token"
	s.values["key"] = make([]byte, 3<<20)
	url := "kvstores://a%2Ftoken@" + s.listener.Addr().String()

	client, err := Open(url, WithTLSConfig(&tls.Config{RootCAs: trusted}))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if value, _, err := client.Table("d", "t").Get(t.Context(), key); err != nil || len(value) != 3<<20 {
		t.Errorf("%d bytes, %v", len(value), err)
	}

	before := s.accepted()
	stranger, err := Open(url)
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	expectIs(t, stranger.Ping(t.Context()), ErrConnectionFailed)
	expect(t, "connections of the stranger", s.accepted()-before, 1)
}

func TestTokenIsTheFirstCallOfEachConnection(t *testing.T) {
	s := newStub(t, plain)
	s.token = "token"
	client, err := Open("kvstore://token@" + s.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	s.fail("get", drop)
	if _, _, err := client.Table("d", "t").Get(t.Context(), key); err != nil {
		t.Error(err)
	}
	expect(t, "authentications", s.count("authenticate"), 2)

	wrong, err := Open("kvstore://other@" + s.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer wrong.Close()
	expectIs(t, wrong.Ping(t.Context()), ErrUnauthenticated)
	_, _, err = s.client(t).Table("d", "t").Get(t.Context(), key)
	expectIs(t, err, ErrUnauthenticated)
	expect(t, "connections", s.accepted(), 4)
}
