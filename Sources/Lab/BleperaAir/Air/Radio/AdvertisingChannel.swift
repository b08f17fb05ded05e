/// A primary advertising channel.
package enum AdvertisingChannel: Int, Hashable, Sendable, CaseIterable {
  case first
  case second
  case third

  /// The place in an advertising event, from zero.
  package var index: Int { rawValue }
  /// 37, 38 or 39.
  package var number: Int { 37 + index }

  /// The channel as (frequency - 2402 MHz) / 2 MHz: 2402, 2426 and 2480 MHz.
  var radioChannel: UInt8 {
    switch self {
    case .first: 0
    case .second: 12
    case .third: 39
    }
  }

  /// The channel after this one in an advertising event; nil after the last.
  var next: AdvertisingChannel? { AdvertisingChannel(rawValue: index + 1) }
}
