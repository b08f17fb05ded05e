import BleperaBlueZProtocol
import BleperaBluetooth
import BleperaDBus
import Testing

@testable import BleperaBlueZ

@Suite("The faults of bluetoothd")
struct DaemonFaultTests {
  private static let hci0: ObjectPath = "/org/bluez/hci0"
  private static let phone: ObjectPath = "/org/bluez/hci0/dev_00_11_22_33_44_55"

  /// The inventory of a bluetoothd of that release at its end.
  ///
  /// - Parameters:
  ///   - words: what is under way: `off`, `discovering`, `advertising`, `connected`, `removed` (while
  ///     connected), or another change `later`.
  private static func inventory(_ minor: UInt8, _ words: String) -> Inventory {
    let words = Set(words.split(separator: " ").map(String.init))
    let modalias = "usb:v1D6Bp0246d05" + Hex.string([minor])
    var inventory = Inventory()
    _ = inventory.apply(
      .added(
        hci0, BlueZName.adapter,
        [
          "Powered": .boolean(!words.contains("off")), "Modalias": .string(modalias),
          "Discovering": .boolean(words.contains("discovering")),
        ]))
    let count: UInt8 = words.contains("advertising") ? 1 : 0
    _ = inventory.apply(.added(hci0, BlueZName.advertisingManager, ["ActiveInstances": .byte(count)]))
    guard !words.isDisjoint(with: ["connected", "removed"]) else { return inventory }
    _ = inventory.apply(.added(phone, BlueZName.device, ["Connected": .boolean(true)]))
    if words.contains("removed") {
      _ = inventory.apply(
        Signal(
          path: .root, interface: .objectManager, member: "InterfacesRemoved",
          arguments: [.objectPath(phone), .strings([BlueZName.device.rawValue])]))
    }
    if words.contains("later") {
      _ = inventory.apply(.propertiesChanged(hci0, BlueZName.adapter, changed: [("Address", .string("00:"))]))
    }
    return inventory
  }

  @Test(
    "After the sudden end of bluetoothd the known crashes are named whose cause was under way",
    arguments: [
      (87, "discovering", ["82af2beaf"]), (87, "connected", ["5bc6aa79e"]), (87, "removed", ["5bc6aa79e"]),
      (87, "discovering connected", ["82af2beaf", "5bc6aa79e"]), (87, "", []), (87, "removed later", []),
      (87, "discovering connected off", []), (88, "discovering connected advertising", []),
      (66, "connected", ["a94f99420"]), (66, "advertising", ["6b5447583"]), (66, "discovering", []),
      (85, "connected", ["a94f99420"]), (86, "connected advertising discovering", []),
    ] as [(UInt8, String, [String])])
  func crashes(minor: UInt8, words: String, commits: [String]) {
    let text = DaemonFault.possibleCrashes(Self.inventory(minor, words))
    #expect((text == nil) == commits.isEmpty)
    guard let text else { return }
    #expect(text.hasPrefix("a known crash is possible: bluetoothd 5.\(minor) "))
    #expect(text.split(separator: "(BlueZ ").dropFirst().map { String($0.prefix(9)) } == commits)
  }

  @Test("Without a release nothing is named") func unknown() {
    #expect(DaemonFault.possibleCrashes(Inventory()) == nil)
  }

  @Test(
    "The next release ends three faults and begins one",
    arguments: [
      (87, ["pagesPrivateAddresses", "crashesOnServiceFilter", "crashesOnRemovedConnection"]),
      (88, ["withholdsSmallChanges"]),
    ])
  func next(minor: Int, quirks: [String]) {
    let found = DaemonFault.faults(of: DaemonVersion(5, minor), isExperimental: true)
    #expect(found.map { "\($0.quirk)" } == quirks)
    #expect(DaemonVersion.next == DaemonVersion(5, 88))
  }

  @Test("A dual-mode adapter pages iPhones up to 5.87, and an LE adapter does not", arguments: [66, 82, 87, 88])
  func page(minor: Int) {
    for isDualMode in [false, true] {
      let found = DaemonFault.faults(of: DaemonVersion(5, minor), isExperimental: false, isDualMode: isDualMode)
      #expect(found.contains { $0.quirk == .pagesPrivateAddresses } == (isDualMode && minor < 88), "5.\(minor)")
    }
  }
}
