import BleperaBluetooth
import BleperaHCIProtocol

/// One advertising set of a phone's controller, by the commands that the phone sent to it.
struct AdvertisingSet: Sendable {
  /// The state of a set that is switched on.
  struct Sent: Hashable, Sendable {
    /// The interval in units of 0.625 ms.
    var interval: Int
    var content: PhoneContent
    var isConnectable: Bool
  }

  var interval: Int?
  var isConnectable = false
  var data: [UInt8] = [] { didSet { content = nil } }
  var response: [UInt8] = [] { didSet { content = nil } }
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
}

extension HCISetData {
  /// Replaces the data of a set, or appends a fragment.
  func apply(to whole: inout [UInt8]) {
    guard operation <= 3 else { return }
    whole = Array(((operation == 0 || operation == 2 ? whole : []) + data).prefix(Self.longestWhole))
  }

  /// The longest advertising data, in bytes (Core Specification, Vol 4, Part E, 7.8.54).
  private static let longestWhole = 1650
}
