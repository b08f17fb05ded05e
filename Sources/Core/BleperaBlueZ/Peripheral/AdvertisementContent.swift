import BleperaBlueZProtocol
package import BleperaBluetooth
package import BleperaDBus
package import BleperaRadio

/// The content of one LEAdvertisement1.
package struct AdvertisementContent: Hashable, Sendable {
  /// Manufacturer data of one company.
  package struct ManufacturerData: Hashable, Sendable {
    package let companyIdentifier: UInt16
    package let data: [UInt8]

    var structure: ADStructure { .manufacturerData(companyIdentifier: companyIdentifier, data: data) }
  }

  /// MinInterval and MaxInterval, in milliseconds.
  package struct Interval: Hashable, Sendable {
    package let minimum: UInt32
    package let maximum: UInt32

    package init(minimum: UInt32, maximum: UInt32) {
      self.minimum = minimum
      self.maximum = maximum
    }

    /// The whole milliseconds that enclose an interval.
    package init(_ interval: AdvertisingInterval) {
      minimum = UInt32(interval.minimum.rounded(.down))
      maximum = UInt32(interval.maximum.rounded(.up))
    }

    /// The interval of a bluetoothd that ignores the intervals of advertisements: the kernel's default.
    package static let ofBluetoothd = Interval(minimum: 1280, maximum: 1280)

    /// The interval that the controller receives: bluetoothd converts each bound to steps of 0.625 ms and rounds down.
    package var onAir: AdvertisingInterval? {
      AdvertisingInterval(minimum: Self.steps(minimum), maximum: Self.steps(maximum))
    }

    private static func steps(_ milliseconds: UInt32) -> Double {
      (Double(milliseconds) / 0.625).rounded(.down) * 0.625
    }
  }

  package var localName: String?
  package var serviceUUIDs: [BluetoothUUID] = []
  package var manufacturerData: ManufacturerData?
  /// Manufacturer data for releases that take it in the scan response; other releases ignore it.
  package var scanResponseManufacturerData: ManufacturerData?
  /// Nil leaves the interval to bluetoothd.
  package var interval: Interval?
}

// MARK: Conversion from an iPhone's packets

extension AdvertisementContent {
  /// The advertisements that replace an iPhone's packets on bluetoothd: one if everything fits, otherwise a second one
  /// for the overflow area.
  ///
  /// ManufacturerData has one entry per company, so the overflow area takes precedence over Apple's other items, unless
  /// the area is in the scan response.
  ///
  /// - Parameter takesScanResponses: whether the overflow area can be in the scan response, where an iPhone has it. The
  ///   local name is there too, and has to fit.
  package static func contents(
    for advertisement: RadioAdvertisement, takesScanResponses: Bool = false
  ) -> [AdvertisementContent] {
    var whole = AdvertisementContent(interval: Interval(advertisement.interval))
    var overflowArea: ManufacturerData?
    for structure in advertisement.advertisingData.structures + advertisement.scanResponse.structures {
      switch structure {
      case .serviceUUIDs(let list, _): whole.serviceUUIDs += list.uuids
      case .completeLocalName(let name), .shortenedLocalName(let name): whole.localName = whole.localName ?? name
      case .manufacturerData(let company, let data):
        let item = ManufacturerData(companyIdentifier: company, data: data)
        if structure.isOverflowArea { overflowArea = item } else { whole.manufacturerData = item }
      case .flags, .txPowerLevel, .serviceSolicitation, .serviceData, .appearance, .other: break
      }
    }
    if let overflowArea, takesScanResponses, advertisement.scanResponse.structures.contains(overflowArea.structure) {
      for item in [whole.manufacturerData, nil] {
        var answering = whole
        (answering.manufacturerData, answering.scanResponseManufacturerData) = (item, overflowArea)
        if answering.fits { return [answering] }
      }
    }
    if let overflowArea { whole.manufacturerData = overflowArea }
    guard !whole.fits else { return [whole] }
    whole.manufacturerData = nil
    guard let overflowArea else { return [whole] }
    return [whole, AdvertisementContent(manufacturerData: overflowArea, interval: whole.interval)]
  }

