// Command containerd answers where containerd looks for images of a registry, by its own reader of hosts.toml, and pulls one.
//
//	containerd FOLDER HOST            a line for each place: its URL, a blank, whether it may pull and resolve
//	containerd FOLDER pull REFERENCE  the digest and the number of bytes of a manifest
//	containerd import FILE            a line for each image of an archive: its name, a blank, its digest; all that it needs has to be there
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/containerd/containerd/v2/core/content"
	"github.com/containerd/containerd/v2/core/images"
	"github.com/containerd/containerd/v2/core/images/archive"
	"github.com/containerd/containerd/v2/core/remotes/docker"
	"github.com/containerd/containerd/v2/core/remotes/docker/config"
	"github.com/containerd/containerd/v2/plugins/content/local"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	ctx := context.Background()
	if arguments[0] == "import" {
		return imported(ctx, arguments[1])
	}
	hosts := config.ConfigureHosts(ctx, config.HostOptions{HostDir: config.HostDirFromRoot(arguments[0])})
	if arguments[1] != "pull" {
		all, err := hosts(arguments[1])
		if err != nil {
			return err
		}
		for _, own := range all {
			fmt.Printf("%s://%s%s %t\n", own.Scheme, own.Host, own.Path, own.Capabilities.Has(docker.HostCapabilityPull|docker.HostCapabilityResolve))
		}
		return nil
	}
	resolver := docker.NewResolver(docker.ResolverOptions{Hosts: hosts})
	name, descriptor, err := resolver.Resolve(ctx, arguments[2])
	if err != nil {
		return err
	}
	fetcher, err := resolver.Fetcher(ctx, name)
	if err != nil {
		return err
	}
	body, err := fetcher.Fetch(ctx, descriptor)
	if err != nil {
		return err
	}
	defer body.Close()
	bytes, err := io.ReadAll(body)
	fmt.Println(descriptor.Digest, len(bytes))
	return err
}

// imported reads an archive as `ctr images import` does, which takes the names of images from this annotation.
func imported(ctx context.Context, file string) error {
	folder, err := os.MkdirTemp("", "import")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	store, err := local.NewStore(folder)
	if err != nil {
		return err
	}
	opened, err := os.Open(file)
	if err != nil {
		return err
	}
	defer opened.Close()
	descriptor, err := archive.ImportIndex(ctx, store, opened)
	if err != nil {
		return err
	}
	bytes, err := content.ReadBlob(ctx, store, descriptor)
	if err != nil {
		return err
	}
	var index ocispec.Index
	if err := json.Unmarshal(bytes, &index); err != nil {
		return err
	}
	for _, image := range index.Manifests {
		is := images.HandlerFunc(func(ctx context.Context, found ocispec.Descriptor) ([]ocispec.Descriptor, error) {
			info, err := store.Info(ctx, found.Digest)
			if err == nil && info.Size != found.Size {
				err = fmt.Errorf("%s has %d bytes, and not %d", found.Digest, info.Size, found.Size)
			}
			return nil, err
		})
		if err := images.Walk(ctx, images.Handlers(is, images.ChildrenHandler(store)), image); err != nil {
			return err
		}
		fmt.Println(image.Annotations[images.AnnotationImageName], image.Digest)
	}
	return nil
}
