// swift-tools-version: 6.2
import PackageDescription

// An iOS app's peripheral as a package. In your package the path of the dependency is that of your clone of blepera. On
// Apple's platforms the sources use the framework of the same name.
let coreBluetooth = Target.Dependency.product(
  name: "CoreBluetooth", package: "blepera", condition: .when(platforms: [.linux]))

let package = Package(
  name: "DoorKey",
  dependencies: [.package(name: "blepera", path: "../..")],
  targets: [
    .target(name: "DoorKey", dependencies: [coreBluetooth], swiftSettings: [.swiftLanguageMode(.v6)]),
    .executableTarget(
      name: "door-key", dependencies: ["DoorKey", coreBluetooth], exclude: ["Info.plist"],
      swiftSettings: [.swiftLanguageMode(.v6)]),
    .testTarget(
      name: "DoorKeyTests",
      dependencies: ["DoorKey", .product(name: "BleperaTesting", package: "blepera")],
      swiftSettings: [.swiftLanguageMode(.v6)]),
  ]
)
