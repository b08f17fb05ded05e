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

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings)
}

// Dependencies go down the list only.
let package = Package(
  name: "blepera",
  products: [
    .executable(name: "blepera", targets: ["blepera"]),
    .library(name: "CoreBluetooth", targets: ["CoreBluetooth"]),
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
    target("BleperaDBus", ["BleperaLoop", "CBleperaDBus", "BleperaEventLoop"]),
    target("BleperaBluetooth"),
    target("BleperaRadio", ["BleperaBluetooth", "BleperaLoop"]),
    target("BleperaPropertyLists", ["BleperaBluetooth"]),
    target("BleperaProfile", ["BleperaBluetooth", "BleperaPropertyLists", "BleperaRules"]),
    target("BleperaRules", ["BleperaBluetooth"]),
    target("BleperaBlueZProtocol", ["BleperaDBus", "BleperaBluetooth"]),
    target(
      "BleperaBlueZ",
      ["BleperaLoop", "BleperaDBus", "BleperaEventLoop", "BleperaBlueZProtocol", "BleperaBluetooth", "BleperaRadio"]),
    target(
      "BleperaAir",
      [
        "BleperaBluetooth", "BleperaLoop", "BleperaRadio",
        .product(name: "HeapModule", package: "swift-collections"),
      ]),
    target(
      "BleperaVirtualBlueZ",
      ["BleperaAir", "BleperaBlueZProtocol", "BleperaLoop", "BleperaDBus", "BleperaEventLoop", "BleperaBluetooth"]),
    target("BleperaAppLink", ["BleperaBluetooth", "BleperaLoop"]),
    .systemLibrary(name: "CoreBluetoothSubmodules"),
    target(
      "CoreBluetooth",
      ["BleperaAppLink", "BleperaBluetooth", "BleperaLoop", "BleperaPreservation", "CoreBluetoothSubmodules"]),
    target("BleperaPreservation", ["BleperaBluetooth"]),
    target(
      "BleperaPhone",
      [
        "BleperaAppLink", "BleperaBluetooth", "BleperaLoop", "BleperaPreservation", "BleperaRadio", "BleperaRules",
      ]),
    target("BleperaEventTrace", ["BleperaAppLink"]),
    target("BleperaProfileApp", ["BleperaAppLink", "BleperaBluetooth", "BleperaLoop", "BleperaProfile"]),
    target(
      "BleperaSimulation",
      [
        "BleperaAir", "BleperaAppLink", "BleperaBluetooth", "BleperaEventTrace", "BleperaLoop", "BleperaPhone",
        "BleperaPreservation", "BleperaProfile", "BleperaProfileApp", "BleperaPropertyLists", "BleperaRadio",
        "BleperaRules",
      ]),
    target("BleperaTesting", ["BleperaSimulation"]),
    target(
      "BleperaTestingBlueZ",
      [
        "BleperaLoop", "BleperaBlueZ", "BleperaBlueZProtocol", "BleperaDBus", "BleperaEventLoop", "BleperaBluetooth",
        "BleperaRules",
        "BleperaPhone", "BleperaRadio", "BleperaSimulation",
      ]),
    target(
      "BleperaSessions",
      [
        "BleperaAir", "BleperaLoop", "BleperaAppLink", "BleperaBlueZ", "BleperaDBus", "BleperaEventLoop",
        "BleperaEventTrace", "BleperaBluetooth", "BleperaRadio", "BleperaRules", "BleperaPreservation",
        "BleperaProfile", "BleperaProfileApp",
        "BleperaPhone", "BleperaVirtualBlueZ",
      ]),
    .target(
      name: "BleperaReport",
      dependencies: [
        "BleperaAppLink", "BleperaBluetooth", "BleperaEventTrace", "BleperaRules", "BleperaSimulation",
      ], resources: [.embedInCode("Page")], swiftSettings: settings),
    target(
      "BleperaCLI",
      [
        "BleperaReport",
        "BleperaPropertyLists", "BleperaAir", "BleperaLoop",
        "BleperaAppLink", "BleperaBlueZ", "BleperaDBus", "BleperaEventLoop", "BleperaEventTrace",
        "BleperaBluetooth", "BleperaRules", "BleperaPreservation", "BleperaProfile",
        "BleperaProfileApp", "BleperaRadio", "BleperaSessions", "BleperaSimulation", "BleperaTestingBlueZ",
        "BleperaVirtualBlueZ",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .executableTarget(name: "blepera", dependencies: ["BleperaCLI"], swiftSettings: settings),
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
    tests("EventLoopTests", ["BleperaLoop", "BleperaEventLoop"]),
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
    .target(
      name: "BusTesting", dependencies: ["BleperaLoop", "BleperaDBus", "BleperaEventLoop"], path: "Tests/BusTesting",
      swiftSettings: settings),
    .executableTarget(
      name: "blepera-torture",
      dependencies: [
        "BleperaBlueZProtocol", "BleperaAir", "BleperaLoop",
        "BleperaAppLink", "BusTesting", "BleperaDBus", "BleperaEventLoop", "BleperaBluetooth", "BleperaPreservation",
        "BleperaSessions",
        "BleperaVirtualBlueZ",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], path: "Tests/Torture", swiftSettings: settings),
    tests("TortureTests", ["blepera-torture"]),
    tests("DBusTests", ["BleperaBluetooth", "BleperaLoop", "BusTesting", "BleperaDBus", "BleperaEventLoop"]),
    tests("GATTTests", ["TestSupport", "BleperaBluetooth"], exclude: ["overflow-vectors.csv"]),
    tests("ProfileTests", ["TestSupport", "BleperaPropertyLists", "BleperaProfile", "BleperaBluetooth"]),
    tests("PolicyTests", ["BleperaRules", "BleperaBluetooth"]),
    tests(
      "BlueZTests",
      [
        "BleperaBlueZ", "BleperaBlueZProtocol", "BleperaDBus", "BleperaBluetooth", "BleperaEventLoop", "BleperaRadio",
        "BusTesting",
      ]),
    .target(
      name: "BlueZContract",
      dependencies: [
        "BleperaBlueZProtocol", "BleperaAir", "BleperaLoop", "BusTesting", "BleperaDBus", "BleperaEventLoop",
        "BleperaVirtualBlueZ",
      ], path: "Tests/Contract",
      swiftSettings: settings),
    .executableTarget(
      name: "blepera-contract",
      dependencies: [
        "BleperaBlueZProtocol", "BleperaAir", "BleperaLoop", "BlueZContract", "BusTesting", "BleperaDBus",
        "BleperaEventLoop",
        "BleperaVirtualBlueZ",
      ],
      path: "Tests/ContractRunner", swiftSettings: settings),
    tests("AirTests", ["BleperaAir", "BleperaBluetooth", "BleperaLoop", "BleperaRadio"]),
    tests(
      "VirtualBlueZTests",
      [
        "BleperaAir", "BleperaLoop", "BleperaBlueZ", "BleperaBlueZProtocol", "BleperaRadio", "BlueZContract",
        "BusTesting", "BleperaDBus",
        "BleperaEventLoop",
        "BleperaBluetooth", "BleperaVirtualBlueZ",
      ]),
    tests(
      "PhoneTests",
      [
        "BleperaAir", "BleperaAppLink", "BleperaBlueZ", "BleperaBluetooth", "BleperaDBus", "BleperaEventLoop",
        "BleperaLoop", "BleperaPhone", "BleperaPreservation", "BleperaRadio", "BleperaRules", "BleperaVirtualBlueZ",
        "BusTesting",
      ]),
    tests("AppLinkTests", ["BleperaLoop", "BleperaAppLink", "BleperaEventLoop", "BleperaBluetooth"]),
    .testTarget(
      name: "CoreBluetoothTests",
      dependencies: ["CoreBluetooth", "BleperaAppLink", "BleperaBluetooth", "BleperaTesting"],
      resources: [.copy("api.tsv")], swiftSettings: settings),
    tests(
      "PreservationTests",
      ["BusTesting", "TestSupport", "BleperaBluetooth", "BleperaPreservation"],
      exclude: ["Fixtures"]),
    tests(
      "ProfileAppTests",
      [
        "BleperaPropertyLists", "BleperaLoop", "BleperaProfileApp", "BleperaAppLink", "BleperaEventLoop",
        "BleperaBluetooth", "BleperaProfile",
      ]),
    tests("EventTraceTests", ["BleperaAppLink", "BusTesting", "BleperaEventTrace"]),
    tests(
      "ReplayTests",
      [
        "BleperaAppLink", "BleperaPropertyLists", "BleperaEventTrace", "BleperaBluetooth", "BleperaProfile",
        "BleperaSimulation",
      ]),
    tests(
      "BleperaTestingTests",
      [
        "BleperaBluetooth", "BleperaAir", "BleperaLoop", "BleperaProfile", "BleperaTesting", "BusTesting",
        "TestSupport", "BleperaDBus",
        "BleperaEventLoop",
        "BleperaSimulation",
        "BleperaTestingBlueZ", "BleperaVirtualBlueZ",
      ]),
    tests(
      "ScenarioTests",
      [
        "TestSupport", "BleperaPropertyLists", "BleperaProfile", "BleperaRadio",
        "BleperaSimulation",
      ]),
    tests(
      "ScenarioRunnerTests",
      [
        "BleperaAppLink", "TestSupport", "BleperaPropertyLists", "BleperaBluetooth", "BleperaLoop", "BleperaRules",
        "BleperaProfile", "BleperaRadio", "BleperaSimulation",
      ]),
    tests(
      "ControlTests",
      [
        "BleperaLoop", "BleperaAppLink", "BleperaBluetooth", "BleperaEventLoop", "BleperaPreservation",
        "BleperaSessions", "BusTesting",
      ]),
    tests(
      "BleperaCLITests",
      [
        "BleperaProfileApp", "BleperaAppLink", "BleperaSessions", "BleperaRadio", "TestSupport",
        "BleperaPropertyLists", "BleperaAir", "BleperaLoop",
        "BleperaCLI", "BleperaBlueZ", "BusTesting", "BleperaDBus", "BleperaEventLoop",
        "BleperaEventTrace", "BleperaBluetooth", "BleperaRules", "BleperaProfile",
        "BleperaSimulation", "BleperaPhone", "BleperaReport",
        "BleperaVirtualBlueZ",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
  ]
)

// Only `make fuzz` builds this target, in a folder of its own, because all targets are instrumented for libFuzzer then.
if Context.environment["BLEPERA_FUZZ"] != nil {
  package.targets.append(
    .executableTarget(
      name: "blepera-fuzz",
      dependencies: [
        "BleperaAir", "BleperaAppLink", "BleperaBlueZ", "BleperaBluetooth", "BleperaCLI", "BleperaDBus",
        "BleperaEventTrace", "BleperaLoop", "BleperaPhone", "BleperaPreservation", "BleperaProfile",
        "BleperaProfileApp", "BleperaPropertyLists", "BleperaRadio", "BleperaReport", "BleperaRules", "BleperaSessions",
        "BleperaSimulation", "CBleperaDBus",
      ], path: "Fuzz/Sources", swiftSettings: settings))
}
