import BleperaAppLink
import BleperaBluetooth
import BleperaRadio
import BleperaRules

/// A central manager of an app.
struct CentralUser: Hashable {
  let app: AppID
  let manager: ManagerID
}

/// An action or a report of the central role.
enum CentralOutput {
  /// The managers learn that Bluetooth is switched, before what that causes.
  case powerChanged
  case scan(ScanWindow?)
  case connect(Set<PeripheralID>, ScanWindow)
  case disconnect(PeripheralID)
  case perform(GATTProcedure, PeripheralOperationID, PeripheralID)
  case readRSSI(PeripheralOperationID, PeripheralID)
  case openChannel(L2CAPPSM, PeripheralID, CentralUser)
  /// `alerts`: the apps that have asked for an alert of the event.
  case deliver(CentralUser, CentralCallback, NoticeKind, alerts: [AppID])
  /// An app has discovered a peripheral.
  case discovered(CentralUser, KnownPeripheral, Discovery)
  /// An app receives a value of an attribute.
  case received(CentralUser, KnownPeripheral, AttributeHandle, [UInt8])
  /// A write without response of an app is not sent; the reason is a clause.
  case dropped(CentralUser, KnownPeripheral, AttributeHandle, [UInt8], reason: String)
  case connected(KnownPeripheral)
  case disconnected(KnownPeripheral, DisconnectionCause)
  /// The preserved state of a restorable manager has changed.
  case changed
}
