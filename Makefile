# Deputy. `make help` lists what there is.

SHELL := /bin/bash
GO ?= go
BUILD := build
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
CHECKS := inherit,ST1000,ST1005,ST1016,ST1020,ST1021,ST1022
PKG ?= ./...
# What runs concurrently by design: the engine, the stores, the hosts, the doors.
RACE ?= . ./query/... ./store/... ./transport/... ./internal/app/...
# SQLite is C made into Go: the detector takes five times as long to look at it, and nothing in it is ours.
UNWATCHED := -gcflags=modernc.org/sqlite/lib=-race=false -gcflags=modernc.org/libc=-race=false
FUZZTIME ?= 10s

# One set of flags everywhere, so that tests, checks and the binary share what was compiled.
export CGO_ENABLED := 0
export GOFLAGS := -trimpath

.PHONY: help build test race lint fuzz bench bench-peers bench-sqlite verify smoke ui setup

help: ## This list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## The binary: static, stripped, without cgo, in build/deputy
	$(GO) build -trimpath -ldflags "-s -w" -o $(BUILD)/deputy ./cmd/deputy

test: setup ## All tests; PKG=./query/... for some
	@mkdir -p $(BUILD)
	@$(GO) test -timeout 30m -json $(PKG) | $(GO) run ./.ci/tally/main.go

race: setup ## The engine, the stores and the doors under the race detector; RACE=./pkg for others
	@CGO_ENABLED=1 $(GO) test -race -timeout 30m $(UNWATCHED) -json $(RACE) | $(GO) run ./.ci/tally/main.go

lint: ## gofmt, go vet, staticcheck
	@out=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$out" || { echo "not formatted: $$out"; exit 1; }
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) -checks '$(CHECKS)' ./...

fuzz: ## Every fuzz target for FUZZTIME
	@FUZZTIME=$(FUZZTIME) ./.ci/fuzz

bench: ## Every benchmark once, and what the built binary needs; BENCHTIME=2s to measure
	$(GO) test -run '^$$' -bench . -benchtime $(or $(BENCHTIME),1x) ./...
	$(GO) test -count=1 -v -run TestBinary ./bench
	cd bench/turns/fantasy && $(GO) vet ./...
	$(GO) run ./bench/turns -rounds 1 -for 50ms -streams 20
	cd bench/sqlite && $(GO) vet ./... && $(GO) run . -rounds 1 -for 50ms
	cd bench/toolsets && $(GO) vet ./... && $(GO) test -count=1 -v ./...

bench-peers: ## Whole turns over HTTP beside a floor and a peer, on an idle machine: 8 minutes. docs/benchmarks.md
	$(GO) run ./bench/turns -rounds $(or $(ROUNDS),5) -for $(or $(FOR),4s)

bench-sqlite: ## The SQLite drivers without cgo, on an idle machine: 4 minutes. docs/benchmarks.md
	cd bench/sqlite && $(GO) run . -rounds $(or $(ROUNDS),5) -for $(or $(FOR),8s)

verify: ## What is committed is what was meant: modules, the static binary, the documents, the built page
	@./.ci/verify

smoke: build ## Starts the built binary and asks it over HTTP: health, one turn, one confirmed proposal
	DEPUTY_BINARY=$(CURDIR)/$(BUILD)/deputy $(GO) test -count=1 -v -run TestSmoke ./internal/app

ui: ## Builds the page into web/dist
	cd web && npm ci --no-audit --no-fund && npm run build

ui-shots: setup ## Pictures of the main states of the page, in build/shots
	@mkdir -p $(BUILD)/shots
	DEPUTY_SCREENSHOTS=$(CURDIR)/$(BUILD)/shots $(GO) test -count=1 -run TestBrowser ./web

setup:
	@./.ci/setup
