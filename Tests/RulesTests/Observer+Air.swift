import BleperaBluetooth
import BleperaRules

/// What may be on the air.
extension Observer {
  /// Of each plan that is new.
  mutating func checkPackets() {
    let packets = plan.phone.map { [$0.advertisingData, $0.scanResponse] } ?? []
    check(packets.allSatisfy { $0.length <= AdvertisingBudget.legacyMaximum }, "a packet of more than 31 bytes")
    check(
      plan.phone.map { $0.budgetUsed <= 28 && $0.nameBudgetUsed <= $0.nameBudget && $0.nameBudget <= 12 } ?? true,
      "a budget that is exceeded")
    check((plan.phone == nil) == (plan.interval == nil), "a packet without an interval, or the other way round")
    let listed = plan.phone?.serviceUUIDs ?? []
    check(Set(listed).count == listed.count, "a UUID that is listed twice")
    let onAir = packets.flatMap(\.structures).compactMap { OverflowArea($0) }.reduce(OverflowArea()) { $0.union($1) }
    check(onAir == plan.overflowArea, "an overflow area that is not sent")
  }

  /// Of the plan that is in force, new or not; one that changes nothing on the air is not told.
  mutating func checkAir(_ plan: AdvertisementPlan) {
    check(!isBeforeFirstUnlock || plan.phone == nil, "advertising before the first unlock (R15)")
    guard !isBeforeFirstUnlock else { return }
    check(power == .on || plan.phone == nil, "advertising without power")
    let front = apps.values.filter { $0.state == .foreground && $0.requested != nil }
    let listed = plan.phone?.serviceUUIDs ?? []
    let names = [plan.phone?.localName].compactMap { $0 }
    check(plan.intervalKind == nil || (plan.intervalKind == .background) == front.isEmpty, "the other interval (R3)")
    check(front.isEmpty || power != .on || plan.intervalKind == .foreground, "an app in front that is silent")
    check(
      names.allSatisfy { name in front.contains { $0.requested?.localName?.hasPrefix(name) == true } }, "a name (R2)")
    let shown = Set(front.flatMap { $0.requested?.serviceUUIDs ?? [] })
    check(listed.allSatisfy(shown.contains), "a UUID that nobody in front asks for (R2)")
    guard power == .on else { return }
    let expected = OverflowArea(shown.subtracting(listed).union(hidden))
    check(plan.overflowArea == expected, "an overflow area that is not the union (R4, R11, R12)")
  }

  /// What apps in the background may have there.
  private var hidden: Set<BluetoothUUID> {
    apps.values.reduce(into: []) { hidden, app in
      guard app.identity.hasBackgroundMode, app.state != .foreground, app.state != .inactive else { return }
      hidden.formUnion(app.allowed)
    }
  }
}
