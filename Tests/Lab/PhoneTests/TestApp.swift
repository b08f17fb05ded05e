import BleperaAppLink
import BleperaBluetooth
import BleperaEventLoop
import BleperaLoop
import BleperaRules
import BusTesting
import Glibc
import Testing

@testable import BleperaPhone

/// An app whose every word is the test's.
struct TestApp: Sendable {
  static let command = CharacteristicID(service: ServiceID(rawValue: 0), index: 0)
  static let measurement = CharacteristicID(service: ServiceID(rawValue: 0), index: 1)
  static let uuid = BluetoothUUID(0x180D as UInt16)
  static let commandUUID = BluetoothUUID(0x2A39 as UInt16)
  static let measurementUUID = BluetoothUUID(0x2A37 as UInt16)
  static let cachedUUID = BluetoothUUID(0x2A38 as UInt16)

  static let service = ServiceDefinition(
    uuid: uuid,
    characteristics: [
      CharacteristicDefinition(
        uuid: commandUUID, properties: [.read, .write], permissions: [.readable, .writeable]),
      CharacteristicDefinition(uuid: measurementUUID, properties: [.notify], permissions: []),
      CharacteristicDefinition(uuid: cachedUUID, properties: [.read], permissions: [.readable], value: [1]),
    ])

  static let advertisement = AdvertisementData(localName: "Test", serviceUUIDs: [uuid])

  /// The restorable one; apps that are not restored have `.number(0)`.
  static let manager = ManagerID.Name.restorable("test")

  /// The app's only manager, unless a test creates others.
  let manager: ManagerID.Name
  let link: InMemoryAppLink<AppMessage, PhoneMessage>
  let messages = Mailbox<PhoneMessage>()

  static func identity(_ name: String = "test") -> AppIdentity {
    AppIdentity(bundleIdentifier: "org.example.\(name)", name: name, backgroundModes: ["bluetooth-peripheral"])
  }

  /// Links an app to the system, says hello and creates a manager.
  init(
    _ system: EmulatedPhone, _ identity: AppIdentity = identity(), restores: String? = "test",
    into mode: LaunchMode? = nil, process: LaunchDescription? = nil, peer: pid_t? = nil
  ) {
    let ends = makeInMemoryLink()
    Task(executorPreference: system.loop.tasks) { await system.attach(ends.system, into: mode, peer: peer) }
    self.init(ends.app, on: system.loop, identity, restores: restores, process: process)
  }

  /// Says hello over a link that the system has the other end of.
  init(
    _ link: InMemoryAppLink<AppMessage, PhoneMessage>, on loop: any ActorLoop, _ identity: AppIdentity = identity(),
    restores: String? = "test", process: LaunchDescription? = nil
  ) {
    self.link = link
    manager = ManagerID.Name(restores)
    link.send(.hello(version: appLinkVersion, app: identity, process: process))
    link.send(.create(ManagerID(.peripheral, manager)))
    Task(executorPreference: loop.tasks) { [link, messages] in
      for await message in link.incoming { messages.put(message) }
    }
  }

  func send(_ call: PeripheralManagerCall) { link.send(.peripheral(manager, call)) }

  /// Publishes and advertises, and waits until that is done.
  ///
  /// - Parameter isOn: whether the app knows that Bluetooth is on.
  func publish(isOn: Bool = false) async throws {
    if !isOn {
      _ = try await messages.first { if case .peripheral(_, .didUpdateState(.poweredOn)) = $0 { true } else { nil } }
    }
    send(.addService(ServiceID(rawValue: 0), Self.service))
    try await #require(
      messages.first { if case .peripheral(_, .didAddService(_, let error)) = $0 { error == nil } else { nil } })
    send(.startAdvertising(Self.advertisement))
    try await #require(
      messages.first { if case .peripheral(_, .didStartAdvertising(let error, _)) = $0 { error == nil } else { nil } })
  }

  /// The next read or write, answered.
  func answer(_ value: [UInt8] = []) async throws {
    let id = try await messages.first { message -> RequestID? in
      switch message {
      case .peripheral(_, .didReceiveRead(let request)): request.id
      case .peripheral(_, .didReceiveWrite(let requests)): requests.first?.id
      default: nil
      }
    }
    send(.respond(id, error: nil, value: value))
  }
}

extension PhoneMessage {
  /// A callback for the manager of an app that is restored.
  static func callback(_ callback: PeripheralManagerCallback) -> Self { .peripheral(TestApp.manager, callback) }
}
