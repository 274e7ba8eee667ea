# What can be done with this checkout. Plain `go build ./...` and `go test ./...` work without it.
#
# Tools are pinned here and run with `go run`, so that go.mod lists only what the product is made of.
GOFUMPT     := mvdan.cc/gofumpt@v0.12.0
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

# What `make image` names the image.
IMAGE ?= codecell
# Where `make run` listens, on loopback.
PORT ?= 8080
# How long each fuzz target runs, the soak, and the soaks of parts.
FUZZTIME ?= 30s
SOAKTIME ?= 10m
PARTTIME ?= 5m
# How long each benchmark runs: longer is steadier.
BENCHTIME ?= 2s
# Acceptance cases and hostile cells are not part of this repository. Their targets do nothing without them.
CASES_DIR   ?= ../shared/cases
HOSTILE_DIR ?= ../shared/hostile
# What the service of these two runs with: auto, native, aot, wasi, purego, thread, aot-thread, wasi-thread, restore or moved (see
# .ci/modes). Guests are in worker processes unless it says thread.
MODE ?= auto
cases hostile: export CODECELL_CONFIG = .ci/modes/$(MODE).json5
# Arguments for the hostile runner, such as HOSTILE_ARGS='--only string_search'.
HOSTILE_ARGS ?=
# What `make rounds` runs with, and how often.
MODES  ?= auto wasi thread wasi-thread
ROUNDS ?= 20
CASES = $(wildcard $(CASES_DIR)/*.jsonl)

# Packages of npm that are servers, clients and compilers for the tests.
PEERS := namespaces/mcp/peers

# Packages run one after the other: two cores that are both busy make every deadline look missed.
PACKAGES := ./...

# What runs under the race detector in `make test`: packages that start goroutines, or whose values several use at once. The
# others (config, declarations, parsing, wire formats, the guest's C, the pure Go engine …) compute on what one caller gave them.
RACE := ./bridge ./bridge/executor ./bridge/internal/account ./catalog ./cmd/codecell \
	./engine/aot ./engine/hybrid ./engine/internal/... ./engine/native ./engine/preparer ./engine/wasi ./engine/worker/... \
	./server ./snapshot/...
# Of these packages, what takes longest there, and mostly inside guests, of which the race detector sees nothing. `make test` runs
# them without it, `make test-long` with it.
LONG := TestBench|TestCache|TestContract|TestDeaf|TestDispose|TestH3ForgedReplies|TestHostile|TestImage|TestKills|TestNothingLeaks

# The guest on WebAssembly is made from the engine's sources in the module cache, and embedded into the binary. From that comes an object
# of the machine's own code, which is linked into the binary. Without wabt there is none, and the engine mode aot says so.
GUEST := engine/wasi/guest/guest.wasm
ifeq ($(shell uname -sm),Linux x86_64)
AOT := engine/aot/code/guest_linux_amd64.syso
endif

# Tests of them must run here, not pass for want of one.
export CODECELL_GUEST = required
ifdef AOT
export CODECELL_AOT = required
endif

.DEFAULT_GOAL := help
.PHONY: help deps guest packages build run demo test test-long check cases hostile rounds bench intl metrics peers clients image container fuzz soak neighbours clean

help: ## Print the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' Makefile

deps: ## Install what is missing to build: compilers for the machine and for WebAssembly (says what it does).
	@.ci/deps.sh cc wasm

guest: deps $(GUEST) $(AOT) ## Build the guest on WebAssembly, which the binary embeds, and the machine's code of it.

$(GUEST): engine/wasi/build.sh go.mod $(wildcard engine/guest/*.c engine/guest/*.h) | deps
	@echo "Compiling the guest to WebAssembly."
	@engine/wasi/build.sh $@

$(AOT): $(GUEST) engine/aot/code/build.sh engine/aot/code/glue.c engine/guest/sandbox.h
	@if .ci/deps.sh wasm2c; then echo "Compiling the guest ahead of time."; engine/aot/code/build.sh $(GUEST) $@; \
		else echo "Without wabt (wasm2c) there is no engine mode aot; all else is built."; fi

# All of the binary but what embeds the guest, so that the two are compiled at once. Of several packages nothing is written.
packages:
	@echo "Compiling the packages; on an empty cache this takes one or two minutes."
	@go build ./cmd/codecell ./server

build: deps ## Build bin/codecell.
	@echo "Downloading the modules that are missing."
	@go mod download
	@$(MAKE) --no-print-directory -j2 $(GUEST) $(AOT) packages
	@echo "Linking bin/codecell."
	@go build -o bin/codecell ./cmd/codecell

run: build ## Start the service on loopback, show a cell running, stay up (PORT=8080; Ctrl-C ends it).
	@.ci/with-service.sh 127.0.0.1:$(PORT) .ci/sample.sh

demo: build ## Run one cell over two MCP servers and a plugin, and tell what it saves against direct tools.
	@go run ./cmd/demo bin/codecell

test: guest ## Pass all tests: vet, the plain run, the race detector where goroutines are, and each benchmark once.
	go vet $(PACKAGES)
	go test -p 1 -count 1 $(PACKAGES)
	go test -race -p 1 -skip '^($(LONG))$$' $(RACE)
	go test -p 1 -run '^$$' -bench . -benchtime 1x $(PACKAGES)

test-long: guest ## Pass all tests of all packages under the race detector; takes long.
	go test -race -p 1 -timeout 30m $(PACKAGES)

check: guest ## Judge the form: gofumpt, vet, staticcheck, tidy modules, nothing uncommitted.
	@unformatted=$$(go run $(GOFUMPT) -l .); if [ -n "$$unformatted" ]; then \
		echo "not gofumpt-clean (go run $(GOFUMPT) -w . mends it):"; echo "$$unformatted"; exit 1; fi
	go vet $(PACKAGES)
	go run $(STATICCHECK) $(PACKAGES)
	go mod tidy -diff
	@changed=$$(git status --porcelain); if [ -n "$$changed" ]; then \
		echo "the tree is not clean; commit these or leave them out:"; echo "$$changed"; exit 1; fi

cases: build ## Run the acceptance cases of CASES_DIR against a service of their own (MODE=auto).
	@if [ -z "$(CASES)" ]; then echo "no cases in $(CASES_DIR)"; else \
		.ci/with-service.sh 127.0.0.1:0 sh -c 'exec python3 "$(CASES_DIR)/run.py" --base "$$CODECELL_SERVER" --files $(CASES)'; fi

hostile: build ## Run the hostile cells of HOSTILE_DIR against a service of their own (MODE=auto).
	@if [ ! -d "$(HOSTILE_DIR)" ]; then echo "no hostile cells in $(HOSTILE_DIR)"; else \
		.ci/with-service.sh 127.0.0.1:0 sh -c \
		'exec python3 "$(HOSTILE_DIR)/run.py" --base "$$CODECELL_SERVER" --pid "$$CODECELL_PID" $(HOSTILE_ARGS)'; fi

rounds: build ## Run all hostile cells ROUNDS=20 times on each of MODES, and hold the service's memory and time to bounds; takes hours.
	@if [ ! -d "$(HOSTILE_DIR)" ]; then echo "no hostile cells in $(HOSTILE_DIR)"; else \
		for mode in $(MODES); do echo "mode $$mode"; CODECELL_CONFIG=.ci/modes/$$mode.json5 \
			.ci/with-service.sh 127.0.0.1:0 .ci/rounds.py "$(HOSTILE_DIR)" $(ROUNDS) $(HOSTILE_ARGS) || exit 1; done; fi

bench: guest ## Measure everything beside its peers; writes bench/report/ (BENCHTIME=2s for each measurement).
	@.ci/deps.sh npm
	cd bench/peers/node && npm install --no-audit --no-fund --no-package-lock --silent
	go run ./bench/peers --time $(BENCHTIME)
	go build -o bin/codecell ./cmd/codecell
	go run ./bench/rates --time $(BENCHTIME)
	go test -run '^$$' -bench . -skip Soak -benchtime $(BENCHTIME) ./bench

intl: ## Write anew what Node gives for the expressions that Intl is held to.
	@.ci/deps.sh nodejs
	node engine/differential/testdata/intl.js >engine/differential/testdata/intl.txt
	TZ=UTC node engine/differential/testdata/dates.js >engine/differential/testdata/dates.txt

metrics: build ## Hold metrics, alerts and their tests to what Prometheus wants.
	@.ci/deps.sh promtool curl
	CODECELL_ADMIN_LISTEN=127.0.0.1:19464 .ci/with-service.sh 127.0.0.1:0 .ci/metrics.sh
	promtool check config --syntax-only docker/prometheus/prometheus.yml
	promtool check rules docker/prometheus/rules.yml
	promtool test rules docker/prometheus/rules_test.yml

peers: guest ## Try the MCP side on servers and clients of others, and the declarations on the TypeScript compiler.
	@.ci/deps.sh npm chromium
	cd $(PEERS) && npm install --no-audit --no-fund --no-package-lock --silent
	PATH=$(CURDIR)/$(PEERS)/node_modules/.bin:$$PATH TSC=$(CURDIR)/$(PEERS)/node_modules/.bin/tsc \
		go test -tags npm -count 1 -run 'Reference|MCPClients|Compile' ./namespaces/mcp ./cmd/codecell ./catalog

clients: guest ## Run the programs of docs/clients.md against the service and a scripted model.
	@.ci/deps.sh curl python3 requests
	go test -tags clients -count 1 -run TestClients .

image: guest ## Build the container image with buildah, without a registry (IMAGE=codecell).
	@docker/image.sh $(IMAGE)

container: guest ## Run a cell in the image's file system without any right; judge the Kubernetes manifests and the systemd unit.
	@.ci/container.sh

fuzz: guest ## Run every fuzz target for FUZZTIME=30s.
	@.ci/fuzz.sh $(FUZZTIME)

soak: build ## Run a service for SOAKTIME=10m under all that clients, cells and tools do to it; nothing may be left or get slower.
	go run ./bench/soak --time $(SOAKTIME) bin/codecell

neighbours: guest ## Run good cells beside bad ones, for PARTTIME=5m, which must leave nothing behind; kill 1,000 workers under load.
	go test -run '^$$' -bench NeighboursSoak -benchtime 20000x -timeout 0 ./bench
	go test -run '^$$' -bench 'Soak$$' -skip Neighbours -benchtime $(PARTTIME) -timeout 0 ./bench
	go test -run '^TestKills$$' -count 1 -timeout 0 -v ./engine/worker -args -kills 1000

clean: ## Remove what was built.
	rm -rf bin $(GUEST) $(AOT)
	go clean -testcache