  /// A local name that does not fit alone is cut off; a name that does not fit beside other data is not.
  private var fits: Bool {
    advertisingData.length <= AdvertisingBudget.legacyMaximum && scanResponse.length <= AdvertisingBudget.legacyMaximum
  }
}

extension ADStructure {
  /// Whether this is Apple's manufacturer data with an overflow area item.
  package var isOverflowArea: Bool {
    guard case .manufacturerData(OverflowArea.companyIdentifier, let data) = self else { return false }
    return data.first == OverflowArea.itemType && data.count == 1 + OverflowArea.maskLength
  }
}

// MARK: Conversion to bluetoothd's packets

extension AdvertisementContent {
  /// 0x06: the flags that `Discoverable` sets while the adapter itself is not discoverable.
  package static let flags: ADFlags = [.generalDiscoverable, .brEdrNotSupported]

  /// In the order of `bt_ad_generate`: UUID lists, manufacturer data, then Flags, which bluetoothd adds as `Data`.
  package var advertisingData: AdvertisingData {
    let lists = UUIDList.lists(of: serviceUUIDs.map(Self.onAir)).map { ADStructure.serviceUUIDs($0, complete: true) }
    return AdvertisingData(lists + (manufacturerData.map { [$0.structure] } ?? []) + [.flags(Self.flags)])
  }

  /// In the order of `bt_ad_generate`: manufacturer data, then the local name.
  package var scanResponse: AdvertisingData {
    let name = localName.flatMap { AdvertisingBudget.fit(localName: $0, into: AdvertisingBudget.legacyMaximum) }
    return AdvertisingData((scanResponseManufacturerData.map { [$0.structure] } ?? []) + (name.map { [$0] } ?? []))
  }

  /// bluetoothd shortens the long form of a 16-bit UUID (`bt_string_to_uuid`).
  package static func onAir(_ uuid: BluetoothUUID) -> BluetoothUUID {
    uuid.width == .bits128 ? uuid.written(at: .bits16) ?? uuid : uuid
  }
}

/// An advertisement as the object that LEAdvertisingManager1.RegisterAdvertisement reads.
package enum AdvertisementObject {
  /// Type `peripheral` is connectable (without a type, the advertisement is a broadcast); Discoverable adds the Flags
  /// AD, without which newer BlueZ centrals hide the device. MinInterval requires MaxInterval, and bluetoothd before
  /// 5.77 ignores both unless it runs with `-E`.
  package static func tree(at path: ObjectPath, content: AdvertisementContent) -> ObjectTree {
    var properties: [(String, DBusValue)] = [
      ("Type", .string("peripheral")),
      ("Discoverable", .boolean(true)),
    ]
    if !content.serviceUUIDs.isEmpty {
      properties.append(("ServiceUUIDs", .strings(content.serviceUUIDs.map(wireForm))))
    }
    if let localName = content.localName, !localName.isEmpty { properties.append(("LocalName", .string(localName))) }
    if let data = content.manufacturerData {
      properties.append(("ManufacturerData", .variants([(data.companyIdentifier, .bytes(data.data))])))
    }
    if let data = content.scanResponseManufacturerData {
      properties.append(("ScanResponseManufacturerData", .variants([(data.companyIdentifier, .bytes(data.data))])))
    }
    if let interval = content.interval {
      properties += [("MinInterval", .uint32(interval.minimum)), ("MaxInterval", .uint32(interval.maximum))]
    }
    var tree = ObjectTree()
    tree.declare(path, .advertisement, properties)
    return tree
  }

  /// The text determines the width on the air: `180d` is two bytes. The 128-bit form is sixteen bytes, except for a
  /// 16-bit UUID, which bluetoothd shortens (`bt_string_to_uuid`).
  private static func wireForm(_ uuid: BluetoothUUID) -> String {
    uuid.width == .bits128 ? uuid.longDescription : uuid.description.lowercased()
  }
}
