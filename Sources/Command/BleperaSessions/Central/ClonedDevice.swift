package import BleperaBluetooth

/// A device as a central has read it.
package struct ClonedDevice: Equatable, Sendable {
  package let address: String
  package let advertised: AdvertisedContent
  /// Whether bluetoothd knew the device from a connection; bluetoothd then lists all services as advertised.
  package var wasCached = false
  package let services: [Service]

  package struct Service: Equatable, Sendable {
    package let uuid: BluetoothUUID
    package let isPrimary: Bool
    package let includedServices: [BluetoothUUID]
    package let characteristics: [Characteristic]
  }

  package struct Characteristic: Equatable, Sendable {
    package let uuid: BluetoothUUID
    package let properties: CharacteristicProperties
    package let value: Reading
    /// Whether reading the value required an encrypted link; nil if the link was already encrypted.
    package let readsEncrypted: Bool?
    package let descriptors: [Descriptor]
  }

  package struct Descriptor: Equatable, Sendable {
    package let uuid: BluetoothUUID
    package let value: Reading
  }

  /// The result of a read.
  package enum Reading: Equatable, Sendable {
    /// The attribute is not readable.
    case none
    case value([UInt8])
    /// The attribute requires an encrypted link, and pairing failed.
    case encrypted
    /// The read was refused; the text is a clause.
    case refused(String)

    package var bytes: [UInt8]? { if case .value(let bytes) = self { bytes } else { nil } }
    package var isFailure: Bool {
      switch self {
      case .none, .value: false
      case .encrypted, .refused: true
      }
    }
  }

  /// The services that an app can publish; iOS publishes the others itself.
  package var ownServices: [Service] { services.filter { !ServiceDefinition.ownedBySystem.contains($0.uuid) } }

  /// `1 service, 2 characteristics`.
  package var counts: String {
    let characteristics = ownServices.map(\.characteristics.count).reduce(0, +)
    return "\(Quote.counted(ownServices.count, "service")), "
      + Quote.counted(characteristics, "characteristic")
  }

  /// The number of values that could not be read.
  package var failures: Int {
    let characteristics = ownServices.flatMap(\.characteristics)
    return characteristics.count { $0.value.isFailure }
      + characteristics.flatMap(\.descriptors).count { $0.value.isFailure }
  }
}
