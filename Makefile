# Everything a contributor needs. Tools are pinned here and installed by make itself into .tools, which git ignores.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

GOLANGCI_LINT_VERSION      := v2.15.0
PROTOC_GEN_GO_VERSION      := v1.36.12
PROTOC_GEN_GO_GRPC_VERSION := v1.6.2
BUF_VERSION                := 1.75.0
CHDB_VERSION               := 26.5.3
PROTOVALIDATE_VERSION      := v1.2.2
GOOGLE_GAX_VERSION         := 5.0.8
UPLOT_VERSION              := 1.6.32
# The one that the module internal/kubedev is built from.
KUBERNETES_VERSION         := $(shell sed -n 's|^\tk8s.io/kubernetes ||p' internal/kubedev/go.mod)

# Each tool lies under its version, so that a new version is a new target.
TOOLS         := $(CURDIR)/.tools
GOLANGCI_LINT := $(TOOLS)/golangci-lint/$(GOLANGCI_LINT_VERSION)/golangci-lint
PLUGINS       := $(TOOLS)/protoc-gen/$(PROTOC_GEN_GO_VERSION)-$(PROTOC_GEN_GO_GRPC_VERSION)
BUF           := $(TOOLS)/buf/$(BUF_VERSION)/node_modules/.bin/buf
CHDB          := $(TOOLS)/chdb/$(CHDB_VERSION)/node_modules/@chdb/lib-linux-x64-gnu/libchdb.so
KUBE_APISERVER := $(TOOLS)/kube-apiserver/$(KUBERNETES_VERSION)/kubedev

# The embedded ClickHouse engine; any process of ours that needs it looks here first.
export CHDB_LIB_PATH := $(CHDB)

# What the API is compared with by `make breaking`.
AGAINST ?= .git\#branch=main
# Which packages `make test`, `make lint` and `make bench` look at.
PKG ?= ./...
# What `make demo` is given.
ARGS ?=
# Recorded usage of real services, for `make bench-quality`.
TRACES ?= ../shared/traces
# How long each fuzz target runs in `make fuzz`.
FUZZTIME ?= 10s

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)

.PHONY: help
help: ## Show this help.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  %-16s %s\n", $$1, $$2}'

.PHONY: build
build: ## Build build/tidemark.
	@go build -ldflags "-X main.version=$(VERSION)" -o build/tidemark ./cmd/tidemark

.PHONY: demo
demo: build engine ## Run the whole product on a made-up fleet; ARGS="--once --json" runs it once without a screen.
	@exec build/tidemark demo $(ARGS)

.PHONY: test
test: engine ## Run all tests with the race detector.
	@TIDEMARK_REQUIRE_CLICKHOUSE=1 go test -race -shuffle=on $(PKG)

