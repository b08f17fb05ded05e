// swift-tools-version: 6.2
import PackageDescription

// An iOS app that is the central of another app, as a package; `ipad.plist` is the other app. In your package the path
// of the dependency is that of your clone of blepera.
let coreBluetooth = Target.Dependency.product(
  name: "CoreBluetooth", package: "blepera", condition: .when(platforms: [.linux]))

let package = Package(
  name: "TwoApps",
  dependencies: [.package(name: "blepera", path: "../..")],
  targets: [
    .target(name: "Listener", dependencies: [coreBluetooth], swiftSettings: [.swiftLanguageMode(.v6)]),
    .executableTarget(
      name: "phrase-listener", dependencies: ["Listener", coreBluetooth], swiftSettings: [.swiftLanguageMode(.v6)]),
  ]
)
