import BleperaBlueZProtocol
import BleperaBluetooth
import BleperaDBus
import BleperaRadio
import TestSupport
import Testing

@testable import BleperaBlueZ

@Suite("The devices of bluetoothd, and the centrals among them")
struct DeviceTableTests {
  /// Events named after the functions of `DeviceTable`, with devices a and b.
  ///
  /// `replace a=on b=bonded` has an inventory with a connected and b bonded, and returns what was lost; `central a`
  /// shows the bond, the ATT_MTU and the longest update of a central.
  private static let table: [(String, String)] = [
    (
      "a connection is reported once, and ends once",
      """
      connect a -> yes
      connect a -> no
      connected -> a
      disconnect a -> yes
      disconnect a -> no
      connected
      """
    ),
    (
      "another bluetoothd has lost the connections that it does not know",
      """
      replace b=on a=on
      replace a=bonded b=on -> a
      replace b=on
      replace -> b
      """
    ),
    (
      "a central has its ATT_MTU while it is connected",
      """
      replace a=on
      mtu a -> 23
      central a -> a 23 -
      noteMTU a 185
      mtu a -> 185
      central a -> a 185 182
      forget a -> a 185 182
      central a -> a 23 -
      """
    ),
    (
      "a number that no ATT_MTU can be is ignored, and an update is at most 512 bytes",
      """
      replace a=on
      noteMTU a 22
      noteMTU a 70000
      mtu a -> 23
      noteMTU a 517
      central a -> a 517 512
      """
    ),
    (
      "a central is another one when its device changes",
      """
      replace a=on
      central a -> a 23 -
      centrals a b -> a 23 -, b 23 -
      signal a bonded -> bonded a
      central a -> a* 23 -
      centrals a b -> a* 23 -, b 23 -
      noteMTU b 100
      centrals a b -> a* 23 -, b 100 97
      centrals b -> b 100 97
      centrals
      """
    ),
    (
      "the bonds since the start are kept when the devices are removed",
      """
      replace a=on
      bond a
      replace -> a
      bonds -> a
      """
    ),
  ]

  @Test("Each event has its result", arguments: table)
  func traces(name: String, text: String) {
    var table = DeviceTable()
    let differences = TraceLines(text).differences { Self.play($0.words, &table) }
    #expect(differences == [])
  }

  private static func play(_ words: [String], _ table: inout DeviceTable) -> String {
    func device() -> ObjectPath { path(words[1]) }
    switch words[0] {
    case "replace":
      var inventory = Inventory()
      for word in words.dropFirst() {
        let isConnected = word.hasSuffix("=on")
        _ = inventory.apply(
          .added(
            path(String(word.prefix(1))), BlueZName.device,
            [
              "Address": .string(String(word.prefix(1))), "Connected": .boolean(isConnected),
              "Bonded": .boolean(!isConnected),
            ]))
      }
      return table.replaceInventory(with: inventory).map { name($0.path) }.joined(separator: " ")
    case "signal":
      let signal = Signal.propertiesChanged(device(), BlueZName.device, changed: [("Bonded", .boolean(true))])
      return table.apply(signal).map { if case .bonded(let device) = $0 { "bonded \(name(device.path))" } else { "-" } }
        .joined(separator: " ")
    case "connect": return table.connect(device()) ? "yes" : "no"
    case "disconnect": return table.disconnect(device()) ? "yes" : "no"
    case "connected": return table.connected.sorted().map(name).joined(separator: " ")
    case "bond": table.bond(device())
    case "bonds": return table.bondsMade.sorted().map(name).joined(separator: " ")
    case "noteMTU": table.noteMTU(.uint32(UInt32(words[2]) ?? 0), of: device())
    case "mtu": return "\(table.mtu(of: device()))"
    case "forget": return text(table.forget(table.device(at: device())))
    case "central": return text(table.central(at: device()))
    case "centrals": return table.centrals(at: words.dropFirst().map(path)).map(text).joined(separator: ", ")
    default: preconditionFailure("unknown event \(words)")
    }
    return ""
  }

  private static func path(_ name: String) -> ObjectPath { Trace.adapter("hci0").appending("dev_" + name) }
  private static func name(_ path: ObjectPath) -> String { String(path.lastElement.dropFirst(4)) }

  private static func text(_ central: RadioCentral) -> String {
    "\(central.id.rawValue)\(central.isBonded ? "*" : "") \(central.mtu) \(central.longestUpdate.map(String.init) ?? "-")"
  }
}
