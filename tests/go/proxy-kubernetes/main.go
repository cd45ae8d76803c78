// Command proxy-kubernetes answers, line by line, what Kubernetes' own code makes of variables.
//
// A line holds fields between bytes 0x1f. `client-go`: NO_PROXY, host and port of an API server; the answer is D (direct) or P (proxy).
// `expand`: NAME=VALUE in the order of a container's `env`, behind those of Services before a field `--`; the answer is what the
// container gets, in the same form and sorted.
package main

import (
	"bufio"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"sort"
	"strings"

	"golang.org/x/net/http/httpproxy"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/kubernetes/third_party/forked/golang/expansion"
)

func main() {
	in, out := bufio.NewScanner(os.Stdin), bufio.NewWriter(os.Stdout)
	in.Buffer(nil, 1<<20)
	defer out.Flush()
	for in.Scan() {
		fields := strings.Split(in.Text(), "\x1f")
		switch {
		case len(os.Args) == 2 && os.Args[1] == "client-go" && len(fields) == 3:
			fmt.Fprintln(out, clientGo(fields[0], fields[1], fields[2]))
		case len(os.Args) == 2 && os.Args[1] == "expand":
			fmt.Fprintln(out, expand(fields))
		default:
			fmt.Fprintln(os.Stderr, "usage: proxy-kubernetes client-go|expand")
			os.Exit(2)
		}
	}
}

// client-go wraps what the variables say in a look of its own (transport of rest.Config: SetTransportDefaults).
func clientGo(noProxy, host, port string) string {
	os.Setenv("NO_PROXY", noProxy)
	os.Setenv("no_proxy", noProxy)
	config := &httpproxy.Config{HTTPSProxy: "http://proxy:3128", NoProxy: noProxy}
	delegate := func(request *http.Request) (*url.URL, error) { return config.ProxyFunc()(request.URL) }
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	request := &http.Request{URL: &url.URL{Scheme: "https", Host: host + ":" + port}}
	found, err := utilnet.NewProxierWithNoProxyCIDR(delegate)(request)
	if err != nil {
		return err.Error()
	}
	if found == nil {
		return "D"
	}
	return "P"
}

// The steps of makeEnvironmentVariables (pkg/kubelet/kubelet_pods.go): a value sees the variables of Services and those before it, and
// of two of a name the last one holds.
func expand(fields []string) string {
	services, own, seen := map[string]string{}, map[string]string{}, false
	result := map[string]string{}
	for _, field := range fields {
		name, value, _ := strings.Cut(field, "=")
		switch {
		case field == "--":
			seen = true
		case !seen:
			services[name] = value
		default:
			value = expansion.Expand(value, expansion.MappingFuncFor(own, services))
			own[name], result[name] = value, value
		}
	}
	lines := make([]string, 0, len(result))
	for name, value := range result {
		lines = append(lines, name+"="+value)
	}
	sort.Strings(lines)
	return strings.Join(lines, "\x1f")
}
