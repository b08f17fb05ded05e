// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// Whether the package has what `blepera serve` on an adapter needs and no more, for a tree without the other folders.
let isCore = Context.environment["BLEPERA_CORE"] != nil

/// The folders of `Sources` and of `Tests`.
enum Folder: String {
  case core = "Core"
  case lab = "Lab"
  case tools = "Tools"
  case coreBluetooth = "CoreBluetooth"
  case command = "Command"
}

func target(_ name: String, in folder: Folder, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Sources/\(folder.rawValue)/\(name)", swiftSettings: settings)
}

// What only tests contain is compiled without the optimizer, also beside the optimized modules that `make test` tests, and a
// module at a time: no macro is expanded twice, which is a quarter of the time.
let testSettings: [SwiftSetting] =
  settings + [.unsafeFlags(["-Xfrontend", "-Onone", "-no-emit-module-separately-wmo"])]

func tests(_ name: String, in folder: Folder, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, path: "Tests/\(folder.rawValue)/\(name)", exclude: exclude,
    swiftSettings: testSettings)
}

// What `blepera serve` on an adapter needs; imports none of the others.
let core: [Target] = [
  .systemLibrary(
    name: "CBleperaDBus", path: "Sources/Core/CBleperaDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
  .systemLibrary(
    name: "CBleperaGLib", path: "Sources/Core/CBleperaGLib", pkgConfig: "glib-2.0",
    providers: [.apt(["libglib2.0-dev"])]),
  target("BleperaLoop", in: .core),
  target("BleperaEventLoop", in: .core, ["BleperaLoop", "CBleperaGLib"]),
  target("BleperaDBus", in: .core, ["BleperaEventLoop", "BleperaLoop", "CBleperaDBus"]),
  target("BleperaBluetooth", in: .core),
  target("BleperaHost", in: .core, ["BleperaBluetooth"]),
  target("BleperaHCIProtocol", in: .core, ["BleperaBluetooth"]),
  target("BleperaRadio", in: .core, ["BleperaBluetooth", "BleperaLoop"]),
  target(
    "BleperaHostRadio", in: .core,
    ["BleperaBluetooth", "BleperaHost", "BleperaLoop", "BleperaRadio", "BleperaRules"]),
  target(
    "BleperaController", in: .core,
    [
      "BleperaBluetooth", "BleperaHCIProtocol", "BleperaHost", "BleperaHostRadio", "BleperaLoop", "BleperaRadio",
    ]),
  target("BleperaPropertyLists", in: .core, ["BleperaBluetooth"]),
  target("BleperaRules", in: .core, ["BleperaBluetooth"]),
  target("BleperaProfile", in: .core, ["BleperaBluetooth", "BleperaPropertyLists", "BleperaRules"]),
  target("BleperaBlueZProtocol", in: .core, ["BleperaBluetooth", "BleperaDBus"]),
  target(
    "BleperaBlueZ", in: .core,
    [
      "BleperaBlueZProtocol", "BleperaBluetooth", "BleperaDBus", "BleperaEventLoop", "BleperaLoop", "BleperaRadio",
    ]),
  target("BleperaAppLink", in: .core, ["BleperaBluetooth", "BleperaLoop", "BleperaRadio"]),
  target("BleperaPreservation", in: .core, ["BleperaAppLink", "BleperaBluetooth"]),
  target(
    "BleperaPhone", in: .core,
    [
      "BleperaAppLink", "BleperaBluetooth", "BleperaLoop", "BleperaPreservation", "BleperaRadio", "BleperaRules",
    ]),
  target("BleperaRecording", in: .core, ["BleperaAppLink", "BleperaBluetooth"]),
  target("BleperaProfileApp", in: .core, ["BleperaAppLink", "BleperaBluetooth", "BleperaLoop", "BleperaProfile"]),
]

let coreTests: [Target] = [
  tests("EventLoopTests", in: .core, ["BleperaEventLoop", "BleperaLoop"]),
  tests("DBusTests", in: .core, ["BleperaBluetooth", "BleperaDBus", "BleperaEventLoop", "BleperaLoop", "BusTesting"]),
  tests("BluetoothTests", in: .core, ["BleperaBluetooth", "TestSupport"], exclude: ["overflow-vectors.csv"]),
  tests(
    "ProfileTests", in: .core,
    ["BleperaBluetooth", "BleperaProfile", "BleperaPropertyLists", "BleperaRules", "TestSupport"]),
  tests("RulesTests", in: .core, ["BleperaBluetooth", "BleperaRules", "TestSupport"]),
  tests(
    "BlueZTests", in: .core,
    [
      "BleperaBlueZ", "BleperaBlueZProtocol", "BleperaBluetooth", "BleperaDBus", "BleperaEventLoop", "BleperaRadio",
      "BusTesting", "TestSupport",
    ]),
  tests("HostTests", in: .core, ["BleperaBluetooth", "BleperaHost"]),
  tests("HCIProtocolTests", in: .core, ["BleperaBluetooth", "BleperaHCIProtocol"]),
  tests(
    "ControllerTests", in: .core,
    [
      "BleperaBluetooth", "BleperaController", "BleperaEventLoop", "BleperaHCIProtocol", "BleperaHost", "BleperaLoop",
      "BusTesting",
    ]),
  tests(
    "AppLinkTests", in: .core,
    ["BleperaAppLink", "BleperaBluetooth", "BleperaEventLoop", "BleperaLoop", "TestSupport"]),
  tests(
    "PreservationTests", in: .core,
    ["BleperaAppLink", "BleperaBluetooth", "BleperaPreservation", "BusTesting", "TestSupport"],
    exclude: ["Fixtures"]),
  tests(
    "ProfileAppTests", in: .core,
    [
      "BleperaAppLink", "BleperaBluetooth", "BleperaEventLoop", "BleperaLoop", "BleperaProfile",
      "BleperaProfileApp", "BleperaPropertyLists",
    ]),
  tests("RecordingTests", in: .core, ["BleperaAppLink", "BleperaRecording", "BusTesting"]),
]

// The virtual air and what lives on it; imports the core.
let lab: [Target] = [
  target("BleperaDiscovery", in: .lab, ["BleperaBluetooth", "BleperaRules"]),
  target(
    "BleperaAir", in: .lab,
    [
      "BleperaBluetooth", "BleperaHost", "BleperaHostRadio", "BleperaLoop",
      .product(name: "DequeModule", package: "swift-collections"),
      .product(name: "HeapModule", package: "swift-collections"),
    ]),
  target(
    "BleperaHCI", in: .lab,
    ["BleperaAir", "BleperaBluetooth", "BleperaHCIProtocol", "BleperaHost", "BleperaLoop", "BleperaRecording"]),
  target(
    "BleperaVirtualBlueZ", in: .lab,
    [
      "BleperaAir", "BleperaBlueZProtocol", "BleperaBluetooth", "BleperaDBus", "BleperaEventLoop", "BleperaHost",
      "BleperaLoop",
    ]),
  target(
    "BleperaAccessory", in: .lab,
    [
      "BleperaAir", "BleperaAppLink", "BleperaBluetooth", "BleperaHost", "BleperaHostRadio", "BleperaLoop",
      "BleperaPhone",
      "BleperaProfile",
      "BleperaProfileApp", "BleperaRadio", "BleperaRules",
    ]),
  target(
    "BleperaSimulation", in: .lab,
    [
      "BleperaAccessory", "BleperaAir", "BleperaAppLink", "BleperaBluetooth", "BleperaDiscovery", "BleperaHost",
      "BleperaHostRadio",
      "BleperaLoop",
      "BleperaPhone",
      "BleperaPreservation", "BleperaProfile", "BleperaProfileApp", "BleperaPropertyLists", "BleperaRadio",
      "BleperaRecording",
      "BleperaRules",
    ]),
  target("BleperaTesting", in: .lab, ["BleperaSimulation"]),
  target(
    "BleperaTestingBlueZ", in: .lab,
    [
      "BleperaBlueZ", "BleperaBlueZProtocol", "BleperaBluetooth", "BleperaDBus", "BleperaEventLoop", "BleperaLoop",
      "BleperaPhone", "BleperaRadio", "BleperaRules", "BleperaSimulation",
    ]),
]

let labTests: [Target] = [
  .target(
    name: "ControllerTesting",
    dependencies: [
      "BleperaAir", "BleperaBluetooth", "BleperaController", "BleperaHCI", "BleperaHCIProtocol", "BleperaHost",
      "BleperaHostRadio", "BleperaLoop",
    ], path: "Tests/ControllerTesting", swiftSettings: testSettings),
  .target(
    name: "BlueZContract",
    dependencies: [
      "BleperaAir", "BleperaBlueZProtocol", "BleperaDBus", "BleperaEventLoop", "BleperaLoop", "BleperaVirtualBlueZ",
      "BusTesting",
    ], path: "Tests/Lab/Contract",
    swiftSettings: testSettings),
  .executableTarget(
    name: "blepera-contract",
    dependencies: [
      "BleperaAir", "BleperaBlueZProtocol", "BleperaDBus", "BleperaEventLoop", "BleperaLoop", "BleperaVirtualBlueZ",
      "BlueZContract", "BusTesting",
    ],
    path: "Tests/Lab/ContractRunner", swiftSettings: testSettings),
  tests(
    "DiscoveryTests", in: .lab, ["BleperaBluetooth", "BleperaDiscovery", "BleperaRules"], exclude: ["times.csv"]),
  tests(
    "HCITests", in: .lab,
    [
      "BleperaAir", "BleperaBluetooth", "BleperaController", "BleperaDiscovery", "BleperaEventLoop", "BleperaHCI",
      "BleperaHCIProtocol",
      "BleperaHost", "BleperaLoop", "BusTesting", "TestSupport",
    ]),
  tests(
    "AirTests", in: .lab,
    [
      "BleperaAir", "BleperaBluetooth", "BleperaController", "BleperaHCI", "BleperaHCIProtocol", "BleperaHost",
      "BleperaHostRadio", "BleperaLoop", "BleperaRadio", "BleperaRules", "ControllerTesting",
    ]),
  tests(
    "VirtualBlueZTests", in: .lab,
    [
      "BleperaAir", "BleperaBlueZ", "BleperaBlueZProtocol", "BleperaBluetooth", "BleperaDBus", "BleperaDiscovery",
      "BleperaEventLoop",
      "BleperaHost", "BleperaHostRadio",
      "BleperaLoop", "BleperaRadio", "BleperaVirtualBlueZ", "BlueZContract", "BusTesting", "TestSupport",
    ]),
  tests(
    "PhoneTests", in: .lab,
    [
      "BleperaAir", "BleperaAppLink", "BleperaBlueZ", "BleperaBluetooth", "BleperaDBus", "BleperaEventLoop",
      "BleperaHost", "BleperaHostRadio",
      "BleperaLoop", "BleperaPhone", "BleperaPreservation", "BleperaRadio", "BleperaRules", "BleperaVirtualBlueZ",
      "BusTesting",
    ]),
  tests(
    "TestingTests", in: .lab,
    [
      "BleperaAccessory", "BleperaAir", "BleperaBluetooth", "BleperaDBus", "BleperaDiscovery", "BleperaEventLoop",
      "BleperaHost",
      "BleperaLoop", "BleperaPhone",
      "BleperaAppLink", "BleperaProfile", "BleperaRadio", "BleperaRules", "BleperaSimulation", "BleperaTesting",
      "BleperaTestingBlueZ",
      "BleperaVirtualBlueZ",
      "BusTesting",
      "TestSupport",
    ]),
  tests(
    "SimulationTests", in: .lab,
    [
      "BleperaAir", "BleperaAppLink", "BleperaBluetooth", "BleperaController", "BleperaHCI", "BleperaHost",
      "BleperaHostRadio", "BleperaLoop", "BleperaPhone", "BleperaProfile", "BleperaPropertyLists", "BleperaRadio",
      "BleperaDiscovery", "BleperaRules",
      "BleperaSimulation", "ControllerTesting", "TestSupport",
    ]),
]

// Captures and reports; import core and lab.
let tools: [Target] = [
  target("BleperaCompare", in: .tools, ["BleperaBluetooth", "BleperaHCIProtocol", "BleperaRecording", "BleperaRules"]),
  .target(
    name: "BleperaReport",
    dependencies: [
      "BleperaAppLink", "BleperaBluetooth", "BleperaRecording", "BleperaRules", "BleperaSimulation",
    ], path: "Sources/Tools/BleperaReport", resources: [.embedInCode("Page")], swiftSettings: settings),
]

let toolsTests: [Target] = [
  tests(
    "CompareTests", in: .tools,
    ["BleperaBluetooth", "BleperaCompare", "BleperaRecording", "BleperaRules", "TestSupport"])
]

// Apple's API for apps; imports the core.
let coreBluetooth: [Target] = [
  target("BleperaAppleNames", in: .coreBluetooth),
  .systemLibrary(name: "OSModules", path: "Sources/CoreBluetooth/OSModules"),
  target("BleperaOS", in: .coreBluetooth, ["BleperaAppleNames", "OSModules"]),
  .systemLibrary(name: "CoreBluetoothSubmodules", path: "Sources/CoreBluetooth/CoreBluetoothSubmodules"),
  target(
    "CoreBluetooth", in: .coreBluetooth,
    [
      "BleperaAppLink", "BleperaAppleNames", "BleperaBluetooth", "BleperaLoop", "BleperaOS", "BleperaPreservation",
      "CoreBluetoothSubmodules",
    ]),
]

let coreBluetoothTests: [Target] = [
  .testTarget(
    name: "CoreBluetoothTests",
    dependencies: ["BleperaAppLink", "BleperaBluetooth", "BleperaLoop", "BleperaTesting", "CoreBluetooth"],
    path: "Tests/CoreBluetooth/CoreBluetoothTests", resources: [.copy("api.tsv")], swiftSettings: testSettings)
]

// The command line. The commands of the core import the core alone; those of the lab and of the tools stand on them.
let command: [Target] = [
  target(
    "BleperaSessions", in: .command,
    [
      "BleperaAppLink", "BleperaBlueZ", "BleperaBluetooth", "BleperaController", "BleperaDBus", "BleperaEventLoop",
      "BleperaHost", "BleperaHostRadio", "BleperaLoop",
      "BleperaPhone", "BleperaPreservation", "BleperaProfile", "BleperaProfileApp", "BleperaRadio", "BleperaRecording",
      "BleperaRules",
    ]),
  target(
    "BleperaCLI", in: .command,
    [
      "BleperaAppLink", "BleperaBlueZ", "BleperaBluetooth", "BleperaController", "BleperaDBus", "BleperaEventLoop",
      "BleperaLoop", "BleperaPhone", "BleperaPreservation", "BleperaProfile", "BleperaProfileApp",
      "BleperaPropertyLists", "BleperaRadio", "BleperaRecording", "BleperaRules", "BleperaSessions",
      .product(name: "ArgumentParser", package: "swift-argument-parser"),
    ]),
  .target(
    name: "BleperaCommands",
    dependencies: ["BleperaCLI", .product(name: "ArgumentParser", package: "swift-argument-parser")]
      + (isCore ? [] : ["BleperaLabCLI", "BleperaToolsCLI"]),
    path: "Sources/Command/BleperaCommands", swiftSettings: settings + (isCore ? [.define("BLEPERA_CORE")] : [])),
  // With the Swift runtime in the binary. `swift build --static-swift-stdlib` would compile all modules for it, and there is
  // no Testing for that.
  .executableTarget(
    name: "blepera", dependencies: ["BleperaCommands"], path: "Sources/Command/blepera", swiftSettings: settings,
    linkerSettings: [.unsafeFlags(["-static-stdlib", "-l_FoundationCShims", "-l_FoundationCollections"])]),
]

// The commands of the lab and of the tools.
let otherCommands: [Target] = [
  target(
    "BleperaLabCLI", in: .command,
    [
      "BleperaAccessory", "BleperaAir", "BleperaAppLink", "BleperaBluetooth", "BleperaBlueZ", "BleperaCLI",
      "BleperaDBus", "BleperaEventLoop", "BleperaHCI", "BleperaHost", "BleperaHostRadio", "BleperaLoop", "BleperaPhone",
      "BleperaPreservation", "BleperaProfile", "BleperaProfileApp", "BleperaPropertyLists", "BleperaRadio",
      "BleperaRecording", "BleperaReport", "BleperaRules", "BleperaSessions", "BleperaSimulation",
      "BleperaTestingBlueZ", "BleperaVirtualBlueZ",
      .product(name: "ArgumentParser", package: "swift-argument-parser"),
    ]),
  target(
    "BleperaToolsCLI", in: .command,
    [
      "BleperaAir", "BleperaAppLink", "BleperaBlueZ", "BleperaBluetooth", "BleperaCLI", "BleperaCompare",
      "BleperaDiscovery",
      "BleperaEventLoop", "BleperaProfile", "BleperaProfileApp", "BleperaRecording", "BleperaReport", "BleperaRules",
      "BleperaSessions", "BleperaSimulation",
      .product(name: "ArgumentParser", package: "swift-argument-parser"),
    ]),
]

let commandTests: [Target] = [
  .executableTarget(
    name: "blepera-torture",
    dependencies: [
      "BleperaAir", "BleperaAppLink", "BleperaBlueZProtocol", "BleperaBluetooth", "BleperaDBus", "BleperaEventLoop",
      "BleperaLoop", "BleperaPreservation", "BleperaSessions", "BleperaVirtualBlueZ", "BusTesting",
      .product(name: "ArgumentParser", package: "swift-argument-parser"),
    ], path: "Tests/Command/Torture", swiftSettings: testSettings),
  tests("TortureTests", in: .command, ["blepera-torture"]),
  tests(
    "SessionsTests", in: .command,
    [
      "BleperaAppLink", "BleperaBluetooth", "BleperaEventLoop", "BleperaLoop", "BleperaPreservation",
      "BleperaSessions", "BusTesting",
    ]),
  tests(
    "CLITests", in: .command,
    [
      "BleperaAir", "BleperaAppLink", "BleperaBlueZ", "BleperaBlueZProtocol", "BleperaBluetooth", "BleperaCLI",
      "BleperaCommands", "BleperaController", "BleperaDBus", "BleperaDiscovery", "BleperaEventLoop", "BleperaHost",
      "BleperaLabCLI", "BleperaLoop",
      "BleperaPhone", "BleperaPreservation", "BleperaProfile", "BleperaProfileApp",
      "BleperaPropertyLists", "BleperaRadio", "BleperaRecording", "BleperaReport", "BleperaRules",
      "BleperaSessions", "BleperaSimulation", "BleperaToolsCLI", "BleperaVirtualBlueZ", "BusTesting", "TestSupport",
      .product(name: "ArgumentParser", package: "swift-argument-parser"),
    ]),
]

let testSupport: [Target] = [
  .target(
    name: "TestSupport", dependencies: ["BleperaAppLink"], path: "Tests/TestSupport", swiftSettings: testSettings),
  .target(
    name: "BusTesting", dependencies: ["BleperaDBus", "BleperaEventLoop", "BleperaLoop"], path: "Tests/BusTesting",
    swiftSettings: testSettings),
]

let benchmarks: [Target] = [
  .target(name: "BenchmarkSupport", path: "Benchmarks/Support", swiftSettings: settings),
  .executableTarget(
    name: "CrowdedAir", dependencies: ["BenchmarkSupport", "BleperaAir", "BleperaBluetooth", "BleperaHost"],
    path: "Benchmarks/CrowdedAir", exclude: ["compare.py"], swiftSettings: settings
  ),
  .executableTarget(
    name: "PhoneDay", dependencies: ["BenchmarkSupport", "BleperaSimulation"], path: "Benchmarks/PhoneDay",
    swiftSettings: settings),
  .executableTarget(
    name: "OfflineCosts",
    dependencies: ["BenchmarkSupport", "BleperaBluetooth", "BleperaDiscovery", "BleperaRules", "BleperaSimulation"],
    path: "Benchmarks/OfflineCosts", swiftSettings: settings),
  .executableTarget(
    name: "UpdateCost", dependencies: ["BenchmarkSupport", "CoreBluetooth"], path: "Benchmarks/UpdateCost",
    swiftSettings: settings),
]

// The inputs of the fuzzer are played by the unit tests. With libFuzzer only `make fuzz` builds their targets, in a folder
// of its own, because all targets are instrumented then.
let fuzzed: [Target.Dependency] = [
  "BleperaAir", "BleperaAppLink", "BleperaBlueZ", "BleperaBluetooth", "BleperaCLI",
  "BleperaCompare", "BleperaDiscovery",
  "BleperaDBus", "BleperaHCI", "BleperaHCIProtocol", "BleperaHost", "BleperaHostRadio", "BleperaLoop", "BleperaPhone",
  "BleperaPreservation", "BleperaProfile",
  "BleperaProfileApp",
  "BleperaPropertyLists",
  "BleperaRadio", "BleperaRecording", "BleperaReport", "BleperaRules", "BleperaSessions", "BleperaSimulation",
  "BleperaToolsCLI", "CBleperaDBus", "TestSupport",
]
let fuzz: [Target] = [
  Context.environment["BLEPERA_FUZZ"] == nil
    ? .testTarget(
      name: "FuzzTests", dependencies: fuzzed, path: "Fuzz",
      exclude: ["Sources/Fuzz.swift", "corpus", "dictionaries"], sources: ["Sources", "Tests"],
      swiftSettings: testSettings)
    : .executableTarget(
      name: "blepera-fuzz", dependencies: fuzzed, path: "Fuzz/Sources", swiftSettings: settings)
]

let libraries: [Product] = [
  .library(name: "CoreBluetooth", targets: ["CoreBluetooth"]),
  .library(name: "os", targets: ["BleperaOS"]),
  .library(name: "BleperaTesting", targets: ["BleperaTesting"]),
  .library(name: "BleperaTestingBlueZ", targets: ["BleperaTestingBlueZ"]),
]

let others =
  lab + tools + coreBluetooth + otherCommands + labTests + toolsTests + coreBluetoothTests + commandTests + benchmarks
  + fuzz

let package = Package(
  name: "blepera",
  products: [.executable(name: "blepera", targets: ["blepera"])] + (isCore ? [] : libraries),
  dependencies: [.package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0")]
    + (isCore ? [] : [.package(url: "https://github.com/apple/swift-collections", from: "1.6.0")]),
  targets: core + command + testSupport + coreTests + (isCore ? [] : others)
)
