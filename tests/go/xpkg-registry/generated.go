package main

import (
	"archive/tar"
	"fmt"
	"math/rand/v2"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// generated puts images that chance made: the same ones each time.
func (s *shelf) generated(count int) {
	dice := rand.New(rand.NewPCG(2026, 11))
	one := func(all ...string) string { return all[dice.IntN(len(all))] }
	often := func(percent int) bool { return dice.IntN(100) < percent }
	texts := []string{provider, provider, provider + "---\n" + definition, function, needing + "---\n" + newerXRD, provider + "---\n" + configMap,
		"", "# nothing\n---\n", provider + "---\n" + provider, definition, "kind: NotThis\n", "\tnot: [yaml", strings.ReplaceAll(provider, "/v1\n", "/v1alpha1\n")}
	names := []string{"package.yaml", "package.yaml", "package.yaml", "./package.yaml", "/package.yaml", "opt/package.yaml", "opt/x/../package.yaml", "a/./package.yaml",
		"package.yaml.bak", "usr/bin/x", "opt/y", ".wh.package.yaml", ".wh.opt", "opt/.wh.package.yaml", "opt/.wh..wh..opq", ".wh..wh..opq", "x/.wh.package.yaml"}
	// Each layer has a file that no other one has, so that what is wrong with one blob is wrong with one image.
	made := func(unique string) part {
		entries := files(unique, "x")
		for range 1 + dice.IntN(4) {
			called := one(names...)
			switch {
			case strings.Contains(called, ".wh."):
				entries = append(entries, entry{called, "", tar.TypeReg})
			case often(4):
				entries = append(entries, entry{one("opt/", "package.yaml/", "usr/"), "", tar.TypeDir})
			case often(4):
				link := one("x", "../../etc", "/package.yaml", "opt/package.yaml")
				entries = append(entries, entry{one("opt", "package.yaml", "l"), link, one("1", "2")[0]})
			default:
				entries = append(entries, entry{called, one(texts...), tar.TypeReg})
			}
		}
		p := part{layer: pack(one("", "", "", "", "", "", "zstd", "plain"), entries)}
		switch {
		case often(35):
			p.note = "base"
		case often(5):
			p.note = one("Base", "examples", "")
		}
		if often(20) {
			p.label = "base"
		}
		if often(3) {
			p.missing = true
		} else if often(3) {
			p.altered = pack("", files("package.yaml", "kind: Evil\n")).packed
		}
		return p
	}
	whole := func(at int) (v1.Image, []part) {
		parts := []part{}
		for i := range 1 + dice.IntN(4) {
			parts = append(parts, made(fmt.Sprintf("unique/%d-%d", at, i)))
		}
		return image(often(20), nil, parts...), parts
	}
	for at := range count {
		called := fmt.Sprintf("g%04d", at)
		made, parts := whole(at)
		if often(10) {
			platform := one("linux/amd64", "linux/amd64", "linux/arm64", "-", "windows/amd64", "unknown/unknown")
			s.put(called, index(map[string]v1.Image{platform: made}, platform), parts...)
			continue
		}
		s.put(called, made, parts...)
	}
}
