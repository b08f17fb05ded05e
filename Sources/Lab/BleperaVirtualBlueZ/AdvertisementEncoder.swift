import BleperaBlueZProtocol
import BleperaBluetooth
package import BleperaHost

/// Why an advertisement is refused, as LEAdvertisingManager1.RegisterAdvertisement reports it (measured on 5.66 and
/// 5.82).
package enum AdvertisementRefusal: Error, Hashable, Sendable {
  /// bluetoothd does not accept the value of a property.
  case notParsed
  /// The kernel refuses the advertisement, or it is too long.
  case notRegistered
  /// The controller has no more instances.
  case tooMany
  /// No reply at all: a release before 5.73 with DiscoverableTimeout 0.
  case neverAnswered
}

/// Builds the bytes of an advertisement as bluetoothd and the kernel do (BlueZ src/advertising.c, measured).
package struct AdvertisementEncoder: Sendable {
  /// The kernel's default without a given interval: 0x0800 units of 0.625 ms.
  package static let defaultInterval = Duration.milliseconds(1280)
  /// The valid range of MinInterval and MaxInterval, in milliseconds.
  package static let intervals: ClosedRange<UInt32> = 20...10_485_759
  /// The capacity of extended PDUs, in bytes.
  package static let extendedMaximum = 251
  /// The maximum length of a name in a scan response, in bytes.
  private static let longestName = 29
  /// AD types that `Data` must not contain: Flags, UUID lists, names, the TX power, and types with their own property.
  private static let rejected: Set<UInt8> = [
    0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x14, 0x15, 0x16, 0x19, 0x1F, 0x20, 0x21, 0xFF,
  ]

  private let behavior: DaemonBehavior
  private let alias: String
  private let isAdapterDiscoverable: Bool

  package init(behavior: DaemonBehavior, alias: String, isAdapterDiscoverable: Bool) {
    self.behavior = behavior
    self.alias = alias
    self.isAdapterDiscoverable = isAdapterDiscoverable
  }

  package func encode(_ content: AdvertisementProperties) throws(AdvertisementRefusal) -> AdvertisingPackets {
    try check(content)
    let name = content.includes.contains("local-name") ? alias : content.localName
    let kernelFlags = content.isDiscoverable == nil && isAdapterDiscoverable
    var data = structures(content).flatMap(\.bytes)
    if let flags = flags(content) { data += ADStructure.flags(flags).bytes }
    if kernelFlags { data = ADStructure.flags([.generalDiscoverable, .brEdrNotSupported]).bytes + data }
    if content.includes.contains("tx-power") { data += ADStructure.txPowerLevel(0).bytes }
    var isExtended = content.secondaryChannel != nil
    if data.count > AdvertisingBudget.legacyMaximum, !isExtended {
      guard behavior.has(.extendsLongAdvertisements) else { throw tooLong }
      isExtended = true
    }
    guard data.count <= Self.extendedMaximum else { throw tooLong }
    let response = try scanResponse(content, name: name)
    let isConnectable = content.kind == .peripheral || isAdapterDiscoverable
    return AdvertisingPackets(
      data: data, scanResponse: response, isConnectable: isConnectable, isExtended: isExtended,
      interval: interval(content))
  }

  private var tooLong: AdvertisementRefusal { behavior.has(.addsAdvertisementsAtOnce) ? .notParsed : .notRegistered }

  private func check(_ content: AdvertisementProperties) throws(AdvertisementRefusal) {
    if content.localName != nil, content.includes.contains("local-name") { throw .notParsed }
    if content.kind == .broadcast, content.isDiscoverable != nil { throw .notParsed }
    if content.data.contains(where: { Self.rejected.contains($0.type) }) { throw .notParsed }
    // A single structure that does not fit is a parse error; several that are too long together are refused later.
    if !behavior.has(.extendsLongAdvertisements),
      structures(content).contains(where: { $0.bytes.count > AdvertisingBudget.legacyMaximum })
    {
      throw .notParsed
    }
    if let channel = content.secondaryChannel, !["1M", "2M", "Coded"].contains(channel) { throw .notParsed }
    if behavior.takesIntervals, let minimum = content.minimumInterval {
      guard let maximum = content.maximumInterval, minimum <= maximum, Self.intervals.contains(minimum),
        Self.intervals.contains(maximum)
      else { throw .notParsed }
    }
    if content.discoverableTimeout == 0, behavior.has(.hangsOnZeroDiscoverableTimeout) { throw .neverAnswered }
    // bluetoothd adds the structure and tells the kernel to add it again, which the kernel refuses (measured).
    if content.includes.contains("appearance") { throw .notRegistered }
  }

  /// In the order of `bt_ad_generate`.
  private func structures(_ content: AdvertisementProperties) -> [ADStructure] {
    var structures = UUIDList.lists(of: content.serviceUUIDs).map { ADStructure.serviceUUIDs($0, complete: true) }
    structures += UUIDList.lists(of: content.solicitUUIDs).map { ADStructure.serviceSolicitation($0) }
    structures += content.manufacturerData.map {
      .manufacturerData(companyIdentifier: $0.companyIdentifier, data: $0.data)
    }
    structures += content.serviceData.map { .serviceData($0.uuid, data: $0.data) }
    if let appearance = content.appearance { structures.append(.appearance(appearance)) }
    structures += content.data.map { .other(type: $0.type, data: $0.data) }
    return structures
  }

  private func flags(_ content: AdvertisementProperties) -> ADFlags? {
    switch content.isDiscoverable {
    case true:
      var flags: ADFlags = (content.discoverableTimeout ?? 0) > 0 ? .limitedDiscoverable : .generalDiscoverable
      if !isAdapterDiscoverable { flags.insert(.brEdrNotSupported) }
      return flags
    case false:
      guard !behavior.has(.omitsFlagsWhenNotDiscoverable) else { return nil }
      return !behavior.has(.omitsClassicWhenNotDiscoverable) && !isAdapterDiscoverable ? .brEdrNotSupported : []
    default: return nil
    }
  }

  private func scanResponse(
    _ content: AdvertisementProperties, name: String?
  ) throws(AdvertisementRefusal) -> [UInt8] {
    var structures: [ADStructure] = []
    if !behavior.has(.ignoresScanResponses) {
      structures += UUIDList.lists(of: content.scanResponseServiceUUIDs).map { .serviceUUIDs($0, complete: true) }
      structures += content.scanResponseManufacturerData.map {
        .manufacturerData(companyIdentifier: $0.companyIdentifier, data: $0.data)
      }
      structures += content.scanResponseServiceData.map { .serviceData($0.uuid, data: $0.data) }
      structures += content.scanResponseData.map { .other(type: $0.type, data: $0.data) }
    }
    if let name, !name.isEmpty {
      structures.append(
        name.utf8.count > Self.longestName
          ? .other(type: ADType.shortenedLocalName, data: Array(name.utf8.prefix(Self.longestName)))
          : .completeLocalName(name))
    }
    let bytes = structures.flatMap(\.bytes)
    guard bytes.count <= AdvertisingBudget.legacyMaximum else { throw tooLong }
    return bytes
  }

  /// The controller may choose any interval in the range; this one chooses the shortest.
  private func interval(_ content: AdvertisementProperties) -> Duration {
    guard behavior.takesIntervals, let minimum = content.minimumInterval, content.maximumInterval != nil else {
      return Self.defaultInterval
    }
    return .milliseconds(Int(minimum))
  }
}
