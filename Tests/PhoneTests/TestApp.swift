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

  let link: InMemoryLink<AppMessage, PhoneMessage>
  let messages = Mailbox<PhoneMessage>()

  static func identity(_ name: String = "test", restores: String? = "test") -> AppIdentity {
    AppIdentity(
      bundleIdentifier: "org.example.\(name)", name: name, backgroundModes: ["bluetooth-peripheral"],
      restoreIdentifier: restores)
  }

  /// Links an app to the system, and says hello.
  init(
    _ system: EmulatedPhone, _ identity: AppIdentity = identity(), into mode: LaunchMode? = nil,
    process: LaunchDescription? = nil,
    peer: pid_t? = nil
  ) {
    let ends = makeInMemoryLink()
    Task(executorPreference: system.loop.tasks) { await system.attach(ends.system, into: mode, peer: peer) }
    self.init(ends.app, on: system.loop, identity, process: process)
  }

  /// Says hello over a link that the system has the other end of.
  init(
    _ link: InMemoryLink<AppMessage, PhoneMessage>, on loop: any ActorLoop, _ identity: AppIdentity = identity(),
    process: LaunchDescription? = nil
  ) {
    self.link = link
    link.send(.hello(version: appLinkVersion, app: identity, process: process))
    Task(executorPreference: loop.tasks) { [link, messages] in
      for await message in link.incoming { messages.put(message) }
    }
  }

  /// Publishes and advertises, and waits until that is done.
  ///
  /// - Parameter isOn: whether the app knows that Bluetooth is on.
  func publish(isOn: Bool = false) async throws {
    if !isOn { _ = try await messages.first { if case .didUpdateState(.poweredOn) = $0 { true } else { nil } } }
    link.send(.addService(ServiceID(rawValue: 0), Self.service))
    try await #require(messages.first { if case .didAddService(_, let error) = $0 { error == nil } else { nil } })
    link.send(.startAdvertising(Self.advertisement))
    try await #require(messages.first { if case .didStartAdvertising(let error, _) = $0 { error == nil } else { nil } })
  }

  /// The next read or write, answered.
  func answer(_ value: [UInt8] = []) async throws {
    let id = try await messages.first { message -> RequestID? in
      switch message {
      case .didReceiveRead(let request): request.id
      case .didReceiveWrite(let requests): requests.first?.id
      default: nil
      }
    }
    link.send(.respond(id, error: nil, value: value))
  }
}
