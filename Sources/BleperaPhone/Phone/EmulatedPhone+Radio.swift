import BleperaAppLink
import BleperaBluetooth
import BleperaRadio
import BleperaRules

/// Whether Bluetooth can be used, as apps see it.
///
/// unknown -> off, on, unusable; off -> on; on -> off, resetting; resetting -> off, on.
enum PowerState {
  case unknown
  case off
  case on
  /// The user has reset Bluetooth; the radio is switched off and on again.
  case resetting
  /// The device has no Bluetooth Low Energy, or its user does not let apps use it.
  case unusable(ManagerState)

  var managerState: ManagerState {
    switch self {
    case .unknown: .unknown
    case .off: .poweredOff
    case .on: .poweredOn
    case .resetting: .resetting
    case .unusable(let state): state
    }
  }

  fileprivate var radioPower: RadioPower {
    switch self {
    case .unknown, .resetting, .unusable: .unavailable
    // A Bluetooth service that restarts and an adapter that is unplugged belong to the computer, not to the phone: apps
    // see Bluetooth as off, and everything is registered again later.
    case .off: .off
    case .on: .on
    }
  }
}

/// The events of the radio.
extension EmulatedPhone {
  func handle(_ event: RadioEvent) {
    switch event {
    case .state(let state): radioChanged(to: state)
    case .poweringFailed(let adapter, let failure): report(.poweringFailed(adapter: adapter, failure))
    case .published(let handle): serviceReported(at: handle, failure: nil)
    case .publishingFailed(let handle, let failure, let count):
      // The first attempts may come too early for a Bluetooth service that has just started.
      if count == Self.reportedFailure { serviceReported(at: handle, failure: failure) }
    case .moved(let start, let handles): serviceMoved(from: start, to: handles)
    case .advertising: advertisingStarted()
    case .advertisingFailed(let failure, let count):
      if count == Self.reportedFailure || failure.isFinal { advertisingFailed(failure) }
    case .advertisingLost: advertisingLost()
    case .advertisingStopped: advertisingStopped()
    case .connected(let central):
      report(.connected(central))
      feed(.centrals(areConnected: true))
      if central.isBonded { publishPairedServices() }
    case .disconnected(let central):
      for (app, request) in requests.requests(of: central.id) { feed(.requestAbandoned(app, request)) }
      report(.disconnected(central))
      feed(.centrals(areConnected: withRadio { !$0.connectedCentrals.isEmpty } ?? false))
      removeExpiredSubscribers()
      if !restored.centrals.contains(central.id) { centrals.forget(central.id) }
    case .bonded(let central):
      report(.paired(central))
      preserve()
      publishPairedServices()
    case .channelOpened(let psm, let central, let stream): channelOpened(psm, central, stream)
    case .pairingRefused(let central, let reason): report(.pairingRefused(central, reason))
    case .passkey(let central, let passkey): report(.passkey(central, passkey))
    case .pairingUnavailable(let failure): report(.pairingUnavailable(failure))
    case .read(let request): read(request)
    case .write(let request, let writes): write(request, writes)
    case .subscribed(let handle, let central): subscribed(central, to: handle)
    case .unsubscribed(let handle, let central): unsubscribed(central, from: handle)
    case .confirmed(let handle):
      if let found = services.attribute(handle) { report(.confirmed(found.name), of: found.app) }
    case .interrupted(let reason): report(.radioInterrupted(reason))
    case .ended(let reason): report(.radioEnded(reason))
    }
  }

  /// The number of consecutive failures that is reported to apps: 0.7 s with the radio's back-off.
  private static let reportedFailure = 4

  private func radioChanged(to state: RadioState) {
    radioState = state
    report(.radio(state))
    // A reset switches the radio off and on to disconnect the centrals.
    if case .resetting = power, case .poweredOff = state { return }
    change(to: reportedPower)
    removeExpiredSubscribers()
    startStaleTimers()
  }

  /// The power state for what the radio has reported.
  var reportedPower: PowerState {
    unusableState.map { .unusable($0) } ?? radioState.map { $0.isOn ? .on : .off } ?? .unknown
  }

  /// Whether apps can use Bluetooth now.
  package var isUsable: Bool { power.managerState == .poweredOn }

  /// Reports a new power state to the rules and to the apps.
  func change(to new: PowerState) {
    let old = power.managerState
    power = new
    feed(.radio(new.radioPower))
    guard new.managerState != old else { return }
    for id in apps.ids { notify(id, .didUpdateState(new.managerState)) }
  }

  /// Switches the radio on or off; returns when the radio has reported the result.
  func switchRadio(on isOn: Bool) async -> RadioFailure? {
    guard let radio else { return RadioFailure("there is no radio yet.") }
    return await withCheckedContinuation { continuation in
      let isAsked = radio.assumeIsolated { radio in
        radio.switchPower(on: isOn) { failure in
          continuation.resume(
            returning: failure.map { RadioFailure("the adapter cannot be switched \(isOn ? "on" : "off"): \($0).") })
        }
      }
      if !isAsked { continuation.resume(returning: RadioFailure("there is no adapter to switch.")) }
    }
  }
}
