import ArgumentParser
import BleperaBlueZ
import BleperaBluetooth
import BleperaRadio
import BleperaRules
import Testing

@testable import BleperaCLI
@testable import BleperaCommands
@testable import BleperaProfile

/// Apps to be explained, and what is made of them.
enum ExplainSample {
  /// The explanation of a whole command line behind `blepera explain`, its profiles those that are shipped.
  static func explanation(_ words: String, running: ExplainedDaemon? = nil) throws -> Explanation {
    let words = words.split(separator: " ").map { word in
      word.hasPrefix("profiles/") ? ShippedProfiles.folder + word.dropFirst("profiles".count) : String(word)
    }
    let command = try #require(try Blepera.parseAsRoot(["explain"] + words) as? ExplainCommand)
    let profiles = try #require(ProfileFiles(command.files, coloredFor: .plain).profiles)
    return command.explanation(of: ExplainedApp.all(of: profiles), running: running)
  }

  /// All shipped profiles in all states under all rule sets.
  static let shipped: [(path: String, ios: IOSVersion)] = ShippedProfiles.paths.flatMap { path in
    IOSVersion.allCases.map { (path, $0) }
  }

  static func state(
    _ state: ExplainedState, _ profiles: [Profile], ios: IOSVersion = .newest
  ) -> StateExplanation {
    let apps = profiles.enumerated().map { ExplainedApp($1, fileName: "app\($0 + 1)", number: $0 + 1) }
    return StateExplanation(state, apps, RuleSet(ios), ExplainedDaemon.assumed.daemon)
  }

  static func profile(_ name: String?, _ uuids: [UInt16], hasMode: Bool = true) -> Profile {
    Profile(
      backgroundModes: hasMode ? [Profile.peripheralBackgroundMode] : [],
      advertisement: AdvertisementData(localName: name, serviceUUIDs: uuids.map { BluetoothUUID($0) }))
  }
}

extension StateExplanation {
  /// All packets, of both.
  var packets: [AdvertisingData] {
    (plan.phone.map { [$0.advertisingData, $0.scanResponse] } ?? [])
      + bluez.flatMap { [$0.advertisingData, $0.scanResponse] }
  }
}
