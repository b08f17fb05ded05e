import BleperaBluetooth
import BleperaRules

/// The checks of packets and plans.
extension InvariantChecker {
  /// Checks the packets of a new plan.
  mutating func checkPackets() {
    let packets = plan.phone.map { [$0.advertisingData, $0.scanResponse] } ?? []
    check(packets.allSatisfy { $0.length <= AdvertisingBudget.legacyMaximum }, "a packet of more than 31 bytes")
    check(
      plan.phone.map { $0.budgetUsed <= 28 && $0.nameBudgetUsed <= $0.nameBudget && $0.nameBudget <= 12 } ?? true,
      "a budget is exceeded")
    check(
      (plan.phone == nil) == (plan.interval == nil), "a packet without an interval, or an interval without a packet")
    let listed = plan.phone?.serviceUUIDs ?? []
    check(Set(listed).count == listed.count, "a UUID is listed twice")
    let onAir = packets.flatMap(\.structures).compactMap { OverflowArea($0) }.reduce(OverflowArea()) { $0.union($1) }
    check(onAir == plan.overflowArea, "the overflow area of the plan is not sent")
  }

  /// Checks the current plan; one that does not change the air is not reported by an action.
  mutating func checkAir(_ plan: AdvertisementPlan) {
    check(!isBeforeFirstUnlock || plan.phone == nil, "advertising before the first unlock (R15)")
    guard !isBeforeFirstUnlock else { return }
    check(power == .on || plan.phone == nil, "advertising without power")
    let foreground = apps.values.filter { $0.state == .foreground && $0.requested != nil }
    let listed = plan.phone?.serviceUUIDs ?? []
    let names = [plan.phone?.localName].compactMap { $0 }
    check(
      plan.intervalKind == nil || (plan.intervalKind == .background) == foreground.isEmpty, "the wrong interval (R3)")
    check(foreground.isEmpty || power != .on || plan.intervalKind == .foreground, "a foreground app is not advertised")
    check(
      names.allSatisfy { name in foreground.contains { $0.requested?.localName?.hasPrefix(name) == true } },
      "a name that no foreground app requests (R2)")
    let shown = Set(foreground.flatMap { $0.requested?.serviceUUIDs ?? [] })
    check(listed.allSatisfy(shown.contains), "a UUID that no foreground app requests (R2)")
    guard power == .on else { return }
    let expected = OverflowArea(shown.subtracting(listed).union(hidden))
    check(plan.overflowArea == expected, "the overflow area is not the union of the apps' UUIDs (R4, R11, R12)")
  }

  /// The UUIDs of background apps that may be in the overflow area.
  private var hidden: Set<BluetoothUUID> {
    apps.values.reduce(into: []) { hidden, app in
      guard app.identity.hasBackgroundMode, app.state != .foreground, app.state != .inactive else { return }
      hidden.formUnion(app.allowed)
    }
  }
}
