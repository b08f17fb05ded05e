import AppLink
import BlueZ
import DBus
import GATT
import Policy

/// What the radio tells, passed on to whom it concerns.
extension System {
  func handle(_ event: PeripheralEvent) {
    switch event {
    case .radio(let radio):
      self.radio = radio
      report(.radio(radio))
      // Off and on again is how a reset drops the centrals.
      if isResetting, case .poweredOff = radio { return }
      isResetting = false
      change(to: ManagerState(radio), RadioPower(radio))
      lapse()
      watchStale()
    case .poweringFailed(let adapter, let failure): report(.poweringFailed(adapter: adapter, failure))
    case .published(let number): answerServices(of: number, failure: nil)
    case .publishingFailed(let number, let failure, let count):
      // The first attempts after bluetoothd has started may come too early for it.
      if count == Self.patience { answerServices(of: number, failure: failure) }
    case .unpublished: break
    case .advertising(let number): didAdvertise(number)
    case .advertisingFailed(_, let failure, let count):
      if count == Self.patience || failure.isFinal { advertisingFailed(failure) }
    case .advertisingLost(let number): advertisingLost(number)
    case .advertisingStopped(let number): advertisingStopped(number)
    case .connected(let device): report(.connected(device))
    case .disconnected(let device):
      report(.disconnected(device))
      lapse()
    case .paired(let device):
      report(.paired(device))
      preserve()
    case .pairingRefused(let device): report(.pairingRefused(device))
    case .passkey(let device, let passkey): report(.passkey(device, passkey))
    case .agentFailed(let failure): report(.agentFailed(failure))
    case .read(let request): read(request)
    case .write(let request, let value): write(request, value)
    case .subscribed(let address, let device):
      guard let found = find(address) else { return }
      report(.subscribed(device, found.name), of: found.app)
      // To the app it has been subscribed all the time.
      if welcomeBack(device, found, address) { return }
      preserve()
      notify(found.app, .didSubscribe(central(device), to: found.characteristic), .subscribe)
    case .unsubscribed(let address, let device):
      guard let found = find(address) else { return }
      report(.unsubscribed(device, found.name), of: found.app)
      preserve()
      notify(found.app, .didUnsubscribe(central(device), from: found.characteristic), .unsubscribe)
    case .confirmed(let address):
      if let found = find(address) { report(.confirmed(found.name), of: found.app) }
    case .busLost: report(.busLost)
    }
  }

  /// Tells the policy and the apps what the radio can do.
  func change(to new: ManagerState, _ power: RadioPower) {
    feed(.radio(power))
    guard new != state else { return }
    state = new
    for id in apps.keys.sorted() { notify(id, .didUpdateState(new)) }
  }

  /// How many failures in a row are taken as an answer: 0.7 s with the machine's back-off.
  private static let patience = 4

  private func answerServices(of number: Int, failure: DBusFailure?) {
    for (id, app) in apps.sorted(by: { $0.key < $1.key }) {
      for (serviceID, service) in app.services.sorted(by: { $0.value.place < $1.value.place })
      where service.application == number {
        if let failure {
          report(.publishingFailed(service: service.definition.uuid, reason: "\(failure)"), of: id)
        } else {
          report(.published(service.definition, service.handles), of: id)
        }
        guard !service.isAnswered else { continue }
        apps[id]?.services[serviceID]?.isAnswered = true
        preserve()
        notify(id, .didAddService(serviceID, error: failure.map { "\($0)" }))
      }
    }
  }
}

extension ManagerState {
  fileprivate init(_ radio: RadioState) {
    switch radio {
    case .noDaemon, .noAdapter, .poweredOff: self = .poweredOff
    case .poweredOn: self = .poweredOn
    }
  }
}

extension RadioPower {
  /// A daemon that restarts and an adapter that is pulled out are this machine's affair, not the phone's: to apps the
  /// radio is off, and everything is registered again as it was.
  fileprivate init(_ radio: RadioState) {
    switch radio {
    case .noDaemon, .noAdapter, .poweredOff: self = .off
    case .poweredOn: self = .on
    }
  }
}

extension DBusFailure {
  /// Whether trying again at once cannot help.
  fileprivate var isFinal: Bool {
    guard case .remote(let error) = self else { return false }
    return error.name == "org.bluez.Error.NotPermitted"
  }
}
