# The image contains only one static binary: no shell and no libc. It runs without network, as an unprivileged user.
FROM rust:1.95 AS builder
WORKDIR /src
COPY . .
# Same as `static` in the Makefile, for the building machine: x86_64 or aarch64.
RUN make static && cp "target/$(rustc -vV | sed -n 's/^host: //p')/release/hostnet" /hostnet

FROM scratch
COPY --from=builder /hostnet /hostnet
USER 65534:65534
ENTRYPOINT ["/hostnet"]
