/// How often an advertisement is sent, in milliseconds, without the 0 to 10 ms that a controller adds at random.
package struct AdvertisingInterval: Hashable, Sendable, CustomStringConvertible {
  package let minimum: Double
  package let maximum: Double

  /// What a controller takes for legacy advertising (Core Specification, Vol 4, Part E, 7.8.5).
  package static let range = 20.0...10240.0

  /// Nil unless both are in `range`, in order.
  package init?(minimum: Double, maximum: Double) {
    guard Self.range.contains(minimum), Self.range.contains(maximum), minimum <= maximum else { return nil }
    self.minimum = minimum
    self.maximum = maximum
  }

  /// One figure for both, moved into `range`.
  init(clamping milliseconds: Double) {
    minimum = min(max(milliseconds, Self.range.lowerBound), Self.range.upperBound)
    maximum = minimum
  }

  /// MinInterval of BlueZ, which takes whole milliseconds.
  package var wholeMinimum: UInt32 { UInt32(minimum.rounded(.down)) }
  /// MaxInterval of BlueZ, which takes whole milliseconds.
  package var wholeMaximum: UInt32 { UInt32(maximum.rounded(.up)) }

  /// In milliseconds: what a controller is given, as bluetoothd makes steps of 0.625 ms of MinInterval and rounds down.
  package var controllerMinimum: Double { Self.steps(wholeMinimum) }
  /// In milliseconds: what a controller is given, as bluetoothd makes steps of 0.625 ms of MaxInterval and rounds down.
  package var controllerMaximum: Double { Self.steps(wholeMaximum) }

  private static func steps(_ milliseconds: UInt32) -> Double { (Double(milliseconds) / 0.625).rounded(.down) * 0.625 }

  package var description: String { Self.text(minimum, maximum) }
  var controllerDescription: String { Self.text(controllerMinimum, controllerMaximum) }

  private static func text(_ minimum: Double, _ maximum: Double) -> String {
    minimum == maximum ? "\(text(minimum)) ms" : "\(text(minimum)) to \(text(maximum)) ms"
  }

  private static func text(_ value: Double) -> String { Int(exactly: value).map { "\($0)" } ?? "\(value)" }
}
