# The front door: `make demo` shows blepera at work, `make test` passes every test. Each sets up what it needs.

PREFIX ?= /usr/local
RELEASE := .build/release/blepera
# The gain of each option of the linker, measured one at a time on x86-64, in the size without symbols and in the resident
# memory of `serve --virtual`:
#
#   --no-export-dynamic            1.3 MB, 1.5 MiB: without a table of symbols for plug-ins, more is never used and left out
#   -z pack-relative-relocs        1.4 MB, 0.6 MiB: relocations of a bit each (glibc 2.36 and later)
#   unused-tables.ld               3.4 MB, 1.1 MiB: no tables of frames for C++ exceptions; nothing throws one, and
#                                  Swift's backtraces follow frame pointers
#   -z now                         nothing in size: the table of functions is read-only after the start
#
# No run path: a library beside the binary is never loaded. No debug information: packages are stripped, and a build takes a
# tenth less. Tests can import the modules, so that `make test` compiles each once, and tests what is shipped: for 2 % in size,
# 1 % in instructions and 4 % in allocations. The examples are packages of their own in the same folder, and a package must
# not be built by the cached manifest of another.
LINKED_WITH := --no-export-dynamic -z pack-relative-relocs -z now $(CURDIR)/Packaging/unused-tables.ld
RELEASE_FLAGS := -c release --scratch-path .build --disable-build-manifest-caching --disable-local-rpath \
	-Xswiftc -use-ld=lld -Xswiftc -Osize -Xswiftc -gnone -Xswiftc -enable-testing -Xswiftc -Xfrontend \
	-Xswiftc -function-sections $(LINKED_WITH:%=-Xlinker %)

.PHONY: help demo demo-bluez check test unit unit-build unit-most unit-real-time stories clients controllers trials torture lane \
	example-apps matrix contract programs instructions bench release install packages packages-check packages-test machine fuzz soak \
	sanitize docs format lint setup clean

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## /  make \1	/p' Makefile | expand -t 20

# A quick build for changing code and for the demo: without the optimizer and debug information, and a module at a time,
# so that no macro is expanded twice. In its own folder, it can run beside a build of the release binary.
QUICK_FLAGS := -c release --scratch-path .build/demo --disable-build-manifest-caching \
	-Xswiftc -Onone -Xswiftc -gnone -Xswiftc -enable-testing -Xswiftc -no-emit-module-separately-wmo -Xswiftc -use-ld=lld
QUICK := .build/demo/release
# `make unit BUILD=release`: with the modules of the release binary, as `make test` does.
ifeq ($(BUILD),release)
UNIT_FLAGS := $(RELEASE_FLAGS)
UNIT := $(dir $(RELEASE))
else
UNIT_FLAGS := $(QUICK_FLAGS)
UNIT := $(QUICK)
endif

demo: ## Serve a heart rate profile on a virtual radio, and show what a central sees
	@Scripts/setup build
	@[ -e .build/demo ] || echo "The first build takes a minute or two."
	@Scripts/quietly "Building blepera" swift build $(QUICK_FLAGS) --product blepera
	@Scripts/demo $(QUICK)/blepera

demo-bluez: ## The same on a real bluetoothd, in a micro-VM
	@Scripts/setup lane
	@Scripts/quietly "Building blepera" swift build $(RELEASE_FLAGS) --product blepera
	@Scripts/python-of lane Tests/RealLane/demo.py --blepera $(RELEASE)

check: ## Pass what each change has to pass: style, units, stories and 50 kills, without micro-VMs and programs of others
	@Scripts/setup build
	@Scripts/test --check

test: ## Pass all tests: style, units, the release binary, clients, kills, the real bluetoothd in two releases
	@[ -e "$${XDG_CACHE_HOME:-$$HOME/.cache}/blepera" ] || echo "This installs Debian packages (QEMU, Chromium, tshark and" \
		"others), and in ~/.cache/blepera Python environments and two kernels: at most a gigabyte is downloaded, once."
	@Scripts/setup clients
	@BLUEZ=second Scripts/setup lane
	@Scripts/setup packages-check
	@Scripts/test

# The tests that wait for a radio or a socket in real time, and would be too late beside all others.
REAL_TIME := ScanTests|CloneTests|SessionsTests|VirtualBlueZTests.DiscoveryTimesTests
# All 1,300 tests started together wait for each other's turns longer than a connection's time limit.
SOME_TOGETHER := SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=16

