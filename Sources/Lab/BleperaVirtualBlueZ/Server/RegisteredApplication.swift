import BleperaAir
import BleperaBlueZProtocol
import BleperaBluetooth
package import BleperaDBus

/// An application that a program has registered or is registering.
package struct RegisteredApplication: Sendable {
  /// A characteristic or descriptor of an application.
  package struct Object: Sendable {
    package let path: ObjectPath
    let isDescriptor: Bool
    /// Whether the property NotifyAcquired exists, whatever its value.
    let canAcquireNotify: Bool
    /// Whether the property Handle exists and is 0, so that the program receives the handle.
    let wantsHandle: Bool

    var interface: InterfaceName { isDescriptor ? BlueZName.gattDescriptor : BlueZName.gattCharacteristic }
  }

  let owner: BusName
  let root: ObjectPath
  let adapter: AdapterID
  /// The pending RegisterApplication call; nil after the reply.
  var call: IncomingCall?
  /// By their number on the air.
  var objects: [Object] = []
  var services: [(path: ObjectPath, wantsHandle: Bool)] = []
  /// The file descriptors that AcquireNotify returned, by characteristic and central.
  var sockets: [Int: [DeviceAddress: SequencedSocket]] = [:]
  /// The objects with StartNotify called, for which StopNotify is due.
  var started: Set<Int> = []
  /// The tokens of the signal subscriptions.
  var tokens: [Int] = []
}
