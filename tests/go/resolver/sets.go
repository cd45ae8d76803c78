package main

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	ggcr "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane/crossplane-runtime/v2/pkg/xpkg"
	"github.com/crossplane/crossplane/apis/v2/pkg/v1beta1"
)

// set is one line of input: what registries serve, package.yaml by reference, and the objects of a cluster, a YAML stream.
type set struct {
	Served  map[string]string `json:"served"`
	Objects string            `json:"objects"`
}

// settled is one line of output: the packages in the cluster in the end, kind, `spec.package` and the reference that is pulled of each; the names
// in the lock; and what install answers.
type settled struct {
	Packages []string `json:"packages"`
	Lock     []string `json:"lock"`
	answer
}

// served is what registries serve, by reference.
type served map[string]ggcr.Image

func (s served) Fetch(_ context.Context, r name.Reference, _ ...string) (ggcr.Image, error) {
	if image, ok := s[r.Name()]; ok {
		return image, nil
	}
	return nil, fmt.Errorf("MANIFEST_UNKNOWN: %s", r.Name())
}

func (s served) Head(ctx context.Context, r name.Reference, secrets ...string) (*ggcr.Descriptor, error) {
	image, err := s.Fetch(ctx, r, secrets...)
	if err != nil {
		return nil, err
	}
	return partial.Descriptor(image)
}

func (s served) Tags(_ context.Context, r name.Reference, _ ...string) ([]string, error) {
	var tags []string
	for own := range s {
		if tag, ok := strings.CutPrefix(own, r.Context().Name()+":"); ok {
			tags = append(tags, tag)
		}
	}
	if len(tags) == 0 {
		return nil, fmt.Errorf("NAME_UNKNOWN: %s", r.Context().Name())
	}
	slices.Sort(tags)
	return tags, nil
}

// packed is a package of this content.
func packed(content string) (ggcr.Image, error) {
	var archive bytes.Buffer
	writer := tar.NewWriter(&archive)
	if err := writer.WriteHeader(&tar.Header{Name: "package.yaml", Mode: 0o644, Size: int64(len(content))}); err != nil {
		return nil, err
	}
	if _, err := writer.Write([]byte(content)); err != nil {
		return nil, err
	}
	if err := writer.Close(); err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(archive.Bytes())), nil })
	if err != nil {
		return nil, err
	}
	return mutate.Append(empty.Image, mutate.Addendum{Layer: layer, Annotations: map[string]string{"io.crossplane.xpkg": "base"}})
}

// sets answers every line of input by one line.
func sets(ctx context.Context, input io.Reader, output io.Writer) error {
	lines := bufio.NewScanner(input)
	lines.Buffer(nil, 1<<24)
	out := json.NewEncoder(output)
	out.SetEscapeHTML(false)
	for lines.Scan() {
		own := set{}
		if err := json.Unmarshal(lines.Bytes(), &own); err != nil {
			return err
		}
		found, err := settle(ctx, own)
		if err != nil {
			return err
		}
		if err := out.Encode(found); err != nil {
			return err
		}
	}
	return lines.Err()
}

// settle installs one set, and what it needs.
func settle(ctx context.Context, own set) (*settled, error) {
	from := served{}
	for reference, content := range own.Served {
		ref, err := name.ParseReference(reference)
		if err != nil {
			return nil, err
		}
		image, err := packed(content)
		if err != nil {
			return nil, err
		}
		digest, err := image.Digest()
		if err != nil {
			return nil, err
		}
		from[ref.Name()] = image
		from[ref.Context().Digest(digest.String()).Name()] = image
	}
	kube, err := cluster()
	if err != nil {
		return nil, err
	}
	if err := create(ctx, kube, strings.NewReader(own.Objects)); err != nil {
		return nil, err
	}
	found, err := install(ctx, kube, from)
	if err != nil {
		return nil, err
	}
	settled := &settled{Packages: []string{}, Lock: []string{}, answer: *found}
	all, err := installed(ctx, kube)
	if err != nil {
		return nil, err
	}
	configs := xpkg.NewImageConfigStore(kube, "crossplane-system")
	for _, own := range all {
		_, pulled, err := configs.RewritePath(ctx, own.GetSource())
		if err != nil {
			return nil, err
		}
		if pulled == "" {
			pulled = own.GetSource()
		}
		kind := own.GetObjectKind().GroupVersionKind().Kind
		settled.Packages = append(settled.Packages, strings.Join([]string{kind, own.GetSource(), pulled}, " "))
	}
	lock := &v1beta1.Lock{}
	// Without a package that is not skipped there is none.
	if err := kube.Get(ctx, types.NamespacedName{Name: "lock"}, lock); err == nil {
		for _, own := range lock.Packages {
			settled.Lock = append(settled.Lock, own.Source)
		}
	}
	slices.Sort(settled.Lock)
	return settled, nil
}
