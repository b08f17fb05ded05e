/// The advertisement that an app requests: the two keys that `startAdvertising` supports.
public struct AdvertisementData: Hashable, Codable, Sendable {
  /// `CBAdvertisementDataLocalNameKey`.
  public var localName: String?
  /// `CBAdvertisementDataServiceUUIDsKey`.
  public var serviceUUIDs: [BluetoothUUID]

  /// Creates the argument of `startAdvertising`.
  public init(localName: String? = nil, serviceUUIDs: [BluetoothUUID] = []) {
    self.localName = localName
    self.serviceUUIDs = serviceUUIDs
  }

  /// The common request of several managers of an app: the first name and all UUIDs; nil for no request.
  public static func joined(_ requests: [AdvertisementData]) -> AdvertisementData? {
    guard !requests.isEmpty else { return nil }
    return AdvertisementData(
      localName: requests.lazy.compactMap(\.localName).first, serviceUUIDs: requests.flatMap(\.serviceUUIDs))
  }
}

/// The advertising interval in milliseconds, without the `AdvertisingDelay` that a controller adds at random.
public struct AdvertisingInterval: Hashable, Codable, Sendable, CustomStringConvertible {
  /// The lower limit, in milliseconds.
  public let minimum: Double
  /// The upper limit, in milliseconds.
  public let maximum: Double

  /// The values that a controller accepts for legacy advertising (Core Specification, Vol 4, Part E, 7.8.5).
  public static let range: ClosedRange<Double> = 20...10_240

  /// Nil unless both are in `range`, in order.
  public init?(minimum: Double, maximum: Double) {
    guard Self.range.contains(minimum), Self.range.contains(maximum), minimum <= maximum else { return nil }
    self.minimum = minimum
    self.maximum = maximum
  }

  /// Creates an interval with the same value for both limits, clamped to `range`.
  public init(clamping milliseconds: Double) {
    minimum = min(max(milliseconds, Self.range.lowerBound), Self.range.upperBound)
    maximum = minimum
  }

  public var description: String { Self.text(minimum, maximum) }

  private static func text(_ minimum: Double, _ maximum: Double) -> String {
    minimum == maximum ? "\(text(minimum)) ms" : "\(text(minimum)) to \(text(maximum)) ms"
  }

  /// `30`, `181.25`.
  package static func text(_ value: Double) -> String { Int(exactly: value).map { "\($0)" } ?? "\(value)" }
}

/// The random delay that a controller adds to each advertising interval: a number of equal steps.
package struct AdvertisingDelay: Hashable, Sendable, CustomStringConvertible {
  /// In microseconds; 1 for a delay without steps.
  private let microseconds: Int
  /// How many steps the longest delay has.
  private let steps: Int

  /// 0 to 10 ms (Core Specification, Vol 6, Part B, 4.4.2.2.1).
  package static let specification = AdvertisingDelay(maximum: .milliseconds(10), step: nil)
  /// 0 to 5 ms in steps of 1.25 ms, as on an iPhone 6.
  package static let inSteps = AdvertisingDelay(maximum: .milliseconds(5), step: .microseconds(1250))

  /// - Parameter step: nil or zero for any delay up to the maximum, which is otherwise rounded down to whole steps.
  package init(maximum: Duration, step: Duration?) {
    microseconds = max(Int((step ?? .zero) / .microseconds(1)), 1)
    steps = max(Int(maximum / .microseconds(1)), 0) / microseconds
  }

  package var maximum: Duration { .microseconds(microseconds * steps) }
  /// Nil for a delay without steps.
  package var step: Duration? { microseconds == 1 ? nil : .microseconds(microseconds) }

  package func random(using generator: inout some RandomNumberGenerator) -> Duration {
    .microseconds(microseconds * Int.random(in: 0...steps, using: &generator))
  }

  /// `0 to 10 ms`, `0 to 5 ms in steps of 1.25 ms`.
  package var description: String {
    let text = "0 to \(AdvertisingInterval.text(maximum / .milliseconds(1))) ms"
    return step.map { "\(text) in steps of \(AdvertisingInterval.text($0 / .milliseconds(1))) ms" } ?? text
  }
}
