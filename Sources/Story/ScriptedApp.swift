import AppLink
import EventLoop
import GATT
import Synchronization

/// One process of an app of closures.
final class ScriptedApp: Sendable {
  private let definition: AppDefinition
  private let link: any AppLinkEnd<AppMessage, SystemMessage>
  private let hear: @Sendable (SystemMessage) -> Void
  private let isRestored = Mutex(false)

  /// - Parameter hear: called after what the app does of itself.
  init(
    _ definition: AppDefinition, link: any AppLinkEnd<AppMessage, SystemMessage>,
    hear: @escaping @Sendable (SystemMessage) -> Void
  ) {
    self.definition = definition
    self.link = link
    self.hear = hear
  }

  func run() async {
    link.send(.hello(version: appLinkVersion, app: definition.identity))
    for await message in link.incoming {
      handle(message)
      hear(message)
    }
  }

  private func handle(_ message: SystemMessage) {
    switch message {
    case .willRestoreState: isRestored.withLock { $0 = true }
    case .didUpdateState(.poweredOn):
      // What is restored is published and advertised already.
      guard !isRestored.withLock({ $0 }) else { return }
      for (number, service) in definition.services.enumerated() {
        link.send(.addService(ServiceID(rawValue: number), service))
      }
      link.send(
        .startAdvertising(AdvertisementRequest(localName: definition.localName, serviceUUIDs: definition.advertised)))
    case .didUpdateState: isRestored.withLock { $0 = false }
    case .didReceiveRead(let request):
      switch definition.read(definition.uuid(of: request.characteristic)) {
      case .success(let value):
        link.send(.respond(request.id, error: nil, value: Array(value.dropFirst(request.offset))))
      case .failure(let error): link.send(.respond(request.id, error: error, value: []))
      }
    case .didReceiveWrite(let requests):
      guard let first = requests.first else { return }
      var error: ATTError?
      for request in requests {
        error = definition.write(definition.uuid(of: request.characteristic), request.value)
        if error != nil { break }
      }
      link.send(.respond(first.id, error: error, value: []))
    case .welcome, .refused, .didChangeState, .willTerminate, .didAddService, .didStartAdvertising, .didSubscribe,
      .didUnsubscribe, .didUpdateValue, .isReadyToUpdateSubscribers:
      break
    }
  }
}

extension AppDefinition {
  func uuid(of id: CharacteristicID) -> BluetoothUUID {
    services[id.service.rawValue].characteristics[id.index].uuid
  }

  func id(of uuid: BluetoothUUID) -> CharacteristicID? {
    for (number, service) in services.enumerated() {
      if let index = service.characteristics.firstIndex(where: { $0.uuid == uuid }) {
        return CharacteristicID(service: ServiceID(rawValue: number), index: index)
      }
    }
    return nil
  }
}
