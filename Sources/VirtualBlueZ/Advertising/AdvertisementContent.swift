package import GATT

/// The properties of an LEAdvertisement1, as an application has exported them (BlueZ doc/org.bluez.LEAdvertisement).
package struct AdvertisementContent: Hashable, Sendable {
  package enum Kind: String, Sendable {
    case broadcast, peripheral
  }

  /// One entry of ManufacturerData.
  package struct ManufacturerData: Hashable, Sendable {
    package let companyIdentifier: UInt16
    package let data: [UInt8]

    package init(_ companyIdentifier: UInt16, _ data: [UInt8]) {
      self.companyIdentifier = companyIdentifier
      self.data = data
    }
  }

  /// One entry of ServiceData.
  package struct ServiceData: Hashable, Sendable {
    package let uuid: BluetoothUUID
    package let data: [UInt8]

    package init(_ uuid: BluetoothUUID, _ data: [UInt8]) {
      self.uuid = uuid
      self.data = data
    }
  }

  /// One entry of Data.
  package struct RawData: Hashable, Sendable {
    package let type: UInt8
    package let data: [UInt8]

    package init(_ type: UInt8, _ data: [UInt8]) {
      self.type = type
      self.data = data
    }
  }

  /// A missing Type is a broadcast (`AD_TYPE_BROADCAST` is 0).
  package var kind: Kind = .broadcast
  package var serviceUUIDs: [BluetoothUUID] = []
  package var solicitUUIDs: [BluetoothUUID] = []
  package var manufacturerData: [ManufacturerData] = []
  package var serviceData: [ServiceData] = []
  /// Unknown names are passed over.
  package var includes: Set<String> = []
  package var localName: String?
  package var appearance: UInt16?
  /// Seconds, after which the advertisement is released; 0 is never.
  package var timeout: UInt16 = 0
  package var data: [RawData] = []
  package var isDiscoverable: Bool?
  /// Seconds.
  package var discoverableTimeout: UInt16?
  /// `1M`, `2M` or `Coded`; extended PDUs.
  package var secondaryChannel: String?
  /// Milliseconds.
  package var minimumInterval: UInt32?
  package var maximumInterval: UInt32?
  package var scanResponseServiceUUIDs: [BluetoothUUID] = []
  package var scanResponseManufacturerData: [ManufacturerData] = []
  package var scanResponseServiceData: [ServiceData] = []
  package var scanResponseData: [RawData] = []

  package init(kind: Kind = .broadcast) { self.kind = kind }
}