.PHONY: test-bench
test-bench: ## Check and test the comparisons with others, which are modules of their own.
	@for module in bench/*/; do (cd $$module && go vet ./... && go test ./...) || exit; done

.PHONY: test-typescript
test-typescript: $(BUF) ## Generate a TypeScript client and run it against a server.
	@TIDEMARK_TYPESCRIPT_BUF=$(BUF) go test -count=1 -run TypeScript ./cmd/tidemark

.PHONY: test-kube
test-kube: $(KUBE_APISERVER) ## Run the tests that need Kubernetes against a real API server.
	@cd internal/kubedev && CGO_ENABLED=0 go vet ./...
	@export TIDEMARK_REQUIRE_KUBE=1 TIDEMARK_KUBE_APISERVER=$(KUBE_APISERVER); \
	  go test -race -count=1 ./internal/kubetest/... ./clients/agent/kubernetes/...; \
	  go test -race -count=1 -run Kubernetes ./cmd/tidemark

.PHONY: bench
bench: engine bench-quality bench-queue bench-watch ## Run the benchmarks.
	@go test -run '^$$' -bench . -benchmem $(PKG)

.PHONY: bench-quality
bench-quality: ## Compare our recommenders with others on the recorded usage in TRACES.
	@cd bench/quality && go run . --traces "$(abspath $(TRACES))" --out "$(CURDIR)/build/bench/quality.json"

.PHONY: bench-queue
bench-queue: ## Compare our queue with others, and the API with a handler that does nothing.
	@cd bench/queue && go run . --out "$(CURDIR)/build/bench/queue.json"

.PHONY: bench-watch
bench-watch: ## Measure what watchers cost a writer, also those that stall, and how many events are delivered.
	@cd bench/watch && go run . --out "$(CURDIR)/build/bench/watch.json"

.PHONY: fuzz
fuzz: ## Fuzz every parser for FUZZTIME each.
	@for package in $$(go list $(PKG)); do \
	  for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz' || true); do \
	    echo "$$package $$target"; go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) $$package; \
	  done; \
	done

.PHONY: lint
lint: $(GOLANGCI_LINT) $(BUF) ## Check the code and the API for style and common faults.
	@$(GOLANGCI_LINT) run $(PKG)
	@$(BUF) lint
	@$(BUF) format --diff --exit-code proto

.PHONY: generate
generate: $(BUF) $(PLUGINS) ## Generate the Go code of the API.
	@PATH="$(PLUGINS):$$PATH" $(BUF) generate

.PHONY: check-generate
check-generate: generate ## Fail when the committed generated code is not what generate makes.
	@git diff --exit-code -- proto || { echo "generated code differs: run make generate and commit"; exit 1; }
	@test -z "$$(git status --porcelain -- proto)" || { git status --short -- proto; exit 1; }

.PHONY: breaking
breaking: $(BUF) ## Fail when the API breaks clients of AGAINST (main by default).
	@$(BUF) breaking --against "$(AGAINST)"

.PHONY: vendor-proto
vendor-proto: ## Copy the third-party API definitions from their pinned packages again.
	@npm install --silent --no-audit --no-fund --prefix $(TOOLS)/vendor google-gax@$(GOOGLE_GAX_VERSION)
	@for file in api/field_behavior rpc/status rpc/error_details; do \
	  install -m 644 $(TOOLS)/vendor/node_modules/google-gax/build/protos/google/$$file.proto third_party/googleapis/google/$$file.proto; \
	done
	@directory=$$(go mod download -json github.com/bufbuild/protovalidate@$(PROTOVALIDATE_VERSION) | sed -n 's/.*"Dir": "\(.*\)".*/\1/p'); \
	  install -m 644 $$directory/proto/protovalidate/buf/validate/validate.proto third_party/protovalidate/buf/validate/validate.proto

.PHONY: vendor-uplot
vendor-uplot: ## Copy the chart library of the backtest report from its pinned package again.
	@npm install --silent --no-audit --no-fund --prefix $(TOOLS)/vendor uplot@$(UPLOT_VERSION)
	@install -m 644 -t recommender/backtest/html/uplot $(addprefix $(TOOLS)/vendor/node_modules/uplot/,LICENSE dist/uPlot.iife.min.js dist/uPlot.min.css)

.PHONY: engine
engine: $(CHDB) ## Fetch the embedded ClickHouse engine for the demo and the tests.

.PHONY: clean
clean: ## Remove what was built; the tools stay.
	@rm -rf build

$(CHDB):
	@echo "fetching the ClickHouse engine (once, 540 MB on disk)" >&2
	@npm install --silent --no-audit --no-fund --prefix $(TOOLS)/chdb/$(CHDB_VERSION) @chdb/lib-linux-x64-gnu@$(CHDB_VERSION) >&2

# It says which version it is, as the released one does.
$(KUBE_APISERVER): $(wildcard internal/kubedev/*.go internal/kubedev/go.*)
	@echo "building kube-apiserver (once, a few minutes)" >&2
	@version=$(KUBERNETES_VERSION); minor=$${version#v1.}; package=k8s.io/component-base/version; \
	  cd internal/kubedev && CGO_ENABLED=0 nice go build -o $@ -ldflags "-s -w -X $$package.gitVersion=$$version -X $$package.gitMajor=1 -X $$package.gitMinor=$${minor%%.*}" .

$(BUF):
	@npm install --silent --no-audit --no-fund --prefix $(TOOLS)/buf/$(BUF_VERSION) @bufbuild/buf@$(BUF_VERSION) >&2

$(GOLANGCI_LINT):
	@echo "building golangci-lint (once, a few minutes)" >&2
	@GOBIN=$(@D) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)

$(PLUGINS):
	@GOBIN=$@ go install google.golang.org/grpc/cmd/protoc-gen-go-grpc@$(PROTOC_GEN_GO_GRPC_VERSION)
	@GOBIN=$@ go install google.golang.org/protobuf/cmd/protoc-gen-go@$(PROTOC_GEN_GO_VERSION)
