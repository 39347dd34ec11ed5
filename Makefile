# Every target's first line is its help.
.PHONY: help build dist image release test lint format run bench chaos api-fuzz house schema function kind
.DEFAULT_GOAL := help

build_flags := -c release

help: ## this text
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## builds everything for release
	swift build $(build_flags)

dist: ## makes what is shipped: tar.zst, .deb, checksums, list of parts (ARGS="--out DIR")
	Runner/dist $(ARGS)

image: ## makes what is shipped, and of it an image in OCI's layout, without a daemon (ARGS="--out DIR")
	Runner/image $(ARGS)

release: ## makes what the page of a release needs, signed (ARGS="--key FILE")
	Runner/release $(ARGS)

test: ## installs what is missing, builds, and runs every test (ARGS="--filter Cron")
	Tests/run $(ARGS)

lint: ## checks the formatting
	swift format lint --strict --recursive Package.swift Functions Shared Runner Tests

format: ## formats everything
	swift format --in-place --recursive Package.swift Functions Shared Runner Tests

run: ## installs what is missing, builds, and serves with the demo story
	Runner/up

bench: ## measures what has been promised, against the limits (ARGS="--against REV drain")
	Tests/Benchmarks/run $(ARGS)

api-fuzz: ## tests the API by its OpenAPI document with Schemathesis (ARGS="--seed 7")
	Tests/api-fuzz/run $(ARGS)

chaos: ## kills everything at random while it works, and counts again (ARGS="--quick")
	Tests/Chaos/run $(ARGS)

house: ## prints the modules and the figures of the house (ARGS="--against HEAD~20 --walks --build")
	Tests/house --figures $(ARGS)

schema: ## writes schema.sql (what the migrations make) and documents.schema.json (what commands print)
	SCHEMA=write swift test --filter 'SchemaTextTests/theFile|DocumentTypesTests/theFile'

function: ## adds a function: make function NAME=OrderShipped
	@Functions/new "$(NAME)"

kind: ## adds a kind of notification: make kind APP=repairminder NAME=order_lost
	@Functions/new-kind "$(APP)" "$(NAME)"
