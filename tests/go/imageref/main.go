// Command imageref answers, line by line, what go-containerregistry makes of an image reference.
//
// A line is a reference. The answer holds fields between bytes 0x1f: registry, repository, tag or digest, and http or https; or
// it is `refused`.
package main

import (
	"bufio"
	"fmt"
	"os"

	"github.com/google/go-containerregistry/pkg/name"
)

func main() {
	in, out := bufio.NewScanner(os.Stdin), bufio.NewWriter(os.Stdout)
	in.Buffer(nil, 1<<20)
	defer out.Flush()
	for in.Scan() {
		reference, err := name.ParseReference(in.Text())
		if err != nil {
			fmt.Fprintln(out, "refused")
			continue
		}
		at := reference.Context()
		fmt.Fprintf(out, "%s\x1f%s\x1f%s\x1f%s\n", at.RegistryStr(), at.RepositoryStr(), reference.Identifier(), at.Scheme())
	}
}
