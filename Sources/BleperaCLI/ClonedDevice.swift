import BlueZ
import GATT

/// What a central has learned of a device.
struct ClonedDevice: Equatable {
  let address: String
  let advertised: FoundDevice.Advertised
  /// Whether bluetoothd knew it from a connection: it then lists all of its services as if they were advertised.
  var wasRemembered = false
  let services: [Service]

  struct Service: Equatable {
    let uuid: BluetoothUUID
    let isPrimary: Bool
    let includedServices: [BluetoothUUID]
    let characteristics: [Characteristic]
  }

  struct Characteristic: Equatable {
    let uuid: BluetoothUUID
    let properties: CharacteristicProperties
    let value: Reading
    /// Whether reading it has needed an encrypted link; nil where the link was encrypted already, so that nobody knows.
    let readsEncrypted: Bool?
    let descriptors: [Descriptor]
  }

  struct Descriptor: Equatable {
    let uuid: BluetoothUUID
    let value: Reading
  }

  /// What has come of a read.
  enum Reading: Equatable {
    /// It cannot be read.
    case none
    case value([UInt8])
    /// The link has to be encrypted, and pairing did not make it so.
    case encrypted
    /// A clause.
    case refused(String)

    var bytes: [UInt8]? { if case .value(let bytes) = self { bytes } else { nil } }
    var isFailure: Bool {
      switch self {
      case .none, .value: false
      case .encrypted, .refused: true
      }
    }
  }

  /// Those that an app can publish: iOS has the others itself.
  var ownServices: [Service] { services.filter { !ServiceDefinition.ownedBySystem.contains($0.uuid) } }

  /// `1 service, 2 characteristics`.
  var counts: String {
    let characteristics = ownServices.map(\.characteristics.count).reduce(0, +)
    return "\(ownServices.count) service\(ownServices.count == 1 ? "" : "s"), "
      + "\(characteristics) characteristic\(characteristics == 1 ? "" : "s")"
  }

  /// How many values could not be read.
  var failures: Int {
    let characteristics = ownServices.flatMap(\.characteristics)
    return characteristics.count { $0.value.isFailure }
      + characteristics.flatMap(\.descriptors).count { $0.value.isFailure }
  }
}
