# A thin front for CMake. `make help` lists the targets.
BUILD ?= build
JOBS ?= $(shell nproc)
CMAKE_FLAGS ?=
generator := $(if $(shell command -v ninja),-G Ninja,)

all: $(BUILD)/CMakeCache.txt ## build into build/: build/sinew, build/libsinew.a and .so
	cmake --build $(BUILD) -j $(JOBS)

$(BUILD)/CMakeCache.txt: CMakeLists.txt
	@scripts/install.sh build
	cmake -S . -B $(BUILD) $(if $(wildcard $(BUILD)/CMakeCache.txt),,$(generator)) $(CMAKE_FLAGS)

demo: all ## build, run a ready scene, write its results and a picture
	$(BUILD)/sinew run scenes/demo.json --out out/demo --picture out/demo/demo.png
	@echo "results: out/demo, picture: out/demo/demo.png"

test: ## install what is missing, build with warnings as errors, run every test
	@scripts/install.sh build test
	cmake -S . -B $(BUILD) $(if $(wildcard $(BUILD)/CMakeCache.txt),,$(generator)) -DSINEW_WERROR=ON -DSINEW_TESTS=ON $(CMAKE_FLAGS)
	cmake --build $(BUILD) -j $(JOBS)
	ctest --test-dir $(BUILD) -j $(JOBS) --output-on-failure --timeout 300

bench: ## speed beside Bullet in one run, one table; some minutes
	@scripts/install.sh build bench
	cmake -S . -B $(BUILD) $(if $(wildcard $(BUILD)/CMakeCache.txt),,$(generator)) -DSINEW_BENCH=ON $(CMAKE_FLAGS)
	cmake --build $(BUILD) -j $(JOBS)
	$(BUILD)/bench_beams --large
	$(BUILD)/bench_kernels
	$(BUILD)/bench_rotations
	$(BUILD)/bench_linear
	$(BUILD)/bench_methods

web: ## the page as a static site in build/web (minutes the first time)
	@scripts/install.sh web
	$(MAKE) -f web/engine.mk BUILD=$(BUILD) -j $(JOBS)
	cd web && npm ci --no-audit --no-fund --loglevel=error
	node web/build.mjs $(BUILD)

view: ## build, serve the page with the native engine and print the address (SCENE=...)
	@scripts/install.sh view
	cmake -S . -B $(BUILD) $(if $(wildcard $(BUILD)/CMakeCache.txt),,$(generator)) $(CMAKE_FLAGS)
	@$(MAKE) all web
	$(BUILD)/sinew view $(or $(SCENE),scenes/dropped-octopus.json)

webtest: web ## the page in headless Chromium, minutes; not part of `make test`
	@scripts/install.sh build view browser
	cmake -S . -B $(BUILD) $(if $(wildcard $(BUILD)/CMakeCache.txt),,$(generator)) $(CMAKE_FLAGS)
	@$(MAKE) all
	node test/web/hash.mjs $(BUILD)
	node test/web/page.mjs $(BUILD)

experiments: all ## every experiment of the documents in full, results in out/experiments: an hour or more
	@scripts/install.sh plots
	$(BUILD)/sinew experiment run all --out out/experiments

docs: all ## write docs/names.md and docs/scene-keys.md, every name and key that a scene can use, from the command itself
	@{ echo '# Names'; echo; echo 'Written by `make docs` from `sinew list`.'; \
	  $(BUILD)/sinew list | sed -E 's/^([a-z].*)$$/\n## \1\n| name | what |\n| --- | --- |/; s/^  ([^ ]+) +(.*)$$/| `\1` | \2 |/'; } > docs/names.md
	@$(BUILD)/sinew list options > docs/scene-keys.md
	@echo "docs/names.md docs/scene-keys.md"

torture: all ## the robustness suite: what comes back from broken starts, a few minutes, one table
	$(BUILD)/torture

calculix: all ## compare statics with CalculiX on the same meshes
	@scripts/install.sh calculix
	python3 test/calculix/compare.py $(BUILD)/sinew

sanitize: ## the tests under AddressSanitizer + UndefinedBehaviorSanitizer, then ThreadSanitizer
	@scripts/install.sh build test
	cmake --preset asan && cmake --build --preset asan -j $(JOBS) && ctest --preset asan
	cmake --preset tsan && cmake --build --preset tsan -j $(JOBS) && ctest --preset tsan

hashes: all ## the same bits from release, debug, scalar and clang builds on 1, 2 and 4 threads
	@scripts/install.sh build clang
	for p in debug scalar clang; do cmake --preset $$p >/dev/null && cmake --build --preset $$p -j $(JOBS) --target sinew || exit 1; done
	python3 test/hashes/compare.py $(BUILD)/sinew build-debug/sinew build-scalar/sinew build-clang/sinew

fuzz: ## libFuzzer on every mesh reader and the scene loader, FUZZ_SECONDS each (default 60)
	@scripts/install.sh build fuzz
	scripts/fuzz.sh $(or $(FUZZ_SECONDS),60)

nightly: test sanitize calculix hashes ## everything long: tests, sanitizers, CalculiX, hashes, clang and scalar builds, fuzzing
	cmake --preset scalar && cmake --build --preset scalar -j $(JOBS) && ctest --preset scalar
	cmake --preset clang && cmake --build --preset clang -j $(JOBS) && ctest --preset clang
	$(MAKE) fuzz

format: ## lay out the sources with clang-format
	git ls-files '*.c' '*.h' | xargs clang-format -i

install: all ## install library, headers, command, pkg-config file and CMake package (PREFIX=/usr/local)
	cmake --install $(BUILD) $(if $(PREFIX),--prefix $(PREFIX),)

clean: ## remove everything that was built
	rm -rf build build-* out

help: ## this list
	@awk -F':.*## ' '/^[a-z]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "  one test:       ctest --test-dir build -R test_law --output-on-failure"
	@echo "  one case of it: CMOCKA_TEST_FILTER='*name*' build/test_law"

.PHONY: all demo test bench experiments docs torture web view webtest calculix sanitize hashes fuzz nightly format install clean help
.DEFAULT_GOAL := all
