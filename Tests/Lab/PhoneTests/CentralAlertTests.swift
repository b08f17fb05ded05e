import BleperaAppLink
import BleperaBluetooth
import BleperaRadio
import BleperaRules
import Testing

@testable import BleperaPhone

@Suite("R19: which apps ask for an alert of an event")
struct CentralAlertTests {
  private static let apps = (1...3).map { AppID(rawValue: $0) }
  private static let users = apps.map { CentralUser(app: $0, manager: ManagerID(.central, .number(0))) }
  private static let strap = PeripheralID(rawValue: "C0:11:22:33:44:55")

  /// The deliveries since the last call, each with the apps that request an alert.
  private static func alerts(_ role: inout CentralRole) -> [String] {
    role.takeOutputs().compactMap { output in
      guard case .deliver(let user, _, let kind, let alerts) = output else { return nil }
      return "\(user.app.rawValue) \(kind) \(alerts.map(\.rawValue))"
    }
  }

  @Test("Those of the connection, of its end, and of a value that they are subscribed to")
  func events() throws {
    var role = CentralRole(.newest)
    role.powerChanged(isOn: true, isCreated: { _ in true }, at: .zero, timestamp: Timestamp(sinceEpoch: .zero))
    role.received(Self.strap, ReceivedAdvertisement(AdvertisingData([])), at: .zero)
    let id = try #require(role.known.identifier(of: Self.strap))
    for (index, user) in Self.users.enumerated() {
      role.add(user)
      var options = ConnectOptions()
      options.notifiesOnConnection = index != 0
      options.notifiesOnDisconnection = index != 1
      options.notifiesOnNotification = index != 2
      role.call(.connect(id, options), by: user, at: .zero, timestamp: .now)
    }
    _ = role.takeOutputs()
    role.connected(RadioPeripheral(id: Self.strap, isBonded: false, mtu: 185), at: .zero)
    #expect(Self.alerts(&role) == (1...3).map { "\($0) connection [2, 3]" })
    for index in [0, 2] { role.uses[id]?[index].notifying = [0x12] }
    role.valueReceived(0x12, [1], of: Self.strap, at: .zero)
    #expect(Self.alerts(&role) == ["1 notification [1]", "3 notification [1]"])
    role.disconnected(Self.strap, .timeout, at: .zero, timestamp: .now)
    #expect(Self.alerts(&role) == (1...3).map { "\($0) disconnection [1, 3]" })
  }
}
