# A thin front for CMake. `make help` lists the targets.
#
# Two rules keep the targets independent of the machine and of each other; `make check-first` tests them.
# - `needs-TARGET` names the groups of packages (scripts/install.sh) of a target. The groups of all targets on the command line are installed
#   together, before anything is configured. A user who may not install gets one line with all of them.
# - Every target states each option that some target changes. So no option stays behind from an earlier target.
BUILD ?= build
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
WERROR ?= OFF
CMAKE_FLAGS ?=

# $(1): the options that differ from a plain build. A new build tree takes Ninja when Ninja is there; an old tree keeps its generator.
configure = cmake -S . -B $(BUILD) $$([ -f $(BUILD)/CMakeCache.txt ] || ! command -v ninja >/dev/null || echo -G Ninja) \
	-DSINEW_TESTS=OFF -DSINEW_BENCH=OFF -DSINEW_FUZZ=OFF -DSINEW_WERROR=$(WERROR) -DCMAKE_INSTALL_PREFIX=$(PREFIX) $(1) $(CMAKE_FLAGS)
define build
$(call configure,$(1))
cmake --build $(BUILD) -j $(JOBS)
endef
run_experiments = $(BUILD)/sinew experiment run all --out out/experiments
define run_benchmarks
$(call build,-DSINEW_BENCH=ON)
scripts/peers.sh $(BUILD)
$(BUILD)/bench_touch --peers $(BUILD)/peers
$(BUILD)/bench_cloth --peers $(BUILD)/peers
$(BUILD)/bench_beams --large
$(BUILD)/bench_memory
$(BUILD)/bench_kernels
$(BUILD)/bench_rotations
$(BUILD)/bench_linear
$(BUILD)/bench_incompressible
$(BUILD)/bench_methods
endef
preset = cmake --preset $(1) && cmake --build --preset $(1) -j $(JOBS)

# ---- Packages ----
needs-all := build
needs-demo := build
needs-install := build
needs-torture := build
needs-test := build test python
needs-sanitize := build test python
needs-bench := build bench
needs-experiments := build plots
needs-docs := build python
needs-check-docs := build python
needs-check-first := build
needs-check-format := format
needs-format := format
needs-calculix := build python calculix
needs-readers := build python readers
needs-hashes := build python clang
needs-fuzz := build fuzz
needs-web := web
needs-view := build web view
needs-webtest := build web view browser
needs-nightly := $(needs-test) $(needs-sanitize) $(needs-calculix) $(needs-readers) $(needs-hashes) $(needs-fuzz) $(needs-experiments) $(needs-bench)

packages:
	@scripts/install.sh $(sort $(foreach goal,$(or $(MAKECMDGOALS),all),$(needs-$(goal))))

# ---- Targets ----
all: packages ## build into build/: build/sinew, build/libsinew.a and .so
	$(call build)

demo: all ## build, run a ready scene, write its results and a picture
	$(BUILD)/sinew run scenes/demo.json --out out/demo --picture out/demo/demo.png
	@echo "results: out/demo, picture: out/demo/demo.png"

test: packages ## every test, or those whose name holds ONLY=...; WERROR=ON turns warnings into errors
	$(call build,-DSINEW_TESTS=ON)
	ctest --test-dir $(BUILD) -j $(JOBS) --output-on-failure --timeout 300 --no-tests=error $(if $(ONLY),-R '$(ONLY)',)

bench: packages ## speed beside Bullet, MuJoCo and Jolt in one run, in tables; about ten minutes
	$(run_benchmarks)

web: packages ## the page as a static site in build/web (minutes the first time)
	$(MAKE) -f web/engine.mk BUILD=$(BUILD) -j $(JOBS)
	cd web && npm ci --no-audit --no-fund --loglevel=error
	node web/build.mjs $(BUILD)

view: all web ## build, serve the page with the native engine and print the address (SCENE=...)
	$(BUILD)/sinew view $(or $(SCENE),scenes/dropped-octopus.json)

webtest: all web ## the page in headless Chromium, minutes; not part of `make test`
	node test/web/hash.mjs $(BUILD)
	node test/web/page.mjs $(BUILD)

experiments: all ## every experiment of the documents in full and one table at the end, results in out/experiments; about 40 minutes
	$(run_experiments)

torture: packages ## the robustness suite: the answers to broken starts in one table, a few minutes
	$(call configure)
	cmake --build $(BUILD) -j $(JOBS) --target torture
	$(BUILD)/torture

calculix: all ## compare statics with CalculiX on the same meshes
	python3 test/calculix/compare.py $(BUILD)/sinew

readers: all ## VTK and meshio read the results, Sinew reads their meshes
	/usr/bin/python3 test/output/readers.py $(BUILD)/sinew

sanitize: packages ## the tests under AddressSanitizer + UndefinedBehaviorSanitizer, then ThreadSanitizer
	$(call preset,asan) && ctest --preset asan
	$(call preset,tsan) && ctest --preset tsan

hashes: all ## the same bits from release, debug, scalar and clang builds on 1, 2 and 4 threads
	for p in debug scalar clang; do \
	  cmake --preset $$p -DSINEW_TESTS=OFF >/dev/null && cmake --build --preset $$p -j $(JOBS) --target sinew || exit 1; done
	python3 test/hashes/compare.py $(BUILD)/sinew build-debug/sinew build-scalar/sinew build-clang/sinew

fuzz: packages ## libFuzzer on every mesh reader and the scene loader, FUZZ_SECONDS each (default 60)
	scripts/fuzz.sh $(or $(FUZZ_SECONDS),60)

nightly: test sanitize calculix readers hashes ## everything long: tests, sanitizers, CalculiX, VTK and meshio, hashes, clang and scalar builds, fuzzing, experiments in full, benchmarks
	$(call preset,scalar) && ctest --preset scalar
	$(call preset,clang) && ctest --preset clang
	scripts/fuzz.sh $(or $(FUZZ_SECONDS),60)
	$(run_experiments)
	$(run_benchmarks)

docs: all ## write docs/names.md and docs/scene-keys.md from `sinew list`, and docs/api.md from the public headers
	scripts/docs.sh $(BUILD)/sinew docs

check-docs: all ## docs/names.md and docs/api.md are those that `make docs` writes
	scripts/docs.sh $(BUILD)/sinew docs --check

check-first: packages ## the targets of this file install before they configure, and configure with what they installed
	scripts/check-first.sh

format: packages ## lay out the sources with clang-format
	scripts/format.sh

check-format: packages ## the sources are laid out as clang-format lays them out
	scripts/format.sh --check

install: all ## install library, headers, command, pkg-config file and CMake package (PREFIX=/usr/local)
	cmake --install $(BUILD)
	@[ -n "$$DESTDIR" ] || [ $$(id -u) != 0 ] || ldconfig

clean: ## remove everything that was built
	rm -rf build build-* out

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "  one test:         make test ONLY=test_law"

.PHONY: packages all demo test bench web view webtest experiments torture calculix readers sanitize hashes fuzz nightly docs check-docs check-first format \
	check-format install clean help
.DEFAULT_GOAL := all
.NOTPARALLEL:
