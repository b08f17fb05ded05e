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

func target(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

// What only tests contain is compiled without the optimizer, also beside the optimized modules that `make test` tests, and a
// module at a time: no macro is expanded twice, which is a quarter of the time.
let testSettings: [SwiftSetting] =
  settings + [.unsafeFlags(["-Xfrontend", "-Onone", "-no-emit-module-separately-wmo"])]

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: testSettings)
}

// Dependencies go down the list only.
let package = Package(
  name: "blepera",
  products: [
    .executable(name: "blepera", targets: ["blepera"]),
    .library(name: "CoreBluetooth", targets: ["CoreBluetooth"]),
    .library(name: "os", targets: ["BleperaOS"]),
    .library(name: "BleperaTesting", targets: ["BleperaTesting"]),
    .library(name: "BleperaTestingBlueZ", targets: ["BleperaTestingBlueZ"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
  ],
  targets: [
    .systemLibrary(name: "CBleperaDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
    .systemLibrary(name: "CBleperaGLib", pkgConfig: "glib-2.0", providers: [.apt(["libglib2.0-dev"])]),
    target("BleperaLoop"),
    target("BleperaEventLoop", ["BleperaLoop", "CBleperaGLib"]),
    target("BleperaDBus", ["BleperaEventLoop", "BleperaLoop", "CBleperaDBus"]),
    target("BleperaBluetooth"),
    target("BleperaHost", ["BleperaBluetooth"]),
    target("BleperaRadio", ["BleperaBluetooth", "BleperaLoop"]),
    target("BleperaPropertyLists", ["BleperaBluetooth"]),
    target("BleperaRules", ["BleperaBluetooth"]),
    target("BleperaCapture", ["BleperaBluetooth"]),
    target("BleperaProfile", ["BleperaBluetooth", "BleperaPropertyLists", "BleperaRules"]),
    target("BleperaCompare", ["BleperaBluetooth", "BleperaCapture", "BleperaRules"]),
    target("BleperaBlueZProtocol", ["BleperaBluetooth", "BleperaDBus"]),
    target(
      "BleperaBlueZ",
      [
        "BleperaBlueZProtocol", "BleperaBluetooth", "BleperaDBus", "BleperaEventLoop", "BleperaLoop", "BleperaRadio",
      ]),
    target(
      "BleperaAir",
      [
        "BleperaBluetooth", "BleperaHost", "BleperaLoop", "BleperaRadio",
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "HeapModule", package: "swift-collections"),
      ]),
    target("BleperaHCI", ["BleperaAir", "BleperaBluetooth", "BleperaCapture", "BleperaLoop"]),
    target(
      "BleperaVirtualBlueZ",
      [
        "BleperaAir", "BleperaBlueZProtocol", "BleperaBluetooth", "BleperaDBus", "BleperaEventLoop", "BleperaLoop",
      ]),
    target("BleperaAppLink", ["BleperaBluetooth", "BleperaLoop"]),
    target("BleperaPreservation", ["BleperaAppLink", "BleperaBluetooth"]),
    target("BleperaAppleNames"),
    .systemLibrary(name: "OSModules"),
    target("BleperaOS", ["BleperaAppleNames", "OSModules"]),
    .systemLibrary(name: "CoreBluetoothSubmodules"),
    target(
      "CoreBluetooth",
      [
        "BleperaAppLink", "BleperaAppleNames", "BleperaBluetooth", "BleperaLoop", "BleperaOS", "BleperaPreservation",
        "CoreBluetoothSubmodules",
      ]),
    target(
      "BleperaPhone",
      [
        "BleperaAppLink", "BleperaBluetooth", "BleperaLoop", "BleperaPreservation", "BleperaRadio", "BleperaRules",
      ]),
    target("BleperaRecording", ["BleperaAppLink"]),
    target("BleperaProfileApp", ["BleperaAppLink", "BleperaBluetooth", "BleperaLoop", "BleperaProfile"]),
    target(
      "BleperaAccessory",
      [
        "BleperaAir", "BleperaAppLink", "BleperaBluetooth", "BleperaLoop", "BleperaPhone", "BleperaProfile",
        "BleperaProfileApp", "BleperaRadio", "BleperaRules",
      ]),
    target(
      "BleperaSimulation",
      [
        "BleperaAccessory", "BleperaAir", "BleperaAppLink", "BleperaBluetooth", "BleperaLoop", "BleperaPhone",
        "BleperaPreservation", "BleperaProfile", "BleperaProfileApp", "BleperaPropertyLists", "BleperaRadio",
        "BleperaRecording",
        "BleperaRules",
      ]),
    target("BleperaTesting", ["BleperaSimulation"]),
    target(
      "BleperaTestingBlueZ",
      [
        "BleperaBlueZ", "BleperaBlueZProtocol", "BleperaBluetooth", "BleperaDBus", "BleperaEventLoop", "BleperaLoop",
        "BleperaPhone", "BleperaRadio", "BleperaRules", "BleperaSimulation",
      ]),
    target(
      "BleperaSessions",
      [
        "BleperaAccessory", "BleperaAir", "BleperaAppLink", "BleperaBlueZ", "BleperaBluetooth", "BleperaCapture",
        "BleperaCompare", "BleperaDBus", "BleperaEventLoop", "BleperaHCI", "BleperaLoop", "BleperaPhone",
        "BleperaPreservation",
        "BleperaProfile", "BleperaProfileApp",
        "BleperaRadio", "BleperaRecording", "BleperaRules", "BleperaVirtualBlueZ",
      ]),
    .target(name: "BleperaReportPage", resources: [.embedInCode("Page")], swiftSettings: settings),
    target(
      "BleperaReport",
      [
        "BleperaAppLink", "BleperaBluetooth", "BleperaRecording", "BleperaReportPage", "BleperaRules",
        "BleperaSimulation",
      ]),
    target(
      "BleperaCLI",
      [
        "BleperaAir", "BleperaAppLink", "BleperaBlueZ", "BleperaBluetooth", "BleperaCapture", "BleperaCompare",
        "BleperaDBus", "BleperaEventLoop", "BleperaHCI", "BleperaLoop", "BleperaPhone", "BleperaPreservation",
        "BleperaProfile", "BleperaProfileApp", "BleperaPropertyLists", "BleperaRadio", "BleperaRecording",
        "BleperaReport", "BleperaRules",
        "BleperaSessions", "BleperaSimulation", "BleperaTestingBlueZ", "BleperaVirtualBlueZ",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    // With the Swift runtime in the binary. `swift build --static-swift-stdlib` would compile all modules for it, and there is
    // no Testing for that.
    .executableTarget(
      name: "blepera", dependencies: ["BleperaCLI"], swiftSettings: settings,
      linkerSettings: [.unsafeFlags(["-static-stdlib", "-l_FoundationCShims", "-l_FoundationCollections"])]),
    .target(name: "BenchmarkSupport", path: "Benchmarks/Support", swiftSettings: settings),
    .executableTarget(
      name: "CrowdedAir", dependencies: ["BenchmarkSupport", "BleperaAir", "BleperaBluetooth"],
      path: "Benchmarks/CrowdedAir", swiftSettings: settings
    ),
    .executableTarget(
      name: "PhoneDay", dependencies: ["BenchmarkSupport", "BleperaSimulation"], path: "Benchmarks/PhoneDay",
      swiftSettings: settings),
    .executableTarget(
      name: "OfflineCosts",
      dependencies: ["BenchmarkSupport", "BleperaBluetooth", "BleperaRules", "BleperaSimulation"],
      path: "Benchmarks/OfflineCosts", swiftSettings: settings),
    .executableTarget(
      name: "UpdateCost", dependencies: ["BenchmarkSupport", "CoreBluetooth"], path: "Benchmarks/UpdateCost",
      swiftSettings: settings),
    tests("EventLoopTests", ["BleperaEventLoop", "BleperaLoop"]),
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: testSettings),
    .target(
      name: "BusTesting", dependencies: ["BleperaDBus", "BleperaEventLoop", "BleperaLoop"], path: "Tests/BusTesting",
      swiftSettings: testSettings),
    .executableTarget(
      name: "blepera-torture",
      dependencies: [
        "BleperaAir", "BleperaAppLink", "BleperaBlueZProtocol", "BleperaBluetooth", "BleperaDBus", "BleperaEventLoop",
        "BleperaLoop", "BleperaPreservation", "BleperaSessions", "BleperaVirtualBlueZ", "BusTesting",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], path: "Tests/Torture", swiftSettings: testSettings),
    tests("TortureTests", ["blepera-torture"]),
    tests("DBusTests", ["BleperaBluetooth", "BleperaDBus", "BleperaEventLoop", "BleperaLoop", "BusTesting"]),
    tests("BluetoothTests", ["BleperaBluetooth", "TestSupport"], exclude: ["overflow-vectors.csv"]),
    tests("CaptureTests", ["BleperaBluetooth", "BleperaCapture", "TestSupport"]),
    tests("CompareTests", ["BleperaBluetooth", "BleperaCapture", "BleperaCompare", "BleperaRules", "TestSupport"]),
    tests(
      "ProfileTests", ["BleperaBluetooth", "BleperaProfile", "BleperaPropertyLists", "BleperaRules", "TestSupport"]),
    tests("RulesTests", ["BleperaBluetooth", "BleperaRules", "TestSupport"]),
    tests(
      "BlueZTests",
      [
        "BleperaBlueZ", "BleperaBlueZProtocol", "BleperaBluetooth", "BleperaDBus", "BleperaEventLoop", "BleperaRadio",
        "BusTesting", "TestSupport",
      ]),
    .target(
      name: "BlueZContract",
      dependencies: [
        "BleperaAir", "BleperaBlueZProtocol", "BleperaDBus", "BleperaEventLoop", "BleperaLoop", "BleperaVirtualBlueZ",
        "BusTesting",
      ], path: "Tests/Contract",
      swiftSettings: testSettings),
    .executableTarget(
      name: "blepera-contract",
      dependencies: [
        "BleperaAir", "BleperaBlueZProtocol", "BleperaDBus", "BleperaEventLoop", "BleperaLoop", "BleperaVirtualBlueZ",
        "BlueZContract", "BusTesting",
      ],
      path: "Tests/ContractRunner", swiftSettings: testSettings),
    tests("HostTests", ["BleperaBluetooth", "BleperaHost"]),
    tests(
      "HCITests", ["BleperaAir", "BleperaBluetooth", "BleperaEventLoop", "BleperaHCI", "BleperaLoop", "BusTesting"]),
    tests("AirTests", ["BleperaAir", "BleperaBluetooth", "BleperaHost", "BleperaLoop", "BleperaRadio"]),
    tests(
      "VirtualBlueZTests",
      [
        "BleperaAir", "BleperaBlueZ", "BleperaBlueZProtocol", "BleperaBluetooth", "BleperaDBus", "BleperaEventLoop",
        "BleperaLoop", "BleperaRadio", "BleperaVirtualBlueZ", "BlueZContract", "BusTesting", "TestSupport",
      ]),
    tests(
      "PhoneTests",
      [
        "BleperaAir", "BleperaAppLink", "BleperaBlueZ", "BleperaBluetooth", "BleperaDBus", "BleperaEventLoop",
        "BleperaLoop", "BleperaPhone", "BleperaPreservation", "BleperaRadio", "BleperaRules", "BleperaVirtualBlueZ",
        "BusTesting",
      ]),
    tests("AppLinkTests", ["BleperaAppLink", "BleperaBluetooth", "BleperaEventLoop", "BleperaLoop", "TestSupport"]),
    .testTarget(
      name: "CoreBluetoothTests",
      dependencies: ["BleperaAppLink", "BleperaBluetooth", "BleperaTesting", "CoreBluetooth"],
      resources: [.copy("api.tsv")], swiftSettings: testSettings),
    tests(
      "PreservationTests",
      ["BleperaAppLink", "BleperaBluetooth", "BleperaPreservation", "BusTesting", "TestSupport"],
      exclude: ["Fixtures"]),
    tests(
      "ProfileAppTests",
      [
        "BleperaAppLink", "BleperaBluetooth", "BleperaEventLoop", "BleperaLoop", "BleperaProfile",
        "BleperaProfileApp", "BleperaPropertyLists",
      ]),
    tests("RecordingTests", ["BleperaAppLink", "BleperaRecording", "BusTesting"]),
    tests(
      "TestingTests",
      [
        "BleperaAir", "BleperaBluetooth", "BleperaDBus", "BleperaEventLoop", "BleperaLoop", "BleperaPhone",
        "BleperaProfile", "BleperaRadio", "BleperaRules", "BleperaSimulation", "BleperaTesting", "BleperaTestingBlueZ",
        "BleperaVirtualBlueZ",
        "BusTesting",
        "TestSupport",
      ]),
    tests(
      "SimulationTests",
      [
        "BleperaAppLink", "BleperaBluetooth", "BleperaLoop", "BleperaPhone", "BleperaProfile", "BleperaPropertyLists",
        "BleperaRadio", "BleperaRecording", "BleperaRules", "BleperaSimulation", "TestSupport",
      ]),
    tests(
      "SessionsTests",
      [
        "BleperaAppLink", "BleperaBluetooth", "BleperaEventLoop", "BleperaLoop", "BleperaPreservation",
        "BleperaSessions", "BusTesting",
      ]),
    tests(
      "CLITests",
      [
        "BleperaAir", "BleperaAppLink", "BleperaBlueZ", "BleperaBluetooth", "BleperaCLI", "BleperaDBus",
        "BleperaEventLoop", "BleperaLoop", "BleperaPhone", "BleperaProfile", "BleperaProfileApp",
        "BleperaPropertyLists", "BleperaRadio", "BleperaRecording", "BleperaReport", "BleperaRules",
        "BleperaSessions", "BleperaSimulation", "BleperaVirtualBlueZ", "BusTesting", "TestSupport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
  ]
)

// The inputs of the fuzzer are played by the unit tests. With libFuzzer only `make fuzz` builds their targets, in a folder
// of its own, because all targets are instrumented then.
let fuzzed: [Target.Dependency] = [
  "BleperaAir", "BleperaAppLink", "BleperaBlueZ", "BleperaBluetooth", "BleperaCLI", "BleperaCapture", "BleperaCompare",
  "BleperaDBus", "BleperaHCI", "BleperaHost", "BleperaLoop", "BleperaPhone", "BleperaPreservation", "BleperaProfile",
  "BleperaProfileApp",
  "BleperaPropertyLists",
  "BleperaRadio", "BleperaRecording", "BleperaReport", "BleperaRules", "BleperaSessions", "BleperaSimulation",
  "CBleperaDBus", "TestSupport",
]
package.targets.append(
  Context.environment["BLEPERA_FUZZ"] == nil
    ? .testTarget(
      name: "FuzzTests", dependencies: fuzzed, path: "Fuzz",
      exclude: ["Sources/Fuzz.swift", "corpus", "dictionaries"], sources: ["Sources", "Tests"],
      swiftSettings: testSettings)
    : .executableTarget(
      name: "blepera-fuzz", dependencies: fuzzed, path: "Fuzz/Sources", swiftSettings: settings))
