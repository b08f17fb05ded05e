import BleperaBluetooth
import BleperaProfile
import BleperaPropertyLists
import BleperaRules

@testable import BleperaBlueZ
@testable import BleperaCompare

extension FuzzTarget {
  /// The file of an accessory, which `check` reads.
  static let accessory = FuzzTarget("accessory") { bytes in
    let check = AccessoryDescription.check(bytes, file: "input.plist")
    requireOrder(of: check.diagnostics)
    let hasErrors = check.diagnostics.contains { $0.severity == .error }
    require((check.accessory == nil) == hasErrors, "an accessory without errors is an accessory")
  }

  /// A phone file, which `check` and `--like` read.
  static let phone = FuzzTarget("phone") { bytes in
    let check = MeasuredPhone.check(bytes, file: "input.plist")
    requireOrder(of: check.diagnostics)
    let hasErrors = check.diagnostics.contains { $0.severity == .error }
    require((check.phone == nil) == hasErrors, "a phone without errors is a phone")
    guard let phone = check.phone else { return }
    require(!RuleSet(phone.ios ?? .newest).with(phone).values.isEmpty, "a phone has rules")
    let again = MeasuredPhone.check(Array(phone.text(head: ["Written again."]).utf8), file: "input.plist").phone
    require(again?.values.map(\.content) == phone.values.map(\.content), "a phone is read as it was written")
  }

  /// A scene file, and lock changes at the times of its bytes.
  static let scenes = FuzzTarget("scenes") { bytes in
    guard let played = PlayedScenes(String(decoding: bytes, as: UTF8.self)) else { return }
    require(PlayedScenes(played.text) == played, "scenes are read as they were written")
    var changes = LockChanges()
    for (index, byte) in bytes.enumerated() {
      changes.add(byte, at: (played.entries.first?.start ?? 0) &+ Int64(index) * 1_000_000_000)
    }
    guard let offset = ClockOffset(of: played, in: changes) else { return }
    require(offset.error >= 0, "an error is not negative")
    require(played.shifted(by: offset).entries.count == played.entries.count, "shifted scenes are as many")
  }

  /// Messages of the kernel's management socket, and the file in which a phone keeps its changes in the kernel.
  static let kernel = FuzzTarget("kernel") { bytes in
    _ = ManagementMessage(bytes)
    let changes = KernelChanges(text: "boot 1\n" + String(decoding: bytes, as: UTF8.self), boot: "1")
    guard let text = changes.text(boot: "1") else { return }
    require(KernelChanges(text: text, boot: "1").text(boot: "1") == text, "changes are read as they were written")
  }
}
