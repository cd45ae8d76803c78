module hostnet.dev/tests/httpproxy

go 1.25.0

// Its httpproxy decides as the copy in net/http of Go 1.26 does.
require golang.org/x/net v0.56.0

require golang.org/x/text v0.38.0 // indirect
