import BleperaAppLink
import BleperaBluetooth
import BleperaRadio
import BleperaRules

/// The state of the advertisement that the rules require.
///
/// off -> starting; starting -> onAir, off; onAir -> starting, off.
enum AdvertisingState {
  /// Nothing is to be on the air.
  case off
  /// The radio has the advertisement, and has not reported that it is on the air.
  case starting
  case onAir
}

extension Phone {
  func startAdvertising(_ data: AdvertisementData, by manager: ManagerID, of id: AppID) {
    guard policy.requested(by: manager, of: id) == nil else {
      return notify(
        id, .didStartAdvertising(error: "CBError.alreadyAdvertising: stop advertising first"), manager: manager)
    }
    apps[id]?.awaitsAdvertising.append(manager)
    feed(.startAdvertising(id, data, by: manager))
    guard apps[id]?.awaitsAdvertising.contains(manager) == true else { return }
    // Without a change on the air the radio reports nothing.
    switch advertising {
    case .off: report(.silent(policy.plan))
    case .onAir: report(.advertising(policy.plan, intervalHonored: isIntervalHonored(limitations)))
    case .starting: return
    }
    answerAdvertising(of: id, error: nil)
  }

  /// Replaces the advertisement on the air with the plan's.
  func advertise(_ plan: AdvertisementPlan) {
    guard radio != nil else { return }
    let packet = plan.phone.flatMap { phone in
      plan.interval.map {
        RadioAdvertisement(advertisingData: phone.advertisingData, scanResponse: phone.scanResponse, interval: $0)
      }
    }
    advertising = packet == nil ? .off : .starting
    withRadio { $0.advertise(packet) }
    if packet == nil { answerAdvertising(error: nil) }
  }

  /// Nil where nothing is on the air.
  private func isIntervalHonored(_ limitations: [RadioLimitation]) -> Bool? {
    guard let packets = withRadio({ $0.packets }), !packets.isEmpty else { return nil }
    return !limitations.contains { $0.id == RadioLimitation.intervals }
  }

  /// Those of the radio, which are computed at each call.
  var limitations: [RadioLimitation] { withRadio { $0.limitations } ?? [] }

  /// Does nothing where the radio only advertises again after a connection.
  func advertisingStarted() {
    guard case .starting = advertising else { return }
    advertising = .onAir
    let limitations = limitations
    report(.advertising(policy.plan, intervalHonored: isIntervalHonored(limitations)))
    for limitation in limitations {
      let event: (String) -> PhoneEvent
      switch limitation.id {
      case RadioLimitation.exact: event = PhoneEvent.packetsNotExact
      case RadioLimitation.intervals: event = PhoneEvent.intervalsIgnored
      default: continue
      }
      if reportedWarnings.insert(limitation.id).inserted { report(event(limitation.warning)) }
    }
    answerAdvertising(error: nil)
  }

  func advertisingFailed(_ failure: RadioFailure) {
    advertising = .starting
    report(.advertisingFailed(failure))
    answerAdvertising(error: "\(failure)")
  }

  func advertisingLost() {
    guard case .onAir = advertising else { return }
    advertising = .starting
    report(.advertisingLost)
  }

  private func answerAdvertising(error: String?) {
    for id in apps.keys.sorted() { answerAdvertising(of: id, error: error) }
  }

  func answerAdvertising(of id: AppID, error: String?) {
    guard let waiting = apps[id]?.awaitsAdvertising, !waiting.isEmpty else { return }
    apps[id]?.awaitsAdvertising = []
    preserve()
    for manager in waiting { notify(id, .didStartAdvertising(error: error), manager: manager) }
  }

  /// What the radio does instead where it has a limitation, and what the user can do.
  func warning(_ id: String) -> String? { limitations.first { $0.id == id }?.warning }
}

extension RadioLimitation {
  fileprivate var warning: String { [instead, advice].compactMap(\.self).joined(separator: " ") }
}
