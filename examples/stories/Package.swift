// swift-tools-version: 6.2
import PackageDescription

// A package of tests, as yours may be. In your package the path of the dependency is that of your clone of blepera.
let package = Package(
  name: "LockStories",
  dependencies: [.package(name: "blepera", path: "../..")],
  targets: [
    .testTarget(
      name: "LockStories",
      dependencies: [
        .product(name: "BleperaTesting", package: "blepera"),
        // For stories on real adapters only; it needs libdbus and GLib.
        .product(name: "BleperaTestingBlueZ", package: "blepera"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)])
  ]
)
