// Command resolver installs packages as Crossplane v2.3.4 does: its own resolver of dependencies, its own dependency manager of revisions and
// its own store of ImageConfigs, over the registries that these lead to and a client that keeps objects in memory.
//
// Standard input holds a YAML stream: packages, and ImageConfigs. The answer is JSON: `pulled`, all references that are pulled, sorted; `said`,
// by package, what its revision says in the end of what it needs; `resolver`, what the resolver says, empty when nothing is missing.
//
//	resolver sets  reads a set of packages from each line, and answers what is in the cluster and in the lock in the end: see sets.go
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sort"

	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource/fake"
	"github.com/crossplane/crossplane-runtime/v2/pkg/xpkg"
	"github.com/crossplane/crossplane-runtime/v2/pkg/xpkg/parser"
	v1 "github.com/crossplane/crossplane/apis/v2/pkg/v1"
	"github.com/crossplane/crossplane/apis/v2/pkg/v1beta1"
	"github.com/crossplane/crossplane/v2/internal/controller/pkg/resolver"
	"github.com/crossplane/crossplane/v2/internal/controller/pkg/revision"
	"github.com/crossplane/crossplane/v2/internal/dag"
	"github.com/google/go-containerregistry/pkg/name"
	ggcr "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/spf13/afero"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
	clientfake "sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

type fetcher struct{}

func (fetcher) Fetch(ctx context.Context, r name.Reference, _ ...string) (ggcr.Image, error) {
	return remote.Image(r, remote.WithContext(ctx))
}

func (fetcher) Head(ctx context.Context, r name.Reference, _ ...string) (*ggcr.Descriptor, error) {
	return remote.Head(r, remote.WithContext(ctx))
}

func (fetcher) Tags(ctx context.Context, r name.Reference, _ ...string) ([]string, error) {
	return remote.List(r.Context(), remote.WithContext(ctx))
}

type answer struct {
	Pulled   []string          `json:"pulled"`
	Said     map[string]string `json:"said"`
	Resolver string            `json:"resolver"`
}

func main() {
	ctx := context.Background()
	if len(os.Args) > 1 && os.Args[1] == "sets" {
		if err := sets(ctx, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	found, err := fromStream(ctx, os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	_ = out.Encode(found)
}

// cluster is one without objects, kept in memory.
func cluster() (client.Client, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1.AddToScheme, v1beta1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	return clientfake.NewClientBuilder().WithScheme(scheme).WithStatusSubresource(&v1beta1.Lock{}).Build(), nil
}

// fromStream installs the packages of a YAML stream from their registries.
func fromStream(ctx context.Context, input io.Reader) (*answer, error) {
	kube, err := cluster()
	if err != nil {
		return nil, err
	}
	if err := create(ctx, kube, input); err != nil {
		return nil, err
	}
	return install(ctx, kube, fetcher{})
}

// create puts the packages and ImageConfigs of a YAML stream into a cluster.
func create(ctx context.Context, kube client.Client, input io.Reader) error {
	reader := yaml.NewYAMLReader(bufio.NewReader(input))
	for {
		document, err := reader.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		object := &unstructured.Unstructured{}
		if len(bytes.TrimSpace(document)) == 0 {
			continue
		}
		if err := yaml.Unmarshal(document, &object.Object); err != nil {
			return err
		}
		if object.GetObjectKind().GroupVersionKind().Group != v1.Group {
			continue
		}
		if err := kube.Create(ctx, object); err != nil {
			return err
		}
	}
}

// install lets the packages of a cluster be installed, and what they need.
func install(ctx context.Context, kube client.Client, from xpkg.Fetcher) (*answer, error) {
	meta, err := xpkg.BuildMetaScheme()
	if err != nil {
		return nil, err
	}
	objects, err := xpkg.BuildObjectScheme()
	if err != nil {
		return nil, err
	}
	packages := xpkg.NewCachedClient(from, parser.New(meta, objects), xpkg.NewFsPackageCache("/cache", afero.NewMemMapFs()), xpkg.NewImageConfigStore(kube, "crossplane-system"), nil)
	missing := resolver.NewReconciler(&fake.Manager{Client: kube}, resolver.WithClient(packages), resolver.WithFinalizer(resource.FinalizerFns{
		AddFinalizerFn:    func(context.Context, resource.Object) error { return nil },
		RemoveFinalizerFn: func(context.Context, resource.Object) error { return nil },
	}))
	known := map[string]*xpkg.Package{}
	last := -1
	// Each turn installs at most one package more.
	for {
		found := &answer{Pulled: []string{}, Said: map[string]string{}}
		all, err := installed(ctx, kube)
		if err != nil {
			return nil, err
		}
		for _, own := range all {
			source := own.GetSource()
			if known[source] == nil {
				read, err := packages.Get(ctx, source)
				if err != nil {
					found.Said[own.GetName()] = err.Error()
					continue
				}
				known[source] = read
			}
			read := known[source]
			found.Pulled = append(found.Pulled, read.ResolvedRef())
			// As the reconciler of revisions has it; the API server's default is false.
			if skip := own.GetSkipDependencyResolution(); skip != nil && *skip {
				continue
			}
			kind := own.GetObjectKind().GroupVersionKind()
			manager := revision.NewPackageDependencyManager(kube, dag.NewMapDag, kind, logging.NewNopLogger())
			of := &v1.ProviderRevision{}
			of.SetName(own.GetName() + "-1")
			of.SetDesiredState(v1.PackageRevisionActive)
			of.SetSource(source)
			of.SetResolvedSource(read.ResolvedRef())
			if _, _, _, err := manager.Resolve(ctx, read.GetMeta(), of); err != nil {
				found.Said[own.GetName()] = err.Error()
			}
		}
		sort.Strings(found.Pulled)
		lock := types.NamespacedName{Name: "lock"}
		if _, err := missing.Reconcile(ctx, reconcile.Request{NamespacedName: lock}); err != nil {
			found.Resolver = err.Error()
		}
		after, err := installed(ctx, kube)
		if err != nil {
			return nil, err
		}
		// What stands before a package in the list sees it a turn later.
		if len(after) == len(all) && last == len(all) {
			return found, nil
		}
		last = len(all)
	}
}

// installed are the packages there are.
func installed(ctx context.Context, kube client.Client) ([]v1.Package, error) {
	providers, configurations, functions := &v1.ProviderList{}, &v1.ConfigurationList{}, &v1.FunctionList{}
	var all []v1.Package
	for _, list := range []client.ObjectList{configurations, functions, providers} {
		if err := kube.List(ctx, list); err != nil {
			return nil, err
		}
	}
	for i := range configurations.Items {
		configurations.Items[i].SetGroupVersionKind(v1.ConfigurationGroupVersionKind)
		all = append(all, &configurations.Items[i])
	}
	for i := range functions.Items {
		functions.Items[i].SetGroupVersionKind(v1.FunctionGroupVersionKind)
		all = append(all, &functions.Items[i])
	}
	for i := range providers.Items {
		providers.Items[i].SetGroupVersionKind(v1.ProviderGroupVersionKind)
		all = append(all, &providers.Items[i])
	}
	return all, nil
}
