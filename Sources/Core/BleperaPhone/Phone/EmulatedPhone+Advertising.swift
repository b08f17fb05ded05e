import BleperaAppLink
import BleperaBluetooth
import BleperaRadio
import BleperaRules

extension EmulatedPhone {
  func startAdvertising(_ data: AdvertisementData, by manager: ManagerID, of id: AppID) {
    guard policy.requested(by: manager, of: id) == nil else {
      return notify(
        manager, of: id,
        .didStartAdvertising(error: "advertising has already started; stop it first", code: .alreadyAdvertising))
    }
    apps[id]?.awaitsAdvertising.append(manager)
    feed(.startAdvertising(id, data, by: manager))
    guard apps[id]?.awaitsAdvertising.contains(manager) == true else { return }
    // Without a change on the air the radio reports nothing.
    switch advertising.state {
    case .off, .stopping: report(.silent(policy.plan))
    case .onAir: reportAdvertising(isIntervalHonored: limitation(RadioLimitation.intervals) == nil)
    case .starting: return
    }
    answerAdvertising(of: id, error: nil)
  }

  /// Replaces the advertisement on the air with the plan's: the apps' advertisement, or the phone's own.
  func advertise(_ plan: AdvertisementPlan) {
    guard radio != nil else { return }
    let packet = plan.phone.flatMap { phone in
      plan.interval.map {
        RadioAdvertisement(advertisingData: phone.advertisingData, scanResponse: phone.scanResponse, interval: $0)
      }
    }
    let own = plan.own.map {
      RadioAdvertisement(
        advertisingData: $0.advertisingData, scanResponse: AdvertisingData([]), interval: $0.interval, isOwn: true)
    }
    advertising.requested(isOfApps: packet != nil)
    withRadio { $0.advertise(packet ?? own) }
    if packet == nil { answerAdvertising(error: nil) }
  }

  /// Reports the plan with the bytes that the radio sends: bluetoothd has packets of its own, and the tag of Nearby
  /// Info depends on the address. Of two advertisements the first is reported.
  private func reportAdvertising(isIntervalHonored: Bool) {
    var plan = policy.plan
    let sent = withRadio { $0.packets.first { !$0.isOwn } } ?? nil
    if let sent { plan = plan.sending(sent.advertisingData, sent.scanResponse) }
    report(.advertising(plan, intervalHonored: isIntervalHonored))
  }

  /// The limitations of the radio, which are computed at each call.
  var limitations: [RadioLimitation] { withRadio { $0.limitations } ?? [] }

  private func limitation(_ id: String) -> RadioLimitation? { withRadio { $0.limitation(id) } ?? nil }

  func advertisingStarted() {
    guard let state = advertising.started() else { return }
    guard state == .onAir else { return report(.advertisingStopped) }
    let intervals = limitation(RadioLimitation.intervals)
    reportAdvertising(isIntervalHonored: intervals == nil)
    let exact = limitation(RadioLimitation.exact)
    if advertising.isNew(warning: RadioLimitation.exact, applies: exact != nil), let exact {
      report(.packetsNotExact(exact.warning))
    }
    if advertising.isNew(warning: RadioLimitation.intervals, applies: intervals != nil), let intervals {
      report(.intervalsIgnored(intervals.warning))
    }
    answerAdvertising(error: nil)
  }

  func advertisingStopped() {
    if advertising.stopped() { report(.advertisingStopped) }
  }

  func advertisingFailed(_ failure: RadioFailure) {
    if policy.plan.phone != nil { advertising.failed() }
    report(.advertisingFailed(failure))
    answerAdvertising(error: "\(failure)")
  }

  func advertisingLost() {
    if advertising.lost() { report(.advertisingLost) }
  }

  private func answerAdvertising(error: String?) {
    for id in apps.ids { answerAdvertising(of: id, error: error) }
  }

  func answerAdvertising(of id: AppID, error: String?) {
    guard let waiting = apps[id]?.awaitsAdvertising, !waiting.isEmpty else { return }
    apps[id]?.awaitsAdvertising = []
    preserve()
    for manager in waiting { notify(manager, of: id, .didStartAdvertising(error: error)) }
  }

  /// The radio's behavior under a limitation, with advice for the user; nil without the limitation.
  func warning(_ id: String) -> String? { limitation(id)?.warning }
}

extension RadioLimitation {
  var warning: String { [instead, advice].compactMap(\.self).joined(separator: " ") }
}
