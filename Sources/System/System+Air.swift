import AppLink
import BlueZ
import DBus
import Policy

/// Advertising: the policy's plan, put on the air.
extension System {
  func startAdvertising(_ request: AdvertisementRequest, of id: AppID) {
    guard !policy.isAdvertising(id) else {
      return notify(id, .didStartAdvertising(error: "CBError.alreadyAdvertising: stop advertising first"))
    }
    apps[id]?.awaitsAdvertising = true
    feed(.startAdvertising(id, AdvertisedFields(localName: request.localName, serviceUUIDs: request.serviceUUIDs)))
    // Where nothing changes on the air there is nothing to wait for.
    guard apps[id]?.awaitsAdvertising == true, air.contents.isEmpty || air.isTold else { return }
    report(air.contents.isEmpty ? .silent(policy.plan) : advertising)
    answerAdvertising(of: id, error: nil)
  }

  /// Puts only what comes of all of `body` on the air, so that apps that move together are not seen one after the other.
  func holdAir(_ body: () -> Void) {
    air.isHeld = true
    body()
    air.isHeld = false
    guard let plan = air.held else { return }
    air.held = nil
    put(plan)
  }

  /// Puts the plan's advertisements in the place of those there. What goes is taken away before anything else comes,
  /// so that old and new are never on the air together.
  func put(_ plan: AdvertisementPlan) {
    guard let peripheral else { return }
    let old = air.contents
    let new = plan.advertisements.map { AdvertisementContent($0) }
    air.contents = new
    air.isTold = false
    air.registered = air.registered.filter { new.indices.contains($0) && old[$0] == new[$0] }
    peripheral.assumeIsolated { $0.advertise(new) }
    if new.isEmpty { answerAdvertising(error: nil) }
    tellIfComplete()
  }

  private var advertising: SystemEvent {
    .advertising(policy.plan, heedsInterval: peripheral?.assumeIsolated { $0.takesIntervals } ?? nil)
  }

  /// bluetoothd has taken an advertisement.
  func didAdvertise(_ number: Int) {
    guard air.contents.indices.contains(number) else { return }
    air.registered.insert(number)
    tellIfComplete()
  }

  /// Kicked after a connection, advertisements are on the air as before, which is no news.
  private func tellIfComplete() {
    guard air.isComplete, !air.isTold else { return }
    air.isTold = true
    report(advertising)
    tellIntervals()
    answerAdvertising(error: nil)
  }

  func advertisingFailed(_ failure: DBusFailure) {
    air.isTold = false
    report(.advertisingFailed(failure))
    answerAdvertising(error: "\(failure)")
  }

  func advertisingLost(_ number: Int) {
    air.registered.remove(number)
    guard air.isTold else { return }
    air.isTold = false
    report(.advertisingLost)
  }

  /// The last one that is taken away ends it, unless another plan has come meanwhile.
  func advertisingStopped(_ number: Int) {
    if air.contents.isEmpty, number == 0 { report(.advertisingStopped) }
  }

  private func answerAdvertising(error: String?) {
    for id in apps.keys.sorted() { answerAdvertising(of: id, error: error) }
  }

  func answerAdvertising(of id: AppID, error: String?) {
    guard apps[id]?.awaitsAdvertising == true else { return }
    apps[id]?.awaitsAdvertising = false
    preserve()
    notify(id, .didStartAdvertising(error: error))
  }

  /// Once: what bluetoothd does in place of the rule set's interval, and what to do.
  private func tellIntervals() {
    guard !hasToldIntervals, let warning = intervalWarning else { return }
    hasToldIntervals = true
    report(.intervalsIgnored(warning))
  }

  var intervalWarning: String? {
    guard let peripheral else { return nil }
    let (takes, version) = peripheral.assumeIsolated { ($0.takesIntervals, $0.version) }
    guard takes == false, let version else { return nil }
    return "bluetoothd \(version) passes over advertising intervals and takes 1280 ms for all; \(intervalAdvice)"
  }
}
