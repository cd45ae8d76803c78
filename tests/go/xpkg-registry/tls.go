package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// certified makes an authority, writes its certificate into a file, trusts it here, and answers with one for the loopback interface.
func certified(file string) *tls.Config {
	own := func(number int64, name string) *x509.Certificate {
		return &x509.Certificate{SerialNumber: big.NewInt(number), Subject: pkix.Name{CommonName: name},
			NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), BasicConstraintsValid: true}
	}
	authority := own(1, "tests")
	authority.IsCA, authority.KeyUsage = true, x509.KeyUsageCertSign
	leaf := own(2, "127.0.0.1")
	leaf.IPAddresses, leaf.KeyUsage = []net.IP{net.IPv4(127, 0, 0, 1)}, x509.KeyUsageDigitalSignature
	leaf.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	authorityKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	root, err := x509.CreateCertificate(rand.Reader, authority, authority, &authorityKey.PublicKey, authorityKey)
	must(err)
	signed, err := x509.CreateCertificate(rand.Reader, leaf, authority, &key.PublicKey, authorityKey)
	must(err)
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root})
	must(os.WriteFile(file, text, 0o644))
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	remote.DefaultTransport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: pool}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{signed}, PrivateKey: key}}}
}
