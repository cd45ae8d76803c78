// Command xpkg-registry serves package images of every kind in a registry on the loopback interface, until standard input ends.
//
//	xpkg-registry [-generated COUNT] [-layouts DIR] [-only NAME,NAME] [-tls FILE]
//
// The first line of the answer is the registry's host; then a line for each image: its name, a blank, its reference; then `ready`.
// With -layouts each image is in an OCI layout DIR/NAME too.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/google/go-containerregistry/pkg/registry"
)

func main() {
	generated := flag.Int("generated", 0, "how many generated images to serve beside the written ones")
	layouts := flag.String("layouts", "", "a folder for OCI layouts")
	only := flag.String("only", "", "the names of the written images to serve; empty: all")
	tls := flag.String("tls", "", "a file for the certificate of an authority; the registry then has TLS, with a certificate of that one")
	flag.Parse()
	shelf := &shelf{layouts: *layouts, only: strings.FieldsFunc(*only, func(r rune) bool { return r == ',' }), missing: map[string]bool{}, altered: map[string][]byte{}}
	inner := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { shelf.serve(inner, w, r) })
	server := httptest.NewUnstartedServer(handler)
	if *tls == "" {
		server.Start()
	} else {
		server.TLS = certified(*tls)
		server.StartTLS()
	}
	defer server.Close()
	_, shelf.host, _ = strings.Cut(server.URL, "://")
	fmt.Println(shelf.host)
	shelf.written()
	shelf.generated(*generated)
	fmt.Println("ready")
	io.Copy(io.Discard, os.Stdin)
}

// serve leaves out what is missing and changes what is altered.
func (s *shelf) serve(inner http.Handler, w http.ResponseWriter, r *http.Request) {
	_, digest, _ := strings.Cut(r.URL.Path, "/blobs/")
	s.lock.RLock()
	missing, altered := s.missing[digest], s.altered[digest]
	s.lock.RUnlock()
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case reads && missing:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		if r.Method == http.MethodGet {
			fmt.Fprint(w, `{"errors":[{"code":"BLOB_UNKNOWN","message":"Unknown blob"}]}`)
		}
	case reads && altered != nil:
		w.Write(altered)
	default:
		inner.ServeHTTP(w, r)
	}
}
