import BleperaAppLink
import BleperaBluetooth
import BleperaLoop
import Synchronization

/// A process of an app defined by closures.
final class ScriptedApp: Sendable {
  private let definition: AppDefinition
  private let link: any AppLinkEnd<AppMessage, PhoneMessage>
  private let onMessage: @Sendable (PhoneMessage) -> Void
  private let isRestored = Mutex(false)

  /// - Parameter onMessage: Called with each message after the app's own handling.
  init(
    _ definition: AppDefinition, link: any AppLinkEnd<AppMessage, PhoneMessage>,
    onMessage: @escaping @Sendable (PhoneMessage) -> Void
  ) {
    self.definition = definition
    self.link = link
    self.onMessage = onMessage
  }

  func run(on loop: any ActorLoop) {
    link.send(.hello(version: appLinkVersion, app: definition.identity))
    link.send(.create(ManagerID(.peripheral, definition.manager)))
    link.receive(on: loop) { [self] message in
      guard let message else { return }
      if case .peripheral(_, let callback) = message { handle(callback) }
      onMessage(message)
    }
  }

  private func send(_ call: PeripheralManagerCall) { link.send(.peripheral(definition.manager, call)) }

  private func handle(_ callback: PeripheralManagerCallback) {
    switch callback {
    case .willRestoreState: isRestored.withLock { $0 = true }
    case .didUpdateState(.poweredOn):
      // Restored services and advertisements are published already.
      guard !isRestored.withLock({ $0 }) else { return }
      for (number, service) in definition.services.enumerated() {
        send(.addService(ServiceID(rawValue: number), service))
      }
      send(.startAdvertising(definition.advertisement))
    case .didUpdateState: isRestored.withLock { $0 = false }
    case .didReceiveRead(let request):
      switch definition.read(definition.uuid(of: request.characteristic)) {
      case .success(let value):
        send(.respond(request.id, error: nil, value: Array(value.dropFirst(request.offset))))
      case .failure(let error): send(.respond(request.id, error: error, value: []))
      }
    case .didReceiveWrite(let requests):
      guard let first = requests.first else { return }
      let writes = requests.map { request in
        AppDefinition.Write(
          characteristic: definition.uuid(of: request.characteristic), offset: request.offset, value: request.value)
      }
      send(.respond(first.id, error: definition.write(writes), value: []))
    case .didAddService, .didStartAdvertising, .didSubscribe, .didUnsubscribe, .didUpdateValue,
      .isReadyToUpdateSubscribers, .didPublishL2CAPChannel, .didUnpublishL2CAPChannel, .didOpenL2CAPChannel:
      break
    }
  }
}
