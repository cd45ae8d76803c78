// Command containerd answers where containerd looks for images of a registry, by the reader of hosts.toml of its 1.7 line, and pulls one.
//
//	containerd FOLDER HOST            a line for each place: its URL, a blank, whether it may pull and resolve
//	containerd FOLDER pull REFERENCE  the digest and the number of bytes of a manifest
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/containerd/containerd/remotes/docker"
	"github.com/containerd/containerd/remotes/docker/config"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	ctx := context.Background()
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
