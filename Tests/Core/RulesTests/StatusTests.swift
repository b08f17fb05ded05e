import BleperaBluetooth
import BleperaRules
import Testing

@Suite("The status of apps")
struct StatusTests {
  private let lock = AppID(rawValue: 7)
  private let watch = AppID(rawValue: 3)

  private func system() -> Policy {
    var policy = Policy(rules: .newest)
    let lockApp = AppIdentity(
      name: "Lock", hasBackgroundMode: false, overrides: RuleOverrides(disablesCachedValues: true))
    let fields = AdvertisementData(localName: "", serviceUUIDs: [BluetoothUUID(bits: 1)])
    for (time, event) in [
      (0, .radio(.on)), (1, .launched(lock, lockApp, into: .foreground)),
      (1, .launched(watch, AppIdentity(name: "Watch", hasBackgroundMode: true), into: .foreground)),
      (2, .startAdvertising(watch, fields)), (3, .locked), (4, .request(watch, EventID(rawValue: 1), .write)),
      (8, .deadline), (9, .notice(lock, EventID(rawValue: 2), .subscribe)),
    ] as [(Int, Policy.Event)] {
      _ = policy.handle([event] + event.next, at: .seconds(time))
    }
    return policy
  }

  @Test("Apps are in the order of their numbers, each with its remaining time") func statuses() {
    let policy = system()
    let statuses = policy.statuses(at: .seconds(10))
    #expect(statuses.map(\.app) == [watch, lock])
    #expect(statuses.map(\.identity.name) == ["Watch", "Lock"])
    #expect(statuses.map(\.state) == [.background, .suspended])
    #expect(statuses.map(\.budgetLeft) == [.seconds(4), nil])
    #expect(statuses.map(\.pendingRequests) == [1, 0])
    #expect(statuses.map(\.queueLength) == [0, 1])
    #expect(statuses.map(\.requested) == [AdvertisementData(serviceUUIDs: [BluetoothUUID(bits: 1)]), nil])
    #expect(statuses.map(\.effective) == statuses.map(\.requested))
    #expect(statuses.map(\.overruns) == [0, 0])
    #expect(statuses.map(\.dropped) == [0, 0])
    #expect(statuses.map(\.throttledFor) == [nil, nil])
  }

  @Test("The policy answers the phone's queries") func queries() {
    let policy = system()
    #expect(policy.isScreenLocked)
    #expect(policy.isRunning(watch))
    #expect(!policy.isRunning(lock))
    #expect(!policy.isRunning(AppID(rawValue: 1)))
    #expect(policy.cachedValueError(watch) == nil)
    #expect(policy.cachedValueError(lock) == .unlikelyError)
    #expect(policy.requested(by: .only, of: watch) != nil)
    #expect(policy.requested(by: .only, of: lock) == nil)
    #expect(policy.advertisers.map(\.app) == [watch])
    #expect(policy.nextDeadline == .seconds(14))
    #expect(policy.plan.overflowArea.bits == [9])
    #expect(policy.plan.overflow.map(\.bit) == [9])
    #expect(policy.plan.overflow.map(\.app) == [watch])
  }
}
