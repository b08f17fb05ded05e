import AppLink
import BlueZ
import DBus
import GATT

/// What the radio tells, passed on to whom it concerns.
extension System {
  func handle(_ event: PeripheralEvent) {
    switch event {
    case .radio(let radio):
      report(.radio(radio))
      let new = ManagerState(radio)
      guard new != state else { return }
      state = new
      for app in apps.values where app.identity != nil { app.link.send(.didUpdateState(new)) }
    case .poweringFailed(let adapter, let failure): report(.poweringFailed(adapter: adapter, failure))
    case .published(let number): answerServices(of: number, failure: nil)
    case .publishingFailed(let number, let failure, let count):
      // The first attempts after bluetoothd has started may come too early for it.
      if count == Self.patience { answerServices(of: number, failure: failure) }
    case .unpublished: break
    case .advertising(let app): answerAdvertising(app, failure: nil)
    case .advertisingFailed(let app, let failure, let count):
      if count == Self.patience || failure.isFinal { answerAdvertising(app, failure: failure) }
    case .advertisingLost(let app):
      apps[app]?.isOnAir = false
      report(.advertisingLost)
    case .advertisingStopped(let app):
      apps[app]?.isOnAir = false
      report(.advertisingStopped)
    case .connected(let device): report(.connected(device))
    case .disconnected(let device): report(.disconnected(device))
    case .paired(let device): report(.paired(device))
    case .pairingRefused(let device): report(.pairingRefused(device))
    case .passkey(let device, let passkey): report(.passkey(device, passkey))
    case .agentFailed(let failure): report(.agentFailed(failure))
    case .read(let request): read(request)
    case .write(let request, let value): write(request, value)
    case .subscribed(let address, let device):
      tellSubscription(address, device) {
        .subscribed(device, $0)
      } message: {
        .didSubscribe($0, to: $1)
      }
    case .unsubscribed(let address, let device):
      tellSubscription(address, device) {
        .unsubscribed(device, $0)
      } message: {
        .didUnsubscribe($0, from: $1)
      }
    case .confirmed(let address):
      if let found = find(address) { report(.confirmed(found.name)) }
    case .busLost: report(.busLost)
    }
  }

  /// How many failures in a row are taken as an answer: 0.7 s with the machine's back-off.
  private static let patience = 4

  private func answerServices(of number: Int, failure: DBusFailure?) {
    for (id, app) in apps {
      for (serviceID, service) in app.services.sorted(by: { $0.value.place < $1.value.place })
      where service.application == number {
        if let failure {
          report(.publishingFailed(service: service.definition.uuid, reason: "\(failure)"))
        } else {
          report(.published(service.definition, service.handles))
        }
        guard !service.isAnswered else { continue }
        apps[id]?.services[serviceID]?.isAnswered = true
        app.link.send(.didAddService(serviceID, error: failure.map { "\($0)" }))
      }
    }
  }

  private func answerAdvertising(_ id: AppID, failure: DBusFailure?) {
    guard let app = apps[id], let request = app.advertisement else { return }
    if let failure {
      report(.advertisingFailed(failure))
    } else if !app.isOnAir {
      // Kicked after a connection it is on the air as before, which is no news.
      let (fitting, left) = fit(request)
      report(.advertising(localName: request.localName, serviceUUIDs: fitting, left: left))
    }
    apps[id]?.isOnAir = failure == nil
    guard !app.isAdvertisingAnswered else { return }
    apps[id]?.isAdvertisingAnswered = true
    app.link.send(.didStartAdvertising(error: failure.map { "\($0)" }))
  }

  private func tellSubscription(
    _ address: AttributeAddress, _ device: RemoteDevice, event: (AttributeName) -> SystemEvent,
    message: (Central, CharacteristicID) -> SystemMessage
  ) {
    guard let found = find(address) else { return }
    report(event(found.name))
    apps[found.app]?.link.send(message(central(device), found.characteristic))
  }
}

extension ManagerState {
  fileprivate init(_ radio: RadioState) {
    switch radio {
    case .noDaemon: self = .resetting
    case .noAdapter: self = .unsupported
    case .poweredOff: self = .poweredOff
    case .poweredOn: self = .poweredOn
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
