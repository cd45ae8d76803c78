# One static binary and nothing else: no shell, no libc, no network, nobody's rights.
FROM rust:1.95 AS builder
WORKDIR /src
COPY . .
# As in the Makefile's `static`, for the machine that builds: x86_64 and aarch64.
RUN make static && cp "target/$(rustc -vV | sed -n 's/^host: //p')/release/hostnet" /hostnet

FROM scratch
COPY --from=builder /hostnet /hostnet
USER 65534:65534
ENTRYPOINT ["/hostnet"]
