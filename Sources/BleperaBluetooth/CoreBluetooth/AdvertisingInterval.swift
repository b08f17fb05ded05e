/// The advertising interval in milliseconds, without the 0 to 10 ms that a controller adds at random.
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

  /// One value for both limits, clamped to `range`.
  public init(clamping milliseconds: Double) {
    minimum = min(max(milliseconds, Self.range.lowerBound), Self.range.upperBound)
    maximum = minimum
  }

  public var description: String { Self.text(minimum, maximum) }

  private static func text(_ minimum: Double, _ maximum: Double) -> String {
    minimum == maximum ? "\(text(minimum)) ms" : "\(text(minimum)) to \(text(maximum)) ms"
  }

  private static func text(_ value: Double) -> String { Int(exactly: value).map { "\($0)" } ?? "\(value)" }
}