unit-build:
	@Scripts/setup build
	swift build --build-tests $(UNIT_FLAGS)

unit: unit-build ## Unit tests alone; no radio, no VM
	$(MAKE) unit-most
	$(MAKE) unit-real-time

# `swift test` would plan the build again, and keep other builds out of its folder while the tests run.
UNIT_TESTS = $(UNIT:%/=%)/bleperaPackageTests.xctest --testing-library swift-testing

unit-most:
	Scripts/api-docs $(UNIT)
	$(SOME_TOGETHER) $(UNIT_TESTS) --skip '$(REAL_TIME)'

unit-real-time:
	$(UNIT_TESTS) --filter '$(REAL_TIME)'

# The stories use the modules that the unit tests have compiled; `swift test` would compile all modules again.
stories: ## Play the stories of packages that use BleperaTesting and CoreBluetooth as others do
	@Scripts/setup build
	@for package in stories ios-app; do \
		swift build --build-tests --package-path examples/$$package $(UNIT_FLAGS) && \
		swift test --skip-build --package-path examples/$$package $(UNIT_FLAGS) || exit; done

release: ## Build the release binary and look at what it is linked with
	@Scripts/setup build
	swift build $(RELEASE_FLAGS) --product blepera
	Scripts/check-binary $(RELEASE)

clients: example-apps ## Run bluetoothctl, Bleak and other programs in a lab of the release binary
	@Scripts/setup clients
	Scripts/test --run clients

controllers: release ## Run the phone at RootCanal, at Bumble's controllers and at the HCI of a lab
	@Scripts/setup lane
	Scripts/test --run controllers

trials: release ## Kill app and system with SIGKILL in 50 trials, and see what is kept
	swift build $(RELEASE_FLAGS) --product blepera-torture
	Scripts/test --run trials

torture: release ## Kill app and system with SIGKILL in 1,000 trials, and see what is kept (SEED=1)
	swift build $(RELEASE_FLAGS) --product blepera-torture
	$(RELEASE)-torture --blepera $(RELEASE) --trials 1000 --seed $(or $(SEED),1)

# Builds all programs at once, which leaves less of two processors unused than one after the other.
programs:
	@Scripts/setup build
	swift build $(RELEASE_FLAGS)
	Scripts/check-binary $(RELEASE)
	$(BUILD_EXAMPLE_APPS)

contract: release
	swift build $(RELEASE_FLAGS) --product blepera-contract

# The apps that the lane and the clients run.
BUILD_EXAMPLE_APPS = swift build --package-path examples/ios-app $(RELEASE_FLAGS) --product door-key && \
	swift build --package-path examples/two-apps $(RELEASE_FLAGS) --product phrase-listener

example-apps: release
	@Scripts/quietly "Building the apps of the examples" sh -c '$(BUILD_EXAMPLE_APPS)'

lane: contract example-apps ## Run the release binary against a real bluetoothd in a micro-VM (BLUEZ=5.82: that release of BlueZ)
	@Scripts/setup lane
	Scripts/test --run lane

matrix: contract example-apps ## Run the lane on every release of BlueZ that Debian has, and print what passes
	@Scripts/setup lane
	Scripts/python-of lane Tests/RealLane/matrix.py --blepera $(RELEASE) --contract $(RELEASE)-contract

instructions: release ## Count instructions and allocations of a request, and fail where they are 10 % more than in the table
	@Scripts/setup bench
	Scripts/python-of clients Benchmarks/Servers/instructions.py

# The build has its own folder, because libFuzzer needs all targets instrumented. With the optimizer, it would try two
# to three times as many inputs a second, and take three times as long to build.
FUZZ_FLAGS := -c release --scratch-path .build/fuzz --sanitize fuzzer -Xswiftc -enable-testing -Xswiftc -Onone \
	-Xswiftc -gnone --product blepera-fuzz

fuzz: ## Give the parsers arbitrary input, for a minute in all, and fail where an input fails (SECONDS=60)
	@Scripts/setup build
	@Scripts/quietly "Building blepera-fuzz" env BLEPERA_FUZZ=1 swift build $(FUZZ_FLAGS)
	@Scripts/fuzz --seconds $(or $(SECONDS),60)

