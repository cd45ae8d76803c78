module hostnet.dev/tests/httpproxy

go 1.25.0

// The copy in net/http of Go 1.21 and 1.22 decides as this one, which refuses schemes.
require golang.org/x/net v0.17.0

require golang.org/x/text v0.13.0 // indirect
