import BleperaAppLink
import BleperaBluetooth
import BleperaLoop
import BleperaRadio
import BleperaRules

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
      bondProblems[central.id.rawValue] = nil
      preserve()
      publishPairedServices()
    case .channelOpened(let psm, let central, let stream): channelOpened(psm, central, stream)
    case .keysUnknown(let central): noticed(.phoneHasNoKeys, at: central.id.rawValue)
    case .pairingQuestion(let question): report(.pairingQuestion(question))
    case .pairingRefused(let central, let reason): report(.pairingRefused(central, reason))
    case .passkey(let central, let passkey): report(.passkey(central, passkey))
    case .pairingUnavailable(let failure): report(.pairingUnavailable(failure))
    case .read(let request): read(request)
    case .write(let request, let writes): write(request, writes)
    case .subscribed(let handle, let central): subscribed(central, to: handle)
    case .unsubscribed(let handle, let central): unsubscribed(central, from: handle)
    case .confirmed(let handle):
      if let found = services.attribute(handle) { reportValue(.confirmed(found.name), of: found.app) }
    case .received, .peripheralConnected, .peripheralDisconnected, .peripheralChanged, .peripheralBonded, .completed,
      .valueReceived, .servicesChanged:
      handleCentral(event)
    case .interrupted(let reason): report(.radioInterrupted(reason))
    case .ended(let reason): report(.radioEnded(reason))
    }
  }

  /// The number of consecutive failures that is reported to apps: 0.7 s with the radio's back-off.
  private static let reportedFailure = 4

  private func radioChanged(to state: RadioState) {
    let isSeen = power.radioChanged(to: state)
    report(.radio(state))
    guard isSeen else { return }
    change(to: power.reported)
    removeExpiredSubscribers()
    startStaleTimers()
  }

  /// Whether apps can use Bluetooth now.
  package var isUsable: Bool { power.state == .poweredOn }

  /// Reports a new power state to the rules and to the apps.
  func change(to new: ManagerState) {
    let isSeen = power.change(to: new)
    feed(.radio(new.radioPower))
    guard isSeen else { return }
    powerChanged()
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
