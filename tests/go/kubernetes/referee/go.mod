module hostnet.dev/tests/kubernetes/referee

go 1.20

require k8s.io/kubernetes v1.27.4
