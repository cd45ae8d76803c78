# One static binary and nothing else: no shell, no libc, no network, nobody's rights.
FROM rust:1.95 AS builder
WORKDIR /src
COPY . .
# As in the Makefile's `static`.
RUN RUSTFLAGS="-C target-feature=+crt-static -C relocation-model=static" \
    cargo build --release --locked --target x86_64-unknown-linux-gnu --bin hostnet

FROM scratch
COPY --from=builder /src/target/x86_64-unknown-linux-gnu/release/hostnet /hostnet
USER 65534:65534
ENTRYPOINT ["/hostnet"]
