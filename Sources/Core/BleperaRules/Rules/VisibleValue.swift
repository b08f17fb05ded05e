/// A value of the rules that a capture of a phone shows.
package struct VisibleValue: Sendable {
  /// The name of the property of `RuleSet`.
  package let name: String
  package let visibility: RuleVisibility
  package let shape: RuleShape
  private let read: @Sendable (RuleSet) -> RuleContent
  private let write: @Sendable (RuleContent, String, inout RuleSet) -> Bool

  private init<Value: RuleContentConvertible>(
    _ name: String, in visibility: RuleVisibility, _ path: any WritableKeyPath<RuleSet, Sourced<Value>> & Sendable,
    _ shape: RuleShape
  ) {
    self.name = name
    self.visibility = visibility
    self.shape = shape
    read = { $0[keyPath: path].value.content }
    write = { content, source, rules in
      guard shape.accepts(content), let value = rules[keyPath: path].value.with(content) else { return false }
      rules[keyPath: path] = Sourced(value, .measured, source)
      return true
    }
  }

  package func content(in rules: RuleSet) -> RuleContent { read(rules) }

  /// Sets the value as measured; fields that the content does not have keep their values.
  ///
  /// - Returns: false where the value cannot have the content.
  package func set(_ content: RuleContent, source: String, in rules: inout RuleSet) -> Bool {
    write(content, source, &rules)
  }

  package static func named(_ name: String) -> VisibleValue? { all.first { $0.name == name } }

  /// In the order of `RuleSet.values`.
  ///
  /// Values of the apps' side (grace periods, errors, queues, relaunches) are in no capture, and neither are
  /// `overflowNeedsScreen` and `liveActivityScans`, which decide what an app receives.
  package static let all: [VisibleValue] = [
    VisibleValue("foregroundBudget", in: .air, \.foregroundBudget, .number(0...28, unit: "bytes")),
    VisibleValue("scanResponseNameBudget", in: .air, \.scanResponseNameBudget, .number(0...31, unit: "bytes")),
    VisibleValue(
      "emptyScanResponseNameBudget", in: .air, \.emptyScanResponseNameBudget, .number(0...31, unit: "bytes")),
    VisibleValue("overflowOrder", in: .air, \.overflowOrder, .word(of: OverflowOrder.self)),
    VisibleValue("txPowerLevel", in: .air, \.txPowerLevel, .optionalNumber(-127...20, unit: "dBm")),
    VisibleValue("txPowerPlace", in: .air, \.txPowerPlace, .word(of: TXPowerPlace.self)),
    VisibleValue("backgroundAppleItems", in: .air, \.backgroundAppleItems, .items),
    VisibleValue(
      "nearbyInfoStatus", in: .air, \.nearbyInfoStatus,
      .fields([RuleShape.Field("locked", .bytes(count: 1)), RuleShape.Field("unlocked", .bytes(count: 1))])),
    VisibleValue("foregroundInterval", in: .air, \.foregroundInterval, .interval),
    VisibleValue("backgroundInterval", in: .air, \.backgroundInterval, .interval),
    VisibleValue("ownInterval", in: .air, \.ownInterval, .interval),
    VisibleValue(
      "handoffInterval", in: .air, \.handoffInterval,
      .fields([
        RuleShape.Field("first", .interval), RuleShape.Field("newTime", .milliseconds(0...60_000)),
        RuleShape.Field("then", .interval),
      ])),
    VisibleValue("findMyInterval", in: .air, \.findMyInterval, .interval),
    VisibleValue(
      "advertisingDelay", in: .air, \.advertisingDelay,
      .fields([
        RuleShape.Field("maximum", .milliseconds(0...10)), RuleShape.Field("step", .milliseconds(0...10)),
      ])),
    VisibleValue("addressRotation", in: .air, \.addressRotation, .milliseconds(1000...86_400_000)),
    VisibleValue("connectionInterval", in: .air, \.connectionInterval, .milliseconds(7.5...4000)),
    VisibleValue("foregroundScan", in: .hci, \.foregroundScan, .scan),
    VisibleValue("backgroundScan", in: .hci, \.backgroundScan, .scan),
    VisibleValue("backgroundScanResponses", in: .hci, \.backgroundScanResponses, .word(of: ScanResponses.self)),
    VisibleValue(
      "litScan", in: .hci, \.litScan,
      .fields(RuleShape.scanFields + [RuleShape.Field("time", .milliseconds(0...3_600_000))])),
    VisibleValue("sleepScan", in: .hci, \.sleepScan, .scan),
    VisibleValue("connectionScan", in: .hci, \.connectionScan, .scan),
    VisibleValue("sleepConnectionScan", in: .hci, \.sleepConnectionScan, .scan),
    VisibleValue("clientMTU", in: .air, \.clientMTU, .number(23...65_535, unit: "bytes")),
    VisibleValue(
      "requestedLink", in: .hci, \.requestedLink,
      .fields([
        RuleShape.Field("minimum", .milliseconds(7.5...4000)), RuleShape.Field("maximum", .milliseconds(7.5...4000)),
        RuleShape.Field("latency", .number(0...499, unit: "events")),
        RuleShape.Field("timeout", .milliseconds(100...32_000)),
      ])),
    VisibleValue("ownHandles", in: .air, \.ownHandles, .handles),
  ]
}
