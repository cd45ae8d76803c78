module hostnet.dev/tests/httpproxy

go 1.25.0

// The last one before addresses with zones.
require golang.org/x/net v0.35.0

require golang.org/x/text v0.22.0 // indirect
