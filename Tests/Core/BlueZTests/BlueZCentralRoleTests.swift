import BleperaBluetooth
import BleperaDBus
import BleperaRadio
import TestSupport
import Testing

@testable import BleperaBlueZ

@Suite("The central role's attempts and connections")
struct BlueZCentralRoleTests {
  /// Events named after the functions of `BlueZCentralRole`, with the devices a and b.
  private static let table: [(String, String)] = [
    (
      "a peripheral has one attempt at a time, and a pause after it",
      """
      wait a
      isWanted a -> yes
      isWanted b -> no
      beginAttempt a -> 1
      beginAttempt a -> -
      isConnecting a 1 -> yes
      pauseAttempt a
      isConnecting a 1 -> no
      beginAttempt a -> -
      endAttempt a -> yes
      endAttempt a -> no
      beginAttempt a -> 2
      isConnecting a 1 -> no
      """
    ),
    (
      "peripherals that are not wanted any more are given up",
      """
      wait a b
      wait b -> a
      wait -> b
      """
    ),
    (
      "a connection is for a peripheral that is waited for, and ends the attempt",
      """
      link a -> -
      wait a
      beginAttempt a -> 1
      isOutgoing a -> yes
      link a -> a
      link a -> -
      isWanted a -> no
      isConnecting a 1 -> no
      isOutgoing a -> yes
      isOutgoing a central -> no
      linked -> a
      unlink a -> timeout
      linked
      unlink a -> -
      """
    ),
    (
      "the phone has ended a connection, whatever bluetoothd says",
      """
      wait a
      link a -> a
      isEnding a -> no
      endLink a
      isEnding a -> yes
      unlink a -> byPhone
      """
    ),
    (
      "operations wait for the services, in order",
      """
      wait a
      link a -> a
      perform a 1 -> waits
      perform a 2 -> waits
      services a -> -
      setServices a -> 1 2
      services a -> 0
      perform a 3 -> starts
      setServices a
      """
    ),
    (
      "a change of the peripheral is reported once its services are known",
      """
      wait a
      link a -> a
      update a named
      setServices a
      update a -> -
      update a named -> changed
      update a named -> -
      update a bonded -> bonded
      """
    ),
    (
      "values are reported while the phone is subscribed",
      """
      wait a
      link a -> a
      notifying a -> -
      setNotifying a on
      notifying a -> a
      notifying b -> -
      setNotifying a off
      notifying a -> -
      setNotifying a on
      unlink a -> timeout char0001
      """
    ),
  ]

  @Test("Each event has its result", arguments: table)
  func traces(name: String, text: String) {
    var role = BlueZCentralRole()
    let differences = TraceLines(text).differences { Self.play($0.words, &role) }
    #expect(differences == [])
  }

  private static func play(_ words: [String], _ role: inout BlueZCentralRole) -> String {
    func path() -> ObjectPath { Self.path(words[1]) }
    func characteristic() -> ObjectPath { path().appending("service0000").appending("char0001") }
    var device = FoundDevice(path: words.count > 1 ? path() : .root)
    device.isTrusted = true
    device.isBonded = words.last == "bonded"
    if words.last == "named" || words.last == "bonded" { device.advertised.name = "n" }
    switch words[0] {
    case "wait":
      let former = role.wait(for: Set(words.dropFirst().map { PeripheralID(rawValue: $0) }))
      return former.map(\.rawValue).sorted().joined(separator: " ")
    case "isWanted": return role.isWanted(device) ? "yes" : "no"
    case "beginAttempt": return role.beginAttempt(device).map { "\($0)" } ?? "-"
    case "isConnecting": return role.isConnecting(path(), attempt: Int(words[2]) ?? 0) ? "yes" : "no"
    case "pauseAttempt": role.pauseAttempt(path())
    case "endAttempt": return role.endAttempt(path()) ? "yes" : "no"
    case "isOutgoing": return role.isOutgoing(path(), isCentral: words.last == "central") ? "yes" : "no"
    case "link": return role.link(device)?.id.rawValue ?? "-"
    case "linked": return role.linked.map { String($0.lastElement.dropFirst(4)) }.joined(separator: " ")
    case "endLink": role.endLink(path())
    case "isEnding": return role.isEnding(path()) ? "yes" : "no"
    case "unlink":
      guard let (event, notifying) = role.unlink(path(), .timeout) else { return "-" }
      return ([text(event)] + notifying.map(\.lastElement)).joined(separator: " ")
    case "perform":
      let id = PeripheralOperationID(rawValue: Int(words[2]) ?? 0)
      return role.wait(BlueZCentralRole.Operation(id: id, procedure: .services), at: path()) ? "waits" : "starts"
    case "services": return role.services(of: path()).map { "\($0.count)" } ?? "-"
    case "setServices":
      return role.setServices(of: path(), []).map { "\($0.id.rawValue)" }.joined(separator: " ")
    case "update": return role.update(device).map(text) ?? (role.services(of: path()) == nil ? "" : "-")
    case "setNotifying": role.setNotifying(words[2] == "on", characteristic(), at: path())
    case "notifying": return role.peripheral(notifying: characteristic())?.id.rawValue ?? "-"
    default: preconditionFailure("unknown event \(words)")
    }
    return ""
  }

  private static func path(_ name: String) -> ObjectPath { Trace.adapter("hci0").appending("dev_" + name) }

  private static func text(_ event: RadioEvent) -> String {
    switch event {
    case .peripheralDisconnected(_, let cause): cause == .byPhone ? "byPhone" : "timeout"
    case .peripheralChanged: "changed"
    case .peripheralBonded: "bonded"
    default: "\(event)"
    }
  }
}