# Leaks are not detected: Swift keeps pointers to counts of weak references in a form that the detector does not know.
sanitize: ## Pass the unit tests with Address Sanitizer, then with Thread Sanitizer
	@Scripts/setup build
	ASAN_OPTIONS=detect_leaks=0 swift test --scratch-path .build/address --sanitize address
	TSAN_OPTIONS=suppressions=$(CURDIR)/Tests/sanitizers/thread.txt swift test --scratch-path .build/thread --sanitize thread

# The soak test runs in a lab, and at the same time on a real bluetoothd whose machine misbehaves.
SOAK = soak.py --blepera $(RELEASE) --hours $(or $(HOURS),1)

soak: release ## Run everything at once for an hour, and fail where memory, descriptors or threads grow (HOURS=1)
	@Scripts/setup clients
	@Scripts/setup lane
	@Scripts/python-of lane Tests/RealLane/$(SOAK) >.build/soak.log 2>&1 & \
		Scripts/python-of clients Tests/Clients/$(SOAK); lab=$$?; \
		wait $$!; vm=$$?; echo; cat .build/soak.log; exit $$((lab | vm))

bench: release ## Measure blepera beside other servers, and what needs no bus; the report is in .build/bench (QUICK=1)
	@Scripts/setup bench
	@for program in CrowdedAir OfflineCosts PhoneDay UpdateCost; do Scripts/quietly "Building $$program" \
		swift build $(RELEASE_FLAGS) --product $$program || exit; done
	@Scripts/python-of clients Benchmarks/Servers/bench.py $(if $(QUICK),--quick)

install: release ## Install the release binary, manual pages, completions, units for systemd and profiles (PREFIX=/usr/local)
	Packaging/install $(RELEASE) $(PREFIX) $(DESTDIR)

PACKAGES := .build/packages

packages: release ## Build the Debian package and the wheel in .build/packages
	@Scripts/setup packages
	@rm -f $(PACKAGES)/*.deb $(PACKAGES)/*.whl
	@Packaging/deb $(RELEASE) $(PACKAGES)
	@Packaging/build-bus $(PACKAGES)/dbus-daemon
	@Packaging/link-static $(PACKAGES)/blepera
	@Packaging/wheel $(PACKAGES)/blepera $(PACKAGES) --bus $(PACKAGES)/dbus-daemon

# The checks that need neither packages nor roots.
packages-check: release
	@Scripts/setup packages-check
	Scripts/test --run packages-check

packages-test: packages ## Try the packages in clean roots of bookworm and trixie, and in a VM that boots a stock Debian 12
	@Scripts/setup packages-test
	Scripts/python-of packages -m pytest --quiet --packages $(PACKAGES) Tests/Packages
	$(MAKE) machine

# QEMU emulates an x86-64 machine.
machine:
	[ "$$(uname -m)" != x86_64 ] || { Scripts/setup machine && \
		Scripts/python-of lane -m pytest --packages $(PACKAGES) Tests/Machine; }

docs: unit-build ## Build the documents as a site, into .build/site, and the Swift libraries' reference, into .build/api
	@Scripts/setup docs
	Scripts/python-of clients -m mkdocs build --strict -f docs/mkdocs.yml
	@echo "Open .build/site/index.html"
	Scripts/api-docs --convert $(UNIT)

format: ## Format the Swift code
	swift format --in-place --recursive --parallel Sources Tests Benchmarks Fuzz examples Package.swift

lint: ## Check the format of the Swift code, the layers of its targets, and the Python code
	@Scripts/setup packages-check
	swift format lint --strict --recursive --parallel Sources Tests Benchmarks Fuzz examples Package.swift
	Scripts/check-layers
	Scripts/check-handles
	Scripts/python-of packages -m ruff check --quiet . $$(grep -d skip -IlE '^#!.*python' Scripts/* Packaging/*)

setup: ## Install what is needed to build, and a hook that checks the style of each commit
	@Scripts/setup build
	@mkdir -p "$$(git rev-parse --git-path hooks)"
	@ln -sf ../../Scripts/pre-commit "$$(git rev-parse --git-path hooks)/pre-commit"
	@echo "Each commit is checked by Scripts/pre-commit now."

clean: ## Remove what was built
	rm -rf .build
