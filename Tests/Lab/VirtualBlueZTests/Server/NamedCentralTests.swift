import BleperaBlueZProtocol
import BleperaBluetooth
import BleperaDBus
import BleperaLoop
import BleperaRadio
import BlueZContract
import BusTesting
import Testing

@testable import BleperaBlueZ
@testable import BleperaVirtualBlueZ

@Suite("Updates for one of several subscribers, over the virtual org.bluez", .timeLimit(.minutes(5)))
struct NamedCentralTests {
  private static let other: ObjectPath = "/org/bluez/hci2"
  private static let rate = BluetoothUUID(0x2A37 as UInt16)
  private static let control = BluetoothUUID(0x2A39 as UInt16)

  private struct Scene {
    let stage: BlueZContract.Stage
    let radio: BlueZRadio
    let events: Mailbox<RadioEvent>
    let handle: AttributeHandle
    /// The characteristic as the two centrals see it, and who they are.
    let paths: [ObjectPath]
    let centrals: [CentralID]

    /// Waits until the central's value is this one; the order of two centrals is undefined.
    func received(_ value: [UInt8], by index: Int) async throws {
      try await stage.reach("Value", of: paths[index], BlueZName.gattCharacteristic, toBe: .bytes(value))
    }

    func unsubscribed() async throws -> CentralID {
      try await events.wait { if case .unsubscribed(_, let central) = $0 { central.id } else { nil } }
    }
  }

