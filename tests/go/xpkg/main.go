// Command xpkg answers, line by line, what Crossplane's own code from v2.2 on says of a package.
//
// A line is a version of Crossplane, a blank, the kind of package that asks (`-`: that of the package itself), a blank, and a reference.
// The answer is JSON: `said`, the sentence of the package or of its revision, empty when it installs.
//
//	xpkg cache FOLDER  reads references instead, and answers from the package cache FOLDER with pull policy Never, without any registry//	xpkg ranges          reads a range, byte 0x1f and a version, and answers `yes`, `no`, or `refused` where one cannot be read
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/Masterminds/semver/v3"
	"github.com/crossplane/crossplane-runtime/v2/pkg/xpkg"
	"github.com/crossplane/crossplane-runtime/v2/pkg/xpkg/parser"
	"github.com/crossplane/crossplane/apis/v2/pkg/v1beta1"
	"github.com/google/go-containerregistry/pkg/name"
	ggcr "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/spf13/afero"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

type versioner string

func (v versioner) GetVersionString() string            { return string(v) }
func (v versioner) GetSemVer() (*semver.Version, error) { return semver.NewVersion(string(v)) }
func (v versioner) InConstraints(text string) (bool, error) {
	own, err := v.GetSemVer()
	if err != nil {
		return false, err
	}
	constraint, err := semver.NewConstraint(text)
	if err != nil {
		return false, err
	}
	return constraint.Check(own), nil
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	meta, _ := xpkg.BuildMetaScheme()
	object, _ := xpkg.BuildObjectScheme()
	p := parser.New(meta, object)
	if len(os.Args) == 2 && os.Args[1] == "ranges" {
		for in.Scan() {
			fmt.Println(inRange(in.Text()))
		}
		return
	}
	if len(os.Args) == 3 && os.Args[1] == "cache" {
		for in.Scan() {
			out.Encode(map[string]string{"said": cached(p, os.Args[2], in.Text())})
		}
		return
	}
	for in.Scan() {
		fields := strings.Fields(in.Text())
		if len(fields) != 3 {
			continue
		}
		out.Encode(map[string]string{"said": said(p, fields[0], fields[1], fields[2])})
	}
}

// said follows Get of the cached client, and what the reconciler of revisions does with the package.
func said(p parser.Parser, version, kind, text string) string {
	const unpack = "cannot unpack package: "
	reference, err := name.ParseReference(text)
	if err != nil {
		return unpack + "cannot parse package reference " + text + ": " + err.Error()
	}
	head, err := head(reference)
	if err != nil {
		return unpack + "cannot resolve " + reference.String() + " to digest: " + err.Error()
	}
	image, err := remote.Image(reference.Context().Digest(head.Digest.String()))
	if err != nil {
		return unpack + "cannot fetch package " + text + ": " + err.Error()
	}
	file, err := xpkg.ExtractPackageYAML(image)
	if err != nil {
		return unpack + "cannot extract package content from " + text + ": " + err.Error()
	}
	pkg, err := p.Parse(context.Background(), struct {
		io.Reader
		io.Closer
	}{io.LimitReader(file, 200<<20), file})
	if err != nil {
		return unpack + "cannot parse package " + text + ": " + err.Error()
	}
	if metas := pkg.GetMeta(); kind == "-" && len(metas) == 1 {
		kind = metas[0].GetObjectKind().GroupVersionKind().Kind
	}
	linter := map[string]parser.Linter{"Configuration": xpkg.NewConfigurationLinter(), "Function": xpkg.NewFunctionLinter()}[kind]
	if linter == nil {
		linter = xpkg.NewProviderLinter()
	}
	if err := linter.Lint(pkg); err != nil {
		return "linting package contents failed: " + err.Error()
	}
	if version == "-" {
		return ""
	}
	if err := xpkg.PackageCrossplaneCompatible(versioner(version))(pkg.GetMeta()[0]); err != nil {
		return "incompatible Crossplane version: " + err.Error()
	}
	return ""
}

// nowhere is a way to registries that leads to none, and no ImageConfigs.
type nowhere struct{}

var errNowhere = errors.New("a registry was asked")

func (nowhere) Fetch(context.Context, name.Reference, ...string) (ggcr.Image, error) { return nil, errNowhere }
func (nowhere) Head(context.Context, name.Reference, ...string) (*ggcr.Descriptor, error) {
	return nil, errNowhere
}
func (nowhere) Tags(context.Context, name.Reference, ...string) ([]string, error) { return nil, errNowhere }

// cached is what the client says of a package that is never pulled.
func cached(p parser.Parser, folder, reference string) string {
	configs := xpkg.NewImageConfigStore(fake.NewClientBuilder().WithScheme(scheme()).Build(), "crossplane-system")
	cache := xpkg.NewFsPackageCache(folder, afero.NewOsFs())
	client := xpkg.NewCachedClient(nowhere{}, p, cache, configs, nil)
	pkg, err := client.Get(context.Background(), reference, xpkg.WithPullPolicy(corev1.PullNever))
	if err != nil {
		return err.Error()
	}
	if pkg.GetMeta() == nil {
		return "no meta"
	}
	return ""
}

func scheme() *runtime.Scheme {
	all := runtime.NewScheme()
	if err := v1beta1.AddToScheme(all); err != nil {
		panic(err)
	}
	return all
}

func inRange(line string) string {
	text, version, _ := strings.Cut(line, "\x1f")
	own, err := semver.NewVersion(version)
	if err != nil {
		return "refused"
	}
	constraint, err := semver.NewConstraint(text)
	if err != nil {
		return "refused"
	}
	if constraint.Check(own) {
		return "yes"
	}
	return "no"
}

// head asks twice, as Crossplane's own fetcher does, which needs a cluster.
func head(reference name.Reference) (*ggcr.Descriptor, error) {
	descriptor, err := remote.Head(reference)
	if err == nil {
		return descriptor, nil
	}
	got, second := remote.Get(reference)
	if second != nil {
		return nil, fmt.Errorf("failed to fetch package descriptor with a GET request after a previous HEAD request failure: %v: %w", err, second)
	}
	return &got.Descriptor, nil
}
