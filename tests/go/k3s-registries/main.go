// k3s-registries reads a registries.yaml as k3s and RKE2 read it, and pulls by it.
//
//	k3s-registries FILE REFERENCE...  for each image a line: where it is asked for, in order; then its digest, or a hyphen
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/rancher/wharfie/pkg/registries"
	"github.com/sirupsen/logrus"
)

// places holds the places that were asked, each once.
type places struct {
	mutex sync.Mutex
	seen  []string
}

func (p *places) add(place string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, own := range p.seen {
		if own == place {
			return
		}
	}
	p.seen = append(p.seen, place)
}

// plain records requests without TLS, and sends those for this machine.
type plain struct {
	places *places
	next   http.RoundTripper
}

func (p plain) RoundTrip(request *http.Request) (*http.Response, error) {
	p.places.add("http://" + request.URL.Host)
	if host, _, err := net.SplitHostPort(request.URL.Host); err == nil && net.ParseIP(host).IsLoopback() {
		return p.next.RoundTrip(request)
	}
	return nil, errors.New("is not asked")
}

// proxy takes connections for TLS, records their hosts, and ends them.
func proxy(places *places) (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			if request, err := http.ReadRequest(bufio.NewReader(connection)); err == nil {
				places.add("https://" + strings.TrimSuffix(request.Host, ":443"))
			}
			connection.Close()
		}
	}()
	return "http://" + listener.Addr().String(), nil
}

func main() {
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(file string, references []string) error {
	logrus.SetOutput(io.Discard)
	all := &places{}
	address, err := proxy(all)
	if err != nil {
		return err
	}
	os.Setenv("HTTPS_PROXY", address)
	remote.DefaultTransport = plain{places: all, next: remote.DefaultTransport}
	for _, reference := range references {
		// Each has connections of its own.
		registry, err := registries.GetPrivateRegistries(file)
		if err != nil {
			return err
		}
		all.seen = nil
		parsed, err := name.ParseReference(reference)
		if err != nil {
			return err
		}
		digest := "-"
		if image, err := registry.Image(parsed); err == nil {
			if hash, err := image.Digest(); err == nil {
				digest = hash.String()
			}
		}
		fmt.Println(reference, strings.Join(all.seen, " "), digest)
	}
	return nil
}