  /// Two centrals that are subscribed to a characteristic.
  private static func run(
    minor: Int, _ uuid: BluetoothUUID = rate, _ properties: CharacteristicProperties = [.read, .notify],
    _ body: (Scene) async throws -> Void
  ) async throws {
    try await VirtualRadio(DaemonBehavior(minor: minor)).stage { stage async throws in
      let events = Mailbox<RadioEvent>()
      var options = BlueZRadio.Options()
      options.adapter = "hci0"
      let radio = BlueZRadio(connection: stage.app, options: options) { events.put($0) }
      try await radio.start()
      var allocator = HandleAllocator()
      let definition = ServiceDefinition(
        uuid: BluetoothUUID(0x180D as UInt16),
        characteristics: [CharacteristicDefinition(uuid: uuid, properties: properties, permissions: .readable)])
      let handles = try allocator.allocate(for: definition)
      await radio.publish([RadioService(definition: definition, handles: handles)])
      await radio.advertise(
        RadioAdvertisement(
          advertisingData: AdvertisingData([.flags(.iPhone), .completeLocalName("phone")]),
          scanResponse: AdvertisingData(), interval: AdvertisingInterval(clamping: 20)))
      try await events.wait { if case .advertising = $0 { true } else { nil } }
      try await stage.connect()
      let path = try await stage.object(BlueZName.gattCharacteristic, uuid.longDescription)
      let phone = try #require(ObjectPath(other.rawValue + "/" + stage.phone.lastElement))
      try await stage.ask(other, BlueZName.adapter, "StartDiscovery")
      try await stage.wait(for: "Name", of: phone, toBe: .string("phone"))
      try await stage.ask(phone, BlueZName.device, "Connect")
      try await stage.wait(for: "ServicesResolved", of: phone, toBe: .boolean(true))
      let tail = path.rawValue.dropFirst(stage.phone.rawValue.count)
      let paths = [path, try #require(ObjectPath(phone.rawValue + tail))]
      var centrals: [CentralID] = []
      for path in paths {
        try await stage.ask(path, BlueZName.gattCharacteristic, "StartNotify")
        centrals.append(
          try await events.wait { if case .subscribed(_, let central) = $0 { central.id } else { nil } })
      }
      try await body(
        Scene(
          stage: stage, radio: radio, events: events, handle: handles.characteristics[0].value, paths: paths,
          centrals: centrals))
      await radio.shutDown()
    }
  }

  @Test("From 5.76 on an update reaches the one that is named, in its order with those for both", arguments: [76, 82])
  func alone(minor: Int) async throws {
    try await Self.run(minor: minor) { scene in
      let (radio, handle) = (scene.radio, scene.handle)
      for index in 0...1 {
        #expect(await radio.update(handle, [1, UInt8(index)], to: [scene.centrals[index]]) == nil)
        try await scene.received([1, UInt8(index)], by: index)
      }
      let value = try await scene.stage.get(scene.paths[0], BlueZName.gattCharacteristic, "Value")
      #expect(value == .bytes([1, 0]))
      #expect(await radio.update(handle, [2], to: scene.centrals) == nil)
      for index in 0...1 { try await scene.received([2], by: index) }
      for number: UInt8 in 3...9 {
        let centrals = number.isMultiple(of: 2) ? scene.centrals : [scene.centrals[1]]
        #expect(await radio.update(handle, [number], to: centrals) == nil)
      }
      for number: UInt8 in 3...9 {
        try await scene.stage.wait(for: "Value", of: scene.paths[1], toBe: .bytes([number]))
      }
      let last = try await scene.stage.get(scene.paths[0], BlueZName.gattCharacteristic, "Value")
      #expect(last == .bytes([8]))
      #expect(await radio.uncarriedUpdates(to: scene.centrals[0]) == 0)
      let refusal = await radio.update(handle, [], to: [scene.centrals[0]])
      #expect(refusal?.description.contains("another subscriber") == true)
    }
  }

  @Test("From 5.76 on the unsubscription of each is reported while the other stays", arguments: [76, 82], [0, 1])
  func unsubscription(minor: Int, index: Int) async throws {
    try await Self.run(minor: minor) { scene in
      try await scene.stage.ask(scene.paths[index], BlueZName.gattCharacteristic, "StopNotify")
      #expect(try await scene.unsubscribed() == scene.centrals[index])
      let rest = scene.centrals[1 - index]
      #expect(await scene.radio.subscribers(of: scene.handle).map(\.id) == [rest])
      #expect(await scene.radio.update(scene.handle, [1], to: [rest]) == nil)
      try await scene.received([1], by: 1 - index)
      try await scene.stage.ask(scene.paths[index], BlueZName.gattCharacteristic, "StartNotify")
      try await scene.events.wait { if case .subscribed = $0 { true } else { nil } }
      #expect(await scene.radio.update(scene.handle, [2], to: [scene.centrals[index]]) == nil)
      try await scene.received([2], by: index)
    }
  }

  @Test("Requests that follow an unsubscription are reported after it, in their order", arguments: [76, 82])
  func order(minor: Int) async throws {
    try await Self.run(minor: minor) { scene in
      try await scene.stage.ask(scene.paths[0], BlueZName.gattCharacteristic, "StopNotify")
      async let answers = Self.read(scene, 3)
      var seen: [String] = []
      while seen.count < 4 {
        switch try await scene.events.next() {
        case .unsubscribed(_, let central): seen.append("\(scene.centrals.firstIndex(of: central.id) ?? -1) has left")
        case .read(let request):
          seen.append("read")
          await scene.radio.respond(to: request.id, .success([UInt8(seen.count)]))
        default: break
        }
      }
      #expect(seen == ["0 has left", "read", "read", "read"])
      #expect(try await answers == [[2], [3], [4]].map { [DBusValue.bytes($0)] })
    }
  }

  /// The answers to that many reads of the first central, one after the other.
  private static func read(_ scene: Scene, _ count: Int) async throws -> [[DBusValue]] {
    var answers: [[DBusValue]] = []
    for _ in 0..<count {
      answers.append(
        try await scene.stage.ask(scene.paths[0], BlueZName.gattCharacteristic, "ReadValue", [.properties([])]))
    }
    return answers
  }

  @Test("Each that disconnects is unsubscribed, and the other stays", arguments: [66, 82], [0, 1])
  func disconnection(minor: Int, index: Int) async throws {
    try await Self.run(minor: minor) { scene in
      let device = try #require(ObjectPath(scene.paths[index].rawValue.components(before: "/service")))
      try await scene.stage.ask(device, BlueZName.device, "Disconnect")
      #expect(try await scene.unsubscribed() == scene.centrals[index])
      let rest = scene.centrals[1 - index]
      #expect(await scene.radio.subscribers(of: scene.handle).map(\.id) == [rest])
      #expect(await scene.radio.update(scene.handle, [1], to: [rest]) == nil)
      try await scene.received([1], by: 1 - index)
    }
  }

  private static let refusing: [(Int, BluetoothUUID, CharacteristicProperties)] = [
    (66, rate, [.read, .notify]), (75, rate, [.read, .notify]), (82, control, [.read, .notify, .indicate]),
  ]

  @Test("Before 5.76, and for indications, an update for one is refused", arguments: refusing)
  func refusal(minor: Int, uuid: BluetoothUUID, properties: CharacteristicProperties) async throws {
    try await Self.run(minor: minor, uuid, properties) { scene in
      let refusal = await scene.radio.update(scene.handle, [1], to: [scene.centrals[1]])
      #expect(refusal?.description.contains("another subscriber") == true)
      #expect(await scene.radio.updateKept(scene.handle, [2], for: scene.centrals[1]) == nil)
      for index in 0...1 { try await scene.received([2], by: index) }
    }
  }
}

extension String {
  fileprivate func components(before end: String) -> String {
    firstRange(of: end).map { String(self[..<$0.lowerBound]) } ?? self
  }
}
