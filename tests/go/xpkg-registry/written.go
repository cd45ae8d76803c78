package main

import (
	"archive/tar"
	"fmt"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

const (
	provider   = "apiVersion: meta.pkg.crossplane.io/v1\nkind: Provider\nmetadata:\n  name: p\nspec:\n  controller:\n    image: x\n"
	function   = "apiVersion: meta.pkg.crossplane.io/v1\nkind: Function\nmetadata:\n  name: f\n"
	definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: a.b.c\n"
	configMap  = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"
	newerXRD   = "apiVersion: apiextensions.crossplane.io/v2\nkind: CompositeResourceDefinition\nmetadata: {name: xs.a.b}\n"
	needing    = "apiVersion: meta.pkg.crossplane.io/v1\nkind: Configuration\nmetadata:\n  name: c\nspec:\n  crossplane:\n    version: '>=v2.0.0'\n" +
		"  dependsOn:\n  - provider: xpkg.crossplane.io/o/p\n    version: '>=v1.0.0'\n  - apiVersion: pkg.crossplane.io/v1\n    kind: Function\n    package: xpkg.crossplane.io/o/f\n    version: v0.1.0\n"
)

// written puts an image for each way in which packages are right or wrong.
func (s *shelf) written() {
	program := func() part {
		return part{layer: pack("", files("usr/bin/provider", strings.Repeat("x", 4096), "etc/passwd", "root"))}
	}
	with := func(text string) part { return part{layer: pack("", files("package.yaml", text))} }
	noted := func(p part) part { p.note = "base"; return p }
	labelled := func(p part) part { p.label = "base"; return p }
	one := func(called string, parts ...part) {
		if s.wants(called) {
			s.put(called, image(false, nil, parts...), parts...)
		}
	}

	one("annotated", program(), labelled(noted(with(provider))))
	parts := []part{program(), noted(with(provider))}
	s.put("annotated-docker", image(true, nil, parts...), parts...)
	one("annotation-lost", program(), labelled(with(provider)))
	one("never-annotated", program(), with(provider))
	other := with(provider)
	other.note = "Base"
	one("annotation-other-value", program(), other)
	s.put("controller-image", image(false, []string{"/usr/bin/provider"}, program()))
	one("no-file", program())
	one("two-bases", noted(with(provider)), noted(with(provider+"# 2\n")))
	one("annotated-without-file", with(provider), noted(program()))
	for called, path := range map[string]string{"dot": "./package.yaml", "absolute": "/package.yaml", "folder": "pkg/package.yaml"} {
		one("annotated-"+called, noted(part{layer: pack("", files(path, provider))}))
		one("lost-"+called, part{layer: pack("", files(path, provider))})
	}
	one("hidden-by", with(provider), part{layer: pack("", files("opt/x/package.yaml", "kind: NotThis\n"))})
	one("lost-whited-out", with(provider), part{layer: pack("", files(".wh.package.yaml", ""))})
	one("annotated-twice-in-layer", noted(part{layer: pack("", files("package.yaml", provider, "package.yaml", provider))}))
	one("annotated-folder-of-that-name", noted(part{layer: pack("", append([]entry{{"package.yaml/", "", tar.TypeDir}}, files("x", "y")...))}))
	one("empty-file", noted(with("")))
	one("unknown-kind", noted(with(provider+"---\n"+configMap)))
	one("xrd-v2", noted(with(needing+"---\n"+newerXRD)))
	one("two-metas", noted(with(provider+"---\n"+provider)))
	one("no-meta", noted(with(definition)))
	one("wrong-object", noted(with(needing+"---\n"+definition)))
	one("function-with-definition", noted(with(function+"---\n"+definition)))
	one("not-yaml", noted(with("\tnot: [yaml")))
	one("no-kind", noted(with("apiVersion: v1\n")))
	one("bad-constraint", noted(with(strings.Replace(needing, ">=v2.0.0", "two", 1))))
	one("blank-constraint", noted(with(strings.Replace(needing, ">=v2.0.0", ">=v1.14.0 <v3.0.0", 1))))
	one("two-commas", noted(with(strings.Replace(needing, ">=v2.0.0", ">=v1.14.0,, <v3.0.0", 1))))
	one("hyphen-constraint", noted(with(strings.Replace(needing, ">=v2.0.0", "1.14 - x3", 1))))
	one("too-new", noted(with(strings.Replace(needing, ">=v2.0.0", ">=v9.0.0", 1))))
	one("needs", noted(with(needing)))
	one("bad-dependency", noted(with(strings.Replace(needing, "'>=v1.0.0'", "newest", 1))))
	one("function", noted(with(function)))
	var many []part
	for i := range 257 {
		many = append(many, part{layer: pack("", files(fmt.Sprintf("f%d", i), "x"))})
	}
	one("257-layers", many...)
	gone := noted(with(provider + "# missing\n"))
	gone.missing = true
	one("blob-missing", program(), gone)
	altered := noted(with(provider + "# altered\n"))
	altered.altered = pack("", files("package.yaml", "kind: Evil\n")).packed
	one("blob-altered", program(), altered)
	bin := part{layer: pack("", files("usr/bin/big", "gone")), missing: true}
	one("lost-program-missing", with(provider), bin)
	bin = part{layer: pack("", files("usr/bin/big", "gone too")), missing: true}
	one("program-missing", noted(with(provider)), bin)
	one("zstd", noted(part{layer: pack("zstd", files("package.yaml", provider))}))
	one("lost-zstd-program", with(provider), part{layer: pack("zstd", files("usr/bin/x", "y"))})
	one("plain", noted(part{layer: pack("plain", files("package.yaml", provider))}))

	images := map[string]v1.Image{}
	for _, platform := range []string{"linux/amd64", "linux/arm64", "unknown/unknown", "-"} {
		images[platform] = image(false, nil, part{layer: pack("", files("bin", platform))}, noted(with(provider)))
	}
	s.put("index-both", index(images, "linux/amd64", "linux/arm64"))
	s.put("index-arm64", index(images, "linux/arm64"))
	s.put("index-attestations", index(images, "unknown/unknown", "linux/arm64"))
	s.put("index-empty", index(images))
	s.put("index-without-platform", index(images, "-"))
	fmt.Println("tag-missing", s.host+"/p/annotated:v9.9.9")
	fmt.Println("repository-missing", s.host+"/p/none:v1.0.0")
}
