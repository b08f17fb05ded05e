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
    .library(name: "BleperaTesting", targets: ["BleperaTesting"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0")
  ],
  targets: [
    .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
    .systemLibrary(name: "CGLib", pkgConfig: "glib-2.0", providers: [.apt(["libglib2.0-dev"])]),
    target("EventLoop", ["CGLib"]),
    target("DBus", ["CDBus", "EventLoop"]),
    target("GATT"),
    target("Profile", ["GATT"]),
    target("Policy", ["GATT"]),
    target("BlueZ", ["DBus", "EventLoop", "GATT"]),
    target("VirtualBlueZ", ["DBus", "EventLoop", "GATT"]),
    target("AppLink", ["EventLoop", "GATT"]),
    target("Preservation", ["AppLink", "GATT", "Policy"]),
    target("Control", ["EventLoop"]),
    target(
      "System", ["AppLink", "BlueZ", "Control", "DBus", "EventLoop", "GATT", "Policy", "Preservation"]),
    target("EventTrace", ["BlueZ", "Control", "GATT", "Policy", "Profile", "System"]),
    target("SimulatedRadio", ["BlueZ", "DBus", "EventLoop", "GATT", "VirtualBlueZ"]),
    target("ProfileApp", ["AppLink", "EventLoop", "GATT", "Profile"]),
    target(
      "Replay",
      [
        "AppLink", "BlueZ", "Control", "EventLoop", "EventTrace", "GATT", "Policy", "Profile", "ProfileApp",
        "SimulatedRadio", "System", "VirtualBlueZ",
      ]),
    target(
      "Story",
      [
        "AppLink", "BlueZ", "Control", "DBus", "EventLoop", "EventTrace", "GATT", "Policy", "Preservation", "Profile",
        "ProfileApp", "SimulatedRadio", "System", "VirtualBlueZ",
      ]),
    target("BleperaTesting", ["Story"]),
    target("Scenario", ["GATT", "Policy", "Profile"]),
    target("ScenarioRunner", ["EventTrace", "GATT", "Policy", "Profile", "Scenario", "Story"]),
    target(
      "BleperaCLI",
      [
        "AppLink", "BlueZ", "Control", "DBus", "EventLoop", "EventTrace", "GATT", "Policy", "Preservation", "Profile",
        "ProfileApp", "Replay", "Scenario", "ScenarioRunner", "Story", "System", "VirtualBlueZ",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .executableTarget(name: "blepera", dependencies: ["BleperaCLI"], swiftSettings: settings),
    .executableTarget(
      name: "CrowdedAir", dependencies: ["GATT", "VirtualBlueZ"], path: "Benchmarks/CrowdedAir", swiftSettings: settings
    ),
    .executableTarget(
      name: "PhoneDay", dependencies: ["Story"], path: "Benchmarks/PhoneDay", swiftSettings: settings),
    tests("EventLoopTests", ["EventLoop"]),
    .target(
      name: "BusTesting", dependencies: ["DBus", "EventLoop"], path: "Tests/BusTesting", swiftSettings: settings),
    .executableTarget(
      name: "blepera-torture",
      dependencies: [
        "BusTesting", "Control", "DBus", "EventLoop", "GATT", "Preservation", "VirtualBlueZ",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], path: "Tests/Torture", swiftSettings: settings),
    tests("TortureTests", ["blepera-torture"]),
    tests("DBusTests", ["BusTesting", "DBus", "EventLoop"]),
    tests("GATTTests", ["GATT"], exclude: ["overflow-vectors.csv"]),
    tests("ProfileTests", ["Profile", "GATT"]),
    tests("PolicyTests", ["Policy", "GATT"]),
    tests("BlueZTests", ["BlueZ", "DBus", "GATT"]),
    .target(
      name: "BlueZContract", dependencies: ["BusTesting", "DBus", "EventLoop", "VirtualBlueZ"], path: "Tests/Contract",
      swiftSettings: settings),
    .executableTarget(
      name: "blepera-contract", dependencies: ["BlueZContract", "BusTesting", "DBus", "EventLoop", "VirtualBlueZ"],
      path: "Tests/ContractRunner", swiftSettings: settings),
    tests(
      "VirtualBlueZTests", ["BlueZ", "BlueZContract", "BusTesting", "DBus", "EventLoop", "GATT", "VirtualBlueZ"]),
    tests(
      "SystemTests",
      [
        "AppLink", "BlueZ", "BusTesting", "Control", "DBus", "EventLoop", "GATT", "Policy", "Preservation",
        "SimulatedRadio", "System", "VirtualBlueZ",
      ]),
    tests("AppLinkTests", ["AppLink", "EventLoop", "GATT"]),
    tests("PreservationTests", ["AppLink", "GATT", "Policy", "Preservation"]),
    tests("ProfileAppTests", ["ProfileApp", "AppLink", "EventLoop", "GATT", "Profile"]),
    tests("EventTraceTests", ["BusTesting", "EventTrace"]),
    tests("ReplayTests", ["BusTesting", "EventTrace", "GATT", "Policy", "Profile", "Replay"]),
    tests("BleperaTestingTests", ["BleperaTesting", "BusTesting", "DBus", "EventLoop", "Story", "VirtualBlueZ"]),
    tests("ScenarioTests", ["GATT", "Policy", "Profile", "Scenario"]),
    tests("ScenarioRunnerTests", ["GATT", "Policy", "Profile", "Scenario", "ScenarioRunner", "Story"]),
    tests("ControlTests", ["Control", "EventLoop"]),
    tests(
      "BleperaCLITests",
      [
        "BleperaCLI", "BlueZ", "BusTesting", "Control", "DBus", "EventLoop", "EventTrace", "GATT", "Policy", "Profile",
        "Replay", "System",
        "VirtualBlueZ",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
  ]
)
