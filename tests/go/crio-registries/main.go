// crio-registries reads registries.conf.d and certs.d of a folder as CRI-O reads those of /etc/containers, and pulls by them.
//
//	crio-registries FOLDER REFERENCE...  for each image a line: the places that are asked for it, in order; then its digest, or a hyphen
//
// Only a place on this machine is asked.
package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/sirupsen/logrus"
	"go.podman.io/image/v5/docker"
	"go.podman.io/image/v5/docker/reference"
	"go.podman.io/image/v5/manifest"
	"go.podman.io/image/v5/pkg/sysregistriesv2"
	"go.podman.io/image/v5/types"
)

func main() {
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(folder string, references []string) error {
	logrus.SetOutput(io.Discard)
	system := &types.SystemContext{
		SystemRegistriesConfPath:    os.DevNull,
		SystemRegistriesConfDirPath: filepath.Join(folder, "registries.conf.d"),
		DockerPerHostCertDirPath:    filepath.Join(folder, "certs.d"),
	}
	for _, text := range references {
		named, err := reference.ParseNamed(text)
		if err != nil {
			return err
		}
		sources := []string{text}
		registry, err := sysregistriesv2.FindRegistry(system, named.String())
		if err != nil {
			return err
		}
		if registry != nil {
			sources = nil
			pulled, err := registry.PullSourcesFromReference(named)
			if err != nil {
				fmt.Println(text, err)
				continue
			}
			for _, source := range pulled {
				place := source.Reference.String()
				if source.Endpoint.Insecure {
					place += " (insecure)"
				}
				sources = append(sources, place)
			}
		}
		fmt.Println(text, strings.Join(sources, " "), digest(system, named, sources[0]))
	}
	return nil
}

// digest pulls the manifest of an image whose first place is on this machine.
func digest(system *types.SystemContext, named reference.Named, place string) string {
	host, _, err := net.SplitHostPort(strings.SplitN(place, "/", 2)[0])
	if err != nil || !net.ParseIP(host).IsLoopback() {
		return "-"
	}
	image, err := docker.NewReference(named)
	if err != nil {
		return "-"
	}
	source, err := image.NewImageSource(context.Background(), system)
	if err != nil {
		return "-"
	}
	defer source.Close()
	bytes, _, err := source.GetManifest(context.Background(), nil)
	if err != nil {
		return "-"
	}
	found, err := manifest.Digest(bytes)
	if err != nil {
		return "-"
	}
	return found.String()
}
