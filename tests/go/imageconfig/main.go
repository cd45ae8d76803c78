// Command imageconfig answers what Crossplane's own store of ImageConfigs makes of references.
//
// Standard input holds a YAML stream of objects, a line `===`, and a reference on each line. The answer to each holds fields between
// bytes 0x1f: the reference that is pulled, and the name of the pull secret for it (empty: none); or it is `refused`.
package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/xpkg"
	"github.com/crossplane/crossplane/apis/v2/pkg/v1beta1"
	"github.com/google/go-containerregistry/pkg/name"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	input, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	objects, references, found := strings.Cut(string(input), "\n===\n")
	if !found {
		return fmt.Errorf("a line === has to stand between objects and references")
	}
	scheme := runtime.NewScheme()
	if err := v1beta1.AddToScheme(scheme); err != nil {
		return err
	}
	builder := fake.NewClientBuilder().WithScheme(scheme)
	decoder := yaml.NewYAMLReader(bufio.NewReader(strings.NewReader(objects)))
	for {
		document, err := decoder.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if len(bytes.TrimSpace(document)) == 0 {
			continue
		}
		kind := &metav1.TypeMeta{}
		if err := yaml.Unmarshal(document, kind); err != nil {
			return err
		}
		if kind.Kind != "ImageConfig" {
			continue
		}
		config := &v1beta1.ImageConfig{}
		if err := yaml.UnmarshalStrict(document, config); err != nil {
			return err
		}
		builder = builder.WithObjects(config)
	}
	store, ctx := xpkg.NewImageConfigStore(builder.Build(), "crossplane-system"), context.Background()
	for _, reference := range strings.Fields(references) {
		_, pulled, err := store.RewritePath(ctx, reference)
		if err != nil {
			return err
		}
		if pulled == "" {
			pulled = reference
		}
		if _, err := name.ParseReference(pulled); err != nil {
			fmt.Println("refused")
			continue
		}
		_, secret, err := store.PullSecretFor(ctx, pulled)
		if err != nil {
			return err
		}
		fmt.Printf("%s\x1f%s\n", pulled, secret)
	}
	return nil
}
