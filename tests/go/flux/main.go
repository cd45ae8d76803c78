// Fluxbuild makes of manifests what Flux's controllers make of them before they apply them, with Flux's own packages
// and without a cluster:
//
//	fluxbuild --kustomization FILE --path DIR [--cluster FILE] [--substitute NAME=VALUE]... [--strict=false]
//	fluxbuild helm-post-render --helmrelease FILE < CHART-OUTPUT
//
// The first builds as kustomize-controller does, the second post-renders as helm-controller does. Both write a YAML
// stream to standard output.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	output, err := run(os.Args[1:], os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, "fluxbuild:", err)
		os.Exit(1)
	}
	if _, err := os.Stdout.Write(output); err != nil {
		fmt.Fprintln(os.Stderr, "fluxbuild:", err)
		os.Exit(1)
	}
}

func run(arguments []string, stdin io.Reader) ([]byte, error) {
	if len(arguments) > 0 && arguments[0] == "helm-post-render" {
		flags := flag.NewFlagSet(arguments[0], flag.ContinueOnError)
		release := flags.String("helmrelease", "", "file with the HelmRelease `object`")
		if err := parse(flags, arguments[1:]); err != nil {
			return nil, err
		}
		return postRender(*release, stdin)
	}
	var options buildOptions
	flags := flag.NewFlagSet("fluxbuild", flag.ContinueOnError)
	flags.StringVar(&options.kustomization, "kustomization", "", "file with the Flux Kustomization `object`")
	flags.StringVar(&options.source, "path", "", "`folder` that stands for the artifact's content; spec.path is below it")
	flags.StringVar(&options.cluster, "cluster", "", "`file` with the ConfigMaps and Secrets of spec.postBuild.substituteFrom")
	flags.BoolVar(&options.strict, "strict", true, "refuse a variable that nothing sets, as kustomize-controller does since v1.9")
	options.substitute = map[string]string{}
	flags.Func("substitute", "`NAME=VALUE` on top of spec.postBuild.substitute", func(pair string) error {
		name, value, found := strings.Cut(pair, "=")
		if !found {
			return fmt.Errorf("%q is not a NAME=VALUE", pair)
		}
		options.substitute[name] = value
		return nil
	})
	if err := parse(flags, arguments); err != nil {
		return nil, err
	}
	return build(options)
}

func parse(flags *flag.FlagSet, arguments []string) error {
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unknown argument %q", flags.Arg(0))
	}
	return nil
}
