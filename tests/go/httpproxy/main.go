// Command httpproxy answers, line by line, what Go's own matcher makes of proxy variables.
//
// A line holds fields between bytes 0x1f. `decide`: NO_PROXY, scheme, host and port; the answer is D (direct) or P (proxy).
// `url`: the value of HTTPS_PROXY; the answer is D when Go drops it, else the scheme and the host that it reads.
package main

import (
	"bufio"
	"fmt"
	"net/url"
	"os"
	"strings"

	"golang.org/x/net/http/httpproxy"
)

func main() {
	in, out := bufio.NewScanner(os.Stdin), bufio.NewWriter(os.Stdout)
	in.Buffer(nil, 1<<20)
	defer out.Flush()
	for in.Scan() {
		fields := strings.Split(in.Text(), "\x1f")
		switch {
		case len(os.Args) == 2 && os.Args[1] == "decide" && len(fields) == 4:
			fmt.Fprintln(out, decide(fields[0], fields[1], fields[2], fields[3]))
		case len(os.Args) == 2 && os.Args[1] == "url" && len(fields) == 1:
			fmt.Fprintln(out, proxy(strings.ReplaceAll(fields[0], "\x1e", "\n")))
		default:
			fmt.Fprintln(os.Stderr, "usage: httpproxy decide|url")
			os.Exit(2)
		}
	}
}

func decide(noProxy, scheme, host, port string) string {
	config := &httpproxy.Config{HTTPProxy: "http://proxy:3128", HTTPSProxy: "http://proxy:3128", NoProxy: noProxy}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != "" {
		host += ":" + port
	}
	found, err := config.ProxyFunc()(&url.URL{Scheme: scheme, Host: host})
	if err != nil {
		return err.Error()
	}
	if found == nil {
		return "D"
	}
	return "P"
}

func proxy(value string) string {
	found, err := (&httpproxy.Config{HTTPSProxy: value}).ProxyFunc()(&url.URL{Scheme: "https", Host: "example.com"})
	if err != nil {
		return err.Error()
	}
	if found == nil {
		return "D"
	}
	return found.Scheme + " " + found.Host
}
