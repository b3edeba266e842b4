# What CI runs is what you run: .ci/run is `make check` after printing the host.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

GO          ?= go
BIN         ?= bin
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
ACTIONLINT  := github.com/rhysd/actionlint/cmd/actionlint@v1.7.7
TARGETS     := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64
# Of one test binary; the suite takes a few minutes on two cores.
TIMEOUT     ?= 20m

# In CI a missing feature is a failure; elsewhere its tests are skipped by name.
ifeq ($(CI),true)
export LANE_MUST ?= bwrap,agents,landlock
endif

.PHONY: help build demo gate test check lint race bench cross setup clean

help: ## list the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /\1\t/' | expand -t 10

# lane starts the lane-inside beside it in its own place if it is this very build's.
build: ## build bin/lane, and bin/lane-inside, what of it runs inside a lane
	CGO_ENABLED=0 $(GO) build -trimpath -o $(BIN)/lane-inside ./cmd/lane-inside
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags="-X lane/runner.insideID=$$($(GO) tool buildid $(BIN)/lane-inside)" -o $(BIN)/lane ./cmd/lane

setup: ## install what demo and test need (apt, npm); does nothing the second time
	@e2e/setup.sh

demo: build setup ## the main job: the real Claude Code, a scripted model, no key
	$(GO) run ./e2e/demo -lane bin/lane

gate: build setup ## lane attacks itself here, with the agent of e2e/agents; no key
	PATH=$(CURDIR)/e2e/agents/node_modules/.bin:$$PATH bin/lane gate

test: setup ## all tests, with the real agents; those that start lanes one package at a time, for kills and sockets are timed
	$(GO) test -p 1 -timeout $(TIMEOUT) ./cmd/... ./runner/... ./sandbox/... ./e2e/...
	$(GO) test -p 2 -timeout $(TIMEOUT) ./gitdiscover/... ./hookguard/...

check: lint cross test ## all that CI runs

lint: ## gofmt, go vet, staticcheck, for linux and darwin; workflows; the Kubernetes example
	@unformatted=$$(gofmt -l .); if [[ -n $$unformatted ]]; then echo "gofmt these: $$unformatted"; exit 1; fi
	@# Installed for the host first: `go run` would build it for GOOS.
	GOBIN=$(CURDIR)/bin/tools $(GO) install $(STATICCHECK)
	for os in linux darwin; do \
		export GOOS=$$os CGO_ENABLED=0; $(GO) vet ./...; bin/tools/staticcheck ./...; \
	done
	@# No package of the build sees these two files; the test that does comes late.
	$(GO) vet -overlay e2e/sixth/overlay.json ./runner/agent ./hookguard/dialect
	$(GO) test -run 'Imports' ./e2e
	GOBIN=$(CURDIR)/bin/tools $(GO) install $(ACTIONLINT)
	bin/tools/actionlint -shellcheck= .github/workflows/*.yml
	for script in .github/action/*.sh e2e/setup.sh .ci/run; do bash -n "$$script"; done
	cd e2e/kubernetes && $(GO) vet ./... && $(GO) test ./...

race: ## the race detector, on all but the scripts with the real agents
	$(GO) test -race -timeout $(TIMEOUT) $$($(GO) list ./... | grep -vx 'lane/e2e')

cross: ## build for every platform
	for target in $(TARGETS); do \
		echo "$$target"; \
		GOOS=$${target%/*} GOARCH=$${target#*/} CGO_ENABLED=0 $(GO) build -trimpath ./...; \
	done

bench: build setup ## start, memory and speed of work beside bare bwrap and plain; the packages' own
	$(GO) run ./e2e/bench -lane bin/lane
	$(GO) test -run xxx -bench 'Take|Sweep|Setup|Discover' -benchtime 5x ./gitdiscover/...
	$(GO) test -run xxx -bench 'Hook' -benchtime 200x ./hookguard/dialect

clean: ## remove what build and setup made here
	rm -rf bin e2e/agents/node_modules
