import BleperaBluetooth

/// One advertising set of a phone's controller, by the commands that the phone sent to it.
struct AdvertisingSet: Sendable {
  /// The state of a set that is switched on.
  struct Sent: Hashable, Sendable {
    /// The interval in units of 0.625 ms.
    var interval: Int
    var content: PhoneContent
    var isConnectable: Bool
  }

  private var interval: Int?
  private(set) var isConnectable = false
  private var data: [UInt8] = []
  private var response: [UInt8] = []
  /// The parsed data and response; nil until `sent` is used.
  private var content: PhoneContent?
  var isOn = false

  var sent: Sent? {
    mutating get {
      guard isOn, let interval else { return nil }
      let content = self.content ?? PhoneContent(data, scanResponse: response)
      self.content = content
      return Sent(interval: interval, content: content, isConnectable: isConnectable)
    }
  }

  /// Follows a command to the set, whose parameters begin after the handle.
  mutating func handle(_ opcode: HCIOpcode, _ parameters: ArraySlice<UInt8>) {
    content = nil
    switch opcode {
    case .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingParametersV2:
      guard let properties = parameters.number(at: 0), let units = parameters.number(at: 2) else { return }
      (interval, isConnectable) = (units, properties & 1 == 1)
    case .leSetExtendedAdvertisingData: append(parameters, to: &data)
    case .leSetExtendedScanResponseData: append(parameters, to: &response)
    case .leSetAdvertisingParameters:
      guard let units = parameters.number(at: 0), let type = parameters[at: 4] else { return }
      (interval, isConnectable) = (units, type == 0)
    case .leSetAdvertisingData: data = Self.legacy(parameters)
    case .leSetScanResponseData: response = Self.legacy(parameters)
    default: break
    }
  }

  /// Appends a fragment: the operation (0 middle, 1 first, 2 last, 3 whole), a preference, the length and the data.
  private func append(_ parameters: ArraySlice<UInt8>, to data: inout [UInt8]) {
    guard let operation = parameters[at: 0], let length = parameters[at: 2], operation <= 3 else { return }
    let bytes = parameters.from(3).prefix(Int(length))
    data = Array(((operation == 0 || operation == 2 ? data : []) + bytes).prefix(Self.longest))
  }

  /// The longest advertising data, in bytes (Core Specification, Vol 4, Part E, 7.8.54).
  private static let longest = 1650

  private static func legacy(_ parameters: ArraySlice<UInt8>) -> [UInt8] {
    Array(parameters.dropFirst().prefix(Int(parameters.first ?? 0)))
  }
}
