module hostnet.dev/tests/proxy-kubernetes

go 1.25.0

require (
	golang.org/x/net v0.56.0
	k8s.io/apimachinery v0.34.2
	k8s.io/kubernetes v1.34.2
)

require (
	github.com/go-logr/logr v1.4.2 // indirect
	golang.org/x/text v0.38.0 // indirect
	k8s.io/klog/v2 v2.130.1 // indirect
	k8s.io/utils v0.0.0-20250604170112-4c0f3b243397 // indirect
)
