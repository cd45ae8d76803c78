module hostnet.dev/tests/imageref

go 1.25.0

// The version in Crossplane v2.3.4; v0.20.7, in v1.20.11, differs only in which registries it reaches by HTTP.
require github.com/google/go-containerregistry v0.21.6

require github.com/opencontainers/go-digest v1.0.0 // indirect
