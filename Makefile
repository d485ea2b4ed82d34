# The words people type; Meson does the work (meson.build, docs/architecture.md).
#
# LIMIT: needs make and a shell; everything else `tools/install-deps` gets through apt.

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX ?= /usr/local
RELEASE := build/release

# Optimised, with line tables, asserts off; link-time optimisation inlines hash tables across files.
# No -march: the program runs on any machine of its architecture.
RELEASE_OPTIONS := --buildtype=release -Doptimization=2 -Ddebug=true -Db_ndebug=true -Db_lto=true \
	-Db_lto_threads=$(JOBS)

.PHONY: all pages demo test quick bench truth fuzz torture soak tidy coverage size schemas fmt install uninstall clean help ci

all: deps-build $(RELEASE)/build.ninja
	@ninja -C $(RELEASE) -j $(JOBS) --quiet lode
	@echo "built: $(RELEASE)/lode"

.PHONY: deps-build deps-test deps-demo deps-bench deps-coverage deps-truth
deps-build deps-test deps-demo deps-bench deps-coverage deps-truth: deps-%:
	@tools/install-deps $*

$(RELEASE)/build.ninja: meson.build meson_options.txt Makefile | deps-build
	@mkdir -p build
	@meson setup $(if $(wildcard $@),--reconfigure) $(RELEASE) $(RELEASE_OPTIONS) \
		-Dprefix=$(PREFIX) -Dtests=false >build/release.log 2>&1 || \
		{ cat build/release.log >&2; exit 1; }
	@touch $@

## pages: build lode with its HTML pages
pages: deps-demo
	@tools/build-pages enabled
	@$(MAKE) --no-print-directory all

## demo: mine the six recordings of samples/
demo: deps-demo all
	@tools/demo $(RELEASE)/lode

## test: all checks of CI (gcc, clang, sanitizers, formatting, tidy, layers)
test: deps-test
	@tools/run-tests --jobs $(JOBS)

## quick: the gcc build and its tests only
quick: deps-test
	@tools/run-tests --jobs $(JOBS) gcc

ci: test

## bench: measure against peers; JSON lines in build/bench/bench.json (BENCH=--quick: check that they work)
bench: deps-bench
	@tools/setup-build bench gcc $(RELEASE_OPTIONS) -Dtests=true
	@ninja -C build/bench -j $(JOBS) --quiet bench_programs
	@bench/run.py --build build/bench $(BENCH)

## truth: known faults in real software, recorded again, and whether lode names them (docs/truth.md; TRUTH=--doc)
truth: deps-truth all
	@truth/run.py --lode $(RELEASE)/lode $(TRUTH)
	@truth/suspects.py $(RELEASE)/lode

## torture: damaged inputs, signals, closed pipes, small disks (docs/reliability.md): TORTURE_INPUTS (100000), TORTURE_KILLS (1000)
torture: deps-test
	@tools/setup-build gcc gcc --buildtype=release -Doptimization=2 -Ddebug=true --werror
	@ninja -C build/gcc -j $(JOBS) --quiet lode tests/torture/forkserver.so
	@tools/run-fuzz --build
	@tools/torture --plain build/gcc/lode --sanitized build/fuzz/lode \
		--server build/gcc/tests/torture/forkserver.so --full --keep build/torture \
		--inputs $(or $(TORTURE_INPUTS),100000) --kills $(or $(TORTURE_KILLS),1000) --pipes 500 --disks 500

## soak: lode serve and lode pio watch for SOAK_MINUTES (30), while their inputs change
soak: deps-test
	@tools/setup-build gcc gcc --buildtype=release -Doptimization=2 -Ddebug=true --werror
	@ninja -C build/gcc -j $(JOBS) --quiet lode
	@tools/torture --plain build/gcc/lode --minutes $(or $(SOAK_MINUTES),30) soak

## fuzz: each libFuzzer target for FUZZ_SECONDS of CPU (default 60)
fuzz: deps-test
	@tools/run-fuzz $(or $(FUZZ_SECONDS),60) $(FUZZ)

## tidy: clang-tidy over src/, to the analyzer's full depth
tidy: deps-test
	@TIDY_NODES=225000 tools/run-tests --jobs $(JOBS) tidy

## coverage: lines and branches that the tests reach, by folder; a report in build/coverage/html
coverage: deps-coverage
	@tools/run-coverage $(JOBS)

## size: lines of code and files under src/, by folder
size:
	@tools/count-lines

## schemas: write docs/schema and docs/fields.md from the tables of fields
schemas: all
	@tools/write-schemas $(RELEASE)/lode

## fmt: format all sources
fmt: deps-test
	@git ls-files -z '*.c' '*.h' | xargs -0 clang-format -i

## install: to PREFIX (default /usr/local), under DESTDIR
install: all
	@meson configure $(RELEASE) -Dprefix=$(PREFIX) >/dev/null
	@ninja -C $(RELEASE) -j $(JOBS) --quiet >/dev/null
	@meson install -C $(RELEASE) --no-rebuild $(if $(DESTDIR),--destdir "$$(realpath -m "$(DESTDIR)")")

## uninstall: remove what the last install put there
uninstall:
	@ninja -C $(RELEASE) --quiet uninstall >/dev/null
	@echo "uninstalled"

## clean: remove all builds
clean:
	@rm -rf build

## help: this list
help:
	@echo "make: build $(RELEASE)/lode"
	@sed -n 's/^## /make /p' Makefile
