import BleperaBluetooth

/// A command to an adapter by the kernel's management interface, which doc/mgmt-api.txt of BlueZ describes.
enum ManagementCommand: Hashable, Sendable {
  case readControllerInformation
  case readAdvertisingFeatures
  case removeAdvertising(instance: UInt8)
  /// Add Extended Advertising Parameters: a new instance sends nothing until it has data. Without an interval it has
  /// the adapter's default and is not connectable.
  case addParameters(instance: UInt8, AdvertisingInterval?)
  /// Add Extended Advertising Data: enables the instance.
  case addData(instance: UInt8, advertisingData: [UInt8], scanResponse: [UInt8])
  case readDefaults
  case setDefaultInterval(AdvertisingInterval)

  /// The bits of Flags in Add Extended Advertising Parameters. Without the bits by which the kernel adds fields of its
  /// own, the data are sent as they are.
  private enum Flag {
    static let connectable: UInt32 = 1 << 0
    static let hasInterval: UInt32 = 1 << 14
  }

  /// Types of Default System Configuration: the interval of instances that have no interval of their own.
  private enum Setting {
    static let minimumInterval: UInt16 = 0x000A
    static let maximumInterval: UInt16 = 0x000B
  }

  var code: UInt16 {
    switch self {
    case .readControllerInformation: 0x0004
    case .readAdvertisingFeatures: 0x003D
    case .removeAdvertising: 0x003F
    case .readDefaults: 0x004B
    case .setDefaultInterval: 0x004C
    case .addParameters: 0x0054
    case .addData: 0x0055
    }
  }

  /// The packet for the adapter hciN; each command has at most 255 bytes of parameters.
  func bytes(index: UInt16) -> [UInt8] {
    [code, index, UInt16(parameters.count)].flatMap { LittleEndian.bytes($0) } + parameters
  }

  private var parameters: [UInt8] {
    switch self {
    case .readControllerInformation, .readAdvertisingFeatures, .readDefaults: return []
    case .removeAdvertising(let instance): return [instance]
    case .addParameters(let instance, let interval):
      let flags = interval == nil ? 0 : Flag.connectable | Flag.hasInterval
      // Duration and timeout are one zero of four bytes, and no TX power is requested.
      let limits = [flags, 0, Self.steps(interval?.minimum ?? 0), Self.steps(interval?.maximum ?? 0)]
      return [instance] + limits.flatMap { LittleEndian.bytes($0) } + [0]
    case .addData(let instance, let data, let response):
      return [instance, UInt8(data.count), UInt8(response.count)] + data + response
    case .setDefaultInterval(let interval):
      return [(Setting.minimumInterval, interval.minimum), (Setting.maximumInterval, interval.maximum)]
        .flatMap { LittleEndian.bytes($0.0) + [2] + LittleEndian.bytes(UInt16(Self.steps($0.1))) }
    }
  }

  /// The unit of intervals, in milliseconds.
  private static let unit = 0.625

  private static func steps(_ milliseconds: Double) -> UInt32 { UInt32(milliseconds / unit) }

  // MARK: Replies

  /// The interval in the reply to Read Default System Configuration: type, length and value of each setting.
  static func defaultInterval(in reply: [UInt8]) -> AdvertisingInterval? {
    var values: [UInt16: UInt16] = [:]
    var rest = reply[...]
    while rest.count >= 3, rest.count >= 3 + Int(rest[rest.startIndex + 2]) {
      let length = Int(rest[rest.startIndex + 2])
      if length == 2 { values[LittleEndian.number(rest.prefix(2))] = LittleEndian.number(rest.dropFirst(3).prefix(2)) }
      rest = rest.dropFirst(3 + length)
    }
    guard let minimum = values[Setting.minimumInterval], let maximum = values[Setting.maximumInterval] else {
      return nil
    }
    return AdvertisingInterval(minimum: Double(minimum) * unit, maximum: Double(maximum) * unit)
  }

  /// The address in the reply to Read Controller Information, `00:11:22:33:44:55`, and the adapter's settings.
  static func controller(in reply: [UInt8]) -> (address: String, settings: AdapterSettings)? {
    guard reply.count >= 17 else { return nil }
    return (Hex.string(reply[..<6].reversed(), separator: ":"), AdapterSettings(reply[13...]))
  }

  /// The number of instances that the reply to Read Advertising Features allows, and the listed instances.
  static func instances(in reply: [UInt8]) -> (maximum: UInt8, listed: Set<UInt8>)? {
    guard reply.count >= 8, reply.count >= 8 + Int(reply[7]) else { return nil }
    return (reply[6], Set(reply[8..<8 + Int(reply[7])]))
  }
}

/// The current settings of an adapter.
struct AdapterSettings: Hashable, Sendable {
  let isPowered: Bool
  /// Whether the adapter advertises under resolvable private addresses, as with bluetoothd's `Privacy = device`.
  let hasPrivacy: Bool

  init(isPowered: Bool, hasPrivacy: Bool) { (self.isPowered, self.hasPrivacy) = (isPowered, hasPrivacy) }

  /// - Parameter bytes: the bits, in at least two bytes.
  fileprivate init(_ bytes: ArraySlice<UInt8>) {
    let bits: UInt16 = LittleEndian.number(bytes.prefix(2))
    self.init(isPowered: bits & 1 << 0 != 0, hasPrivacy: bits & 1 << 13 != 0)
  }
}

/// A message from the kernel on the management socket.
struct ManagementMessage: Hashable, Sendable {
  enum Content: Hashable, Sendable {
    /// The end of a command, with the parameters after the status.
    case reply(code: UInt16, Result<[UInt8], ManagementFailure>)
    case settings(AdapterSettings)
    case advertisingAdded(UInt8)
    case advertisingRemoved(UInt8)
    case indexRemoved
  }

  /// The number N of the adapter hciN.
  let index: UInt16
  let content: Content

  init(_ content: Content, index: UInt16) {
    self.content = content
    self.index = index
  }

  /// Nil for other events and for malformed messages.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 6 else { return nil }
    index = LittleEndian.number(bytes[2..<4])
    let parameters = bytes[6...]
    switch (LittleEndian.number(bytes[..<2], as: UInt16.self), parameters.count) {
    // Command Complete and Command Status.
    case (0x0001, 3...), (0x0002, 3...):
      let status = parameters[8]
      content = .reply(
        code: LittleEndian.number(parameters.prefix(2)),
        status == 0 ? .success(Array(parameters.dropFirst(3))) : .failure(ManagementFailure(status: status)))
    case (0x0005, _): content = .indexRemoved
    case (0x0006, 4...): content = .settings(AdapterSettings(parameters))
    case (0x0023, 1...): content = .advertisingAdded(parameters[6])
    case (0x0024, 1...): content = .advertisingRemoved(parameters[6])
    default: return nil
    }
  }
}
