package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/match"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/klauspost/compress/zstd"
)

// entry is a file of a layer: its name, a type ('0' file, '5' folder, '2' link) and its content, or where the link leads.
type entry struct {
	name, content string
	kind          byte
}

func files(pairs ...string) []entry {
	var all []entry
	for i := 0; i+1 < len(pairs); i += 2 {
		all = append(all, entry{name: pairs[i], content: pairs[i+1], kind: tar.TypeReg})
	}
	return all
}

// layer is a layer whose bytes are made here, so that any of them can be wrong.
type layer struct {
	raw, packed []byte
	media       types.MediaType
}

func pack(how string, entries []entry) *layer {
	var raw bytes.Buffer
	w := tar.NewWriter(&raw)
	for _, e := range entries {
		header := &tar.Header{Name: e.name, Mode: 0o644, Typeflag: e.kind}
		if e.kind == tar.TypeReg {
			header.Size = int64(len(e.content))
		} else {
			header.Linkname = e.content
		}
		must(w.WriteHeader(header))
		if e.kind == tar.TypeReg {
			_, err := w.Write([]byte(e.content))
			must(err)
		}
	}
	must(w.Close())
	l := &layer{raw: raw.Bytes(), media: types.OCILayer}
	var packed bytes.Buffer
	switch how {
	case "zstd":
		z, err := zstd.NewWriter(&packed)
		must(err)
		z.Write(l.raw)
		must(z.Close())
		l.media = types.OCILayerZStd
	case "plain":
		packed.Write(l.raw)
		l.media = types.OCIUncompressedLayer
	default:
		z := gzip.NewWriter(&packed)
		z.Write(l.raw)
		must(z.Close())
	}
	l.packed = packed.Bytes()
	return l
}

func (l *layer) Digest() (v1.Hash, error) {
	h, _, err := v1.SHA256(bytes.NewReader(l.packed))
	return h, err
}

func (l *layer) DiffID() (v1.Hash, error) {
	h, _, err := v1.SHA256(bytes.NewReader(l.raw))
	return h, err
}

func (l *layer) Compressed() (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(l.packed)), nil
}
func (l *layer) Uncompressed() (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(l.raw)), nil
}
func (l *layer) Size() (int64, error)                { return int64(len(l.packed)), nil }
func (l *layer) MediaType() (types.MediaType, error) { return l.media, nil }

// part is a layer of an image, and what is wrong with it.
type part struct {
	layer    *layer
	note     string // the annotation io.crossplane.xpkg; empty: none
	label    string // the label of the image's config that push makes the annotation of; empty: none
	missing  bool
	altered  []byte
	platform *v1.Platform
}

func image(docker bool, entrypoint []string, parts ...part) v1.Image {
	i := v1.Image(empty.Image)
	if !docker {
		i = mutate.MediaType(i, types.OCIManifestSchema1)
		i = mutate.ConfigMediaType(i, types.OCIConfigJSON)
	}
	labels := map[string]string{}
	for _, p := range parts {
		own := mutate.Addendum{Layer: p.layer, MediaType: p.layer.media}
		if docker {
			own.MediaType = types.DockerLayer
		}
		if p.note != "" {
			own.Annotations = map[string]string{"io.crossplane.xpkg": p.note}
		}
		if p.label != "" {
			digest, _ := p.layer.Digest()
			labels["io.crossplane.xpkg:"+digest.String()] = p.label
		}
		var err error
		i, err = mutate.Append(i, own)
		must(err)
	}
	file, err := i.ConfigFile()
	must(err)
	config := file.Config
	config.Entrypoint = entrypoint
	config.Cmd = []string{"/usr/bin/program"}
	if len(labels) > 0 {
		config.Labels = labels
	}
	i, err = mutate.Config(i, config)
	must(err)
	return i
}

// shelf pushes images, and remembers what is wrong with their blobs.
type shelf struct {
	host, layouts string
	lock          sync.RWMutex
	missing       map[string]bool
	altered       map[string][]byte
	only          []string
}

func (s *shelf) wants(called string) bool {
	return len(s.only) == 0 || slices.Contains(s.only, called)
}

func (s *shelf) put(called string, what any, parts ...part) {
	if !s.wants(called) {
		return
	}
	reference, err := name.ParseReference(s.host + "/p/" + called + ":v1.0.0")
	must(err)
	switch what := what.(type) {
	case v1.Image:
		must(remote.Write(reference, what))
	case v1.ImageIndex:
		must(remote.WriteIndex(reference, what))
	}
	fmt.Println(called, reference)
	folder := s.lay(called, what)
	s.lock.Lock()
	defer s.lock.Unlock()
	for _, p := range parts {
		digest, _ := p.layer.Digest()
		blob := filepath.Join(folder, "blobs", digest.Algorithm, digest.Hex)
		if p.missing {
			s.missing[digest.String()] = true
			os.Remove(blob)
		}
		if p.altered != nil {
			s.altered[digest.String()] = p.altered
			if folder != "" {
				must(os.WriteFile(blob, p.altered, 0o644))
			}
		}
	}
}

// lay writes an OCI layout.
func (s *shelf) lay(called string, what any) string {
	if s.layouts == "" {
		return ""
	}
	folder := filepath.Join(s.layouts, called)
	must(os.MkdirAll(filepath.Join(folder, "blobs", "sha256"), 0o755))
	path, err := layout.Write(folder, empty.Index)
	must(err)
	named := layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": "v1.0.0"})
	all := match.Name("v1.0.0")
	switch what := what.(type) {
	case v1.Image:
		must(path.ReplaceImage(what, all, named))
	case v1.ImageIndex:
		must(path.ReplaceIndex(what, all, named))
	}
	return folder
}

// index holds one image for each platform, `OS/ARCHITECTURE`.
func index(images map[string]v1.Image, platforms ...string) v1.ImageIndex {
	all := v1.ImageIndex(empty.Index)
	for _, platform := range platforms {
		descriptor := v1.Descriptor{}
		if platform != "-" {
			os, architecture, _ := strings.Cut(platform, "/")
			descriptor.Platform = &v1.Platform{OS: os, Architecture: architecture}
		}
		all = mutate.AppendManifests(all, mutate.IndexAddendum{Add: images[platform], Descriptor: descriptor})
	}
	return all
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
