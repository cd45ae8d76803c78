package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sort"

	"github.com/google/go-containerregistry/pkg/name"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
	clientfake "sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane/crossplane-runtime/pkg/logging"
	"github.com/crossplane/crossplane-runtime/pkg/parser"
	"github.com/crossplane/crossplane-runtime/pkg/resource"
	"github.com/crossplane/crossplane-runtime/pkg/resource/fake"
	pkgmetav1 "github.com/crossplane/crossplane/apis/pkg/meta/v1"
	v1 "github.com/crossplane/crossplane/apis/pkg/v1"
	"github.com/crossplane/crossplane/apis/pkg/v1beta1"
	"github.com/crossplane/crossplane/internal/controller/pkg/resolver"
	"github.com/crossplane/crossplane/internal/controller/pkg/revision"
	"github.com/crossplane/crossplane/internal/dag"
	"github.com/crossplane/crossplane/internal/xpkg"
)

// answer is what becomes of packages: all references that are pulled, sorted; what each package's revision says in the end of what it needs; and
// what the resolver says, empty when nothing is missing.
type answer struct {
	Pulled   []string          `json:"pulled"`
	Said     map[string]string `json:"said"`
	Resolver string            `json:"resolver"`
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

// resolve installs the packages of a YAML stream from their registries.
func resolve(ctx context.Context, p parser.Parser, input io.Reader) (*answer, error) {
	kube, err := cluster()
	if err != nil {
		return nil, err
	}
	if err := create(ctx, kube, input); err != nil {
		return nil, err
	}
	return install(ctx, p, kube, fetcher{})
}

// create puts the packages and ImageConfigs of a YAML stream into a cluster.
func create(ctx context.Context, kube client.Client, input io.Reader) error {
	reader := yaml.NewYAMLReader(bufio.NewReader(input))
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
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

// install lets the packages of a cluster be installed as Crossplane does: its own resolver of dependencies, its own dependency manager of revisions
// and its own store of ImageConfigs, over a client that keeps objects in memory.
func install(ctx context.Context, p parser.Parser, kube client.Client, from xpkg.Fetcher) (*answer, error) {
	configs := xpkg.NewImageConfigStore(kube, "crossplane-system")
	missing := resolver.NewReconciler(&fake.Manager{Client: kube}, resolver.WithFetcher(from), resolver.WithConfigStore(configs),
		resolver.WithDefaultRegistry("xpkg.crossplane.io"), resolver.WithFinalizer(resource.FinalizerFns{
			AddFinalizerFn:    func(context.Context, resource.Object) error { return nil },
			RemoveFinalizerFn: func(context.Context, resource.Object) error { return nil },
		}))
	known := map[string]pkgmetav1.Pkg{}
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
			_, pulled, err := configs.RewritePath(ctx, source)
			if err != nil {
				return nil, err
			}
			if pulled == "" {
				pulled = source
			}
			if known[source] == nil {
				read, err := read(ctx, p, from, pulled)
				if err != nil {
					found.Said[own.GetName()] = err.Error()
					continue
				}
				known[source] = read
			}
			found.Pulled = append(found.Pulled, pulled)
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
			of.SetResolvedSource(pulled)
			if _, _, _, err := manager.Resolve(ctx, known[source], of); err != nil {
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

// read is what a package says of itself.
func read(ctx context.Context, p parser.Parser, from xpkg.Fetcher, reference string) (pkgmetav1.Pkg, error) {
	own := &v1.ProviderRevision{}
	own.Spec.Package = reference
	own.SetResolvedSource(reference)
	if _, err := name.ParseReference(reference); err != nil {
		return nil, err
	}
	file, err := revision.NewImageBackend(from).Init(ctx, revision.PackageRevision(own))
	if err != nil {
		return nil, err
	}
	pkg, err := p.Parse(ctx, file)
	if err != nil {
		return nil, err
	}
	if len(pkg.GetMeta()) != 1 {
		return nil, fmt.Errorf("%s has not one meta", reference)
	}
	meta, ok := xpkg.TryConvertToPkg(pkg.GetMeta()[0], &pkgmetav1.Provider{}, &pkgmetav1.Configuration{}, &pkgmetav1.Function{})
	if !ok {
		return nil, fmt.Errorf("%s is not a package", reference)
	}
	return meta, nil
}

// installed are the packages there are.
func installed(ctx context.Context, kube client.Client) ([]v1.Package, error) {
	providers, configurations, functions := &v1.ProviderList{}, &v1.ConfigurationList{}, &v1.FunctionList{}
	for _, list := range []client.ObjectList{configurations, functions, providers} {
		if err := kube.List(ctx, list); err != nil {
			return nil, err
		}
	}
	var all []v1.Package
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
