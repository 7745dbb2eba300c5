# make demo   builds the command and ranks the reference agents on the suite quick
# make test   everything that continuous integration checks
# make deny   licences, sources, bans and advisories of all dependencies, by cargo-deny
# make toolchains  installs, as root, what tests build agents in C, Python and JavaScript with
# make wheel  the Python package with the command in it, in target/wheels
# make test-python  types, lints and tests of the Python package, with the command that is built (part of make test)
# make bench  the benchmarks; half an hour
# make test-ray  runs on a Ray cluster of this machine, of the command that is built (part of make test)
# make results-pages  unpacks docs/results into target/results and makes the pages of its runs
# make fuzz   looks for bytes that break a promise: TARGET=loader, patches, modules, answers, plan, journal, scores, pack or npz, for SECONDS

WASM := wasm32-unknown-unknown
DEMO := target/demo
AGENTS := mlp ensemble:size=10 ensemble+:size=10 prior uniform

# rust-toolchain.toml names the toolchain. Where rustup neither has nor gets it, `stable` serves if it is as new: cargo checks.
ifeq ($(shell rustc --version),)
export RUSTUP_TOOLCHAIN := stable
endif

.PHONY: demo test deny test-ray test-python wheel bench results-pages fuzz wasm-target packages toolchains

demo: wasm-target
	cargo build --release --locked --workspace --bin jointly
	rm -rf $(DEMO)
	target/release/jointly run $(AGENTS) --suite quick --out $(DEMO)
	@echo "the command itself is target/release/jointly; README.md goes on from here"

# Some tests have servers of their own on this machine, to which no proxy leads.
test: wasm-target packages
	cargo fmt --all --check
	cargo clippy --release --locked --workspace --all-targets -- -D warnings
	NO_PROXY="127.0.0.1,$$NO_PROXY" cargo test --release --locked --workspace
	RUSTDOCFLAGS="-D warnings" cargo doc --release --locked --workspace --no-deps
	cargo build --release --locked --workspace --bin jointly
	$(MAKE) test-ray test-python

# Builds cargo-deny once, which takes minutes. Bans are of what the command is built from; agents may use what they like. Last
# come the advisories, whose database is cloned from github.com.
CARGO_DENY := target/tools/cargo-deny-0.20.2/bin/cargo-deny

deny: $(CARGO_DENY)
	$(CARGO_DENY) --locked --workspace check licenses sources
	$(CARGO_DENY) --locked --config deny.toml --manifest-path runtime/cli/Cargo.toml check -D unmatched-skip bans
	$(CARGO_DENY) --locked --workspace check advisories

$(CARGO_DENY):
	cargo install --locked --root target/tools/cargo-deny-0.20.2 cargo-deny@0.20.2

RAY = $(abspath target/toolchains/ray/bin/python)

test-ray: packages
	@if [ -x "$(RAY)" ]; then cd runtime/python && \
	  JOINTLY_BIN=$(abspath target/release/jointly) $(RAY) -m pytest tests/test_ray; \
	else echo "skipped the tests on a Ray cluster: Ray is not there" >&2; [ "$$JOINTLY_CI" != 1 ]; fi

TORCH = $(abspath target/toolchains/torch/bin/python)
EVAL = $(abspath target/toolchains/python_package/bin/python)

test-python: packages
	@if [ -x "$(EVAL)" ]; then cd runtime/python && $(EVAL) -m mypy && $(EVAL) -m ruff check . ../../examples/python ../../plugins && \
	  JOINTLY_BIN=$(abspath target/release/jointly) $(EVAL) -m pytest --ignore tests/test_ray; \
	else echo "skipped runtime/python: its packages are not there" >&2; [ "$$JOINTLY_CI" != 1 ]; fi
	@if [ -x "$(TORCH)" ]; then cd runtime/python && \
	  JOINTLY_BIN=$(abspath target/release/jointly) $(TORCH) -m pytest -k torch; \
	else echo "skipped the tests with PyTorch: python3-torch is not there" >&2; fi

# The wheel is that of this machine: a command linked to its C library.
wheel: wasm-target packages
	cd runtime/python && $(EVAL) -m maturin build --release --locked --out ../../target/wheels

bench: wasm-target
	cargo bench --locked -p jointly-benches

results-pages: wasm-target
	cargo build --release --locked --workspace --bin jointly
	rm -rf target/results
	docs/results/pages target/release/jointly target/results

TARGET := answers
SECONDS := 600

# Coverage is an option of the compiler that only nightly releases take unasked; no sanitizer, for all of it is safe code. The
# crate that reads .npy multiplies what a header claims before anybody can look: a panic only where overflow is checked.
fuzz:
	mkdir -p target/fuzz/found/$(TARGET)
	RUSTC_BOOTSTRAP=1 cargo fuzz run $(if $(filter npz,$(TARGET)),--release) --fuzz-dir fuzz --features libfuzzer --sanitizer none --target-dir target/fuzz \
	  $(TARGET) target/fuzz/found/$(TARGET) fuzz/corpus/$(TARGET) -- -max_total_time=$(SECONDS) -timeout=20 -max_len=40000

# Agents are compiled to WebAssembly, for which Rust needs one more target: rust-toolchain.toml names it, but rustup adds it by
# itself only where it may install toolchains by itself.
wasm-target:
	@test -d "$$(rustc --print sysroot)/lib/rustlib/$(WASM)/lib" || rustup target add $(WASM) || { \
	  echo "Rust's target $(WASM) is missing and could not be added."; \
	  echo "With a network and rustup: rustup target add $(WASM)."; \
	  echo "With a distribution's Rust: install its package of that target (Debian: libstd-rust-dev-wasm32)."; \
	  exit 1; }

# Tests build agents in other languages than Rust where their tools are there. What goes into target/ is got unasked;
# a system's own packages, as root, by `make toolchains` alone, or where JOINTLY_CI says that the machine is for this.
packages:
	@.ci/toolchains
toolchains:
	@.ci/toolchains --system
