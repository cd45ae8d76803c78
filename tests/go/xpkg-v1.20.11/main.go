// Command xpkg-v1.20.11 answers, line by line, what Crossplane v1.20.11's own code says of a package. What it reads packages with is
// internal to Crossplane, so this module is named below it.
//
// A line is a version of Crossplane, a blank, the kind of package that asks (`-`: that of the package itself), a blank, and a reference.
// The answer is JSON: `said`, the sentence of the package or of its revision, empty when it installs.
//
//	xpkg-v1.20.11 cache FOLDER  reads references instead, and answers from the package cache FOLDER with pull policy Never
//	xpkg-v1.20.11 resolve       reads a YAML stream of packages and ImageConfigs, and answers what is installed in the end
//	xpkg-v1.20.11 sets          reads a set of packages from each line, and answers what is in the cluster and in the lock in the end: see sets.go
//	xpkg-v1.20.11 ranges        reads a range, byte 0x1f and a version, and answers `yes`, `no`, or `refused` where one cannot be read
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/Masterminds/semver"
	"github.com/google/go-containerregistry/pkg/name"
	ggcr "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/spf13/afero"

	"github.com/crossplane/crossplane-runtime/pkg/parser"
	v1 "github.com/crossplane/crossplane/apis/pkg/v1"
	"github.com/crossplane/crossplane/internal/controller/pkg/revision"
	"github.com/crossplane/crossplane/internal/xpkg"
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

// cached is what the reconciler of revisions says of a package that is never pulled.
func cached(folder, source string) string {
	cache := xpkg.NewFsPackageCache(folder, afero.NewOsFs())
	if !cache.Has(source) {
		return "failed to get pre-cached package with pull policy Never"
	}
	content, err := cache.Get(source)
	if err != nil {
		return err.Error()
	}
	meta, _ := xpkg.BuildMetaScheme()
	object, _ := xpkg.BuildObjectScheme()
	pkg, err := parser.New(meta, object).Parse(context.Background(), content)
	if err != nil {
		return err.Error()
	}
	if len(pkg.GetMeta()) != 1 {
		return "no meta"
	}
	return ""
}

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
	if len(os.Args) == 2 && os.Args[1] == "resolve" {
		found, err := resolve(context.Background(), p, os.Stdin)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		_ = out.Encode(found)
		return
	}
	if len(os.Args) == 2 && os.Args[1] == "sets" {
		if err := sets(context.Background(), p, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if len(os.Args) == 2 && os.Args[1] == "ranges" {
		for in.Scan() {
			fmt.Println(inRange(in.Text()))
		}
		return
	}
	if len(os.Args) == 3 && os.Args[1] == "cache" {
		for in.Scan() {
			out.Encode(map[string]string{"said": cached(os.Args[2], in.Text())})
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

// said follows the reconcilers of packages and of their revisions.
func said(p parser.Parser, version, kind, text string) string {
	ctx := context.Background()
	reference, err := name.ParseReference(text)
	if err != nil {
		return "cannot unpack package: package tag is not a valid reference: " + err.Error()
	}
	if _, err := head(reference); err != nil {
		return "cannot unpack package: failed to fetch package digest from remote: " + err.Error()
	}
	own := &v1.ProviderRevision{}
	own.Spec.Package = text
	own.SetResolvedSource(text)
	file, err := revision.NewImageBackend(fetcher{}).Init(ctx, revision.PackageRevision(own))
	if err != nil {
		return "cannot initialize parser backend: " + err.Error()
	}
	pkg, err := p.Parse(ctx, struct {
		io.Reader
		io.Closer
	}{io.LimitReader(file, 200<<20), file})
	if err != nil {
		return "cannot parse package contents: " + err.Error()
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
