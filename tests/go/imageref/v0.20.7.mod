module hostnet.dev/tests/imageref

go 1.25.0

// The version in Crossplane v1.20.11.
require github.com/google/go-containerregistry v0.20.7

require github.com/opencontainers/go-digest v1.0.0 // indirect
