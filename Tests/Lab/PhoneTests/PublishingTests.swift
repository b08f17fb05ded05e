import BleperaAppLink
import BleperaBluetooth
import BleperaPreservation
import BleperaRadio
import BleperaRules
import BusTesting
import Testing

@testable import BleperaBlueZ
@testable import BleperaPhone

@Suite("Services that the radio refuses", .timeLimit(.minutes(5)))
struct PublishingTests {
  /// iOS accepts this form of Generic Attribute, bluetoothd refuses it.
  private static let refused = ServiceDefinition(
    uuid: BluetoothUUID(bits: 0x0000_1801_0000_1000_8000_0080_5F9B_34FB), characteristics: [])
  private static let id = ServiceID(rawValue: 1)

  @Test("What has been reported to the app as an error is not published later")
  func isGivenUp() async throws {
    try await TestPhone.run(on: .bus) { phone in
      let app = TestApp(phone.system)
      try await app.publish()
      app.send(.addService(Self.id, Self.refused))
      let error = try await app.messages.first { message -> String? in
        if case .peripheral(_, .didAddService(Self.id, let error)) = message { error } else { nil }
      }
      #expect(error == "bluetoothd publishes 1801 itself")
      let radio = try #require(await phone.system.radio as? BlueZRadio)
      await radio.settle()
      #expect(await radio.applications.current.count == 1)
      #expect(try phone.saved.first?.services.map(\.definition.uuid) == [TestApp.uuid])
      // The identifier is free again.
      app.send(.addService(Self.id, ServiceDefinition(uuid: BluetoothUUID(0x1809 as UInt16), characteristics: [])))
      let next = try await app.messages.next()
      #expect(next == .callback(.didAddService(Self.id, error: nil)))
    }
  }

  @Test("bluetoothd gets the advertisements of apps, and none that a phone sends of its own")
  func own() async throws {
    try await TestPhone.run(on: .bus) { phone in
      let app = TestApp(phone.system)
      try await app.publish()
      let radio = try #require(await phone.system.radio as? BlueZRadio)
      let packet = AdvertisingData([.flags(.iPhone), .completeLocalName("here")])
      for isOwn in [false, true, false] {
        await radio.advertise(
          RadioAdvertisement(
            advertisingData: packet, scanResponse: AdvertisingData(), interval: AdvertisingInterval(clamping: 270),
            isOwn: isOwn))
        await radio.settle()
        #expect(await radio.packets.map(\.isOnAir) == (isOwn ? [] : [true]))
        #expect(await radio.air.objects.isEmpty == isOwn)
      }
    }
  }

  @Test("The event of an advertisement has the packets that the radio sends", arguments: RadioKind.allCases)
  func event(kind: RadioKind) async throws {
    try await TestPhone.run(on: kind) { phone in
      let app = TestApp(phone.system)
      try await app.publish()
      let sent = try await phone.events.first { event -> PhoneAdvertisement? in
        if case .advertising(let plan, _) = event { plan.phone } else { nil }
      }
      let packets = try await #require(phone.system.radio).packets
      #expect(
        packets.first?.advertisingData == sent.advertisingData && packets.first?.scanResponse == sent.scanResponse)
      #expect(sent.localName == "Test" && sent.serviceUUIDs == [TestApp.uuid])
      #expect(sent.scanResponse.structures.isEmpty == (kind == .simulated), "bluetoothd has the name there")
    }
  }

  @Test(
    "A service that moves has its attributes and written descriptors at the new handles, and nobody gets the old ones")
  func moved() throws {
    let definition = ServiceDefinition(
      uuid: TestApp.uuid,
      characteristics: [
        CharacteristicDefinition(
          uuid: TestApp.cachedUUID, properties: [.read], permissions: [.readable], value: [1],
          descriptors: [DescriptorDefinition(uuid: DescriptorDefinition.userDescription, value: [65])])
      ])
    let (app, manager) = (AppID(rawValue: 1), ManagerID(.peripheral, TestApp.manager))
    var services = PublishedServices()
    let old = try services.add(Self.id, definition, by: manager, of: app).handles
    let descriptor = old.characteristics[0].descriptors[0]
    services.write([66], toDescriptor: descriptor)
    let new = definition.handles(startingAt: 0x0142)
    services.reserve(new)
    services.move(Self.id, of: app, to: new)
    #expect(services.service(at: old.start) == nil)
    #expect(services.attribute(descriptor) == nil)
    #expect(services.service(at: new.start)?.service.handles == new)
    #expect(services.attribute(new.characteristics[0].value)?.name.characteristic == TestApp.cachedUUID)
    #expect(services.value(ofDescriptor: new.characteristics[0].descriptors[0]) == [66])
    #expect(services.highestHandle == new.end)
    let next = try services.add(ServiceID(rawValue: 2), definition, by: manager, of: app).handles
    #expect(next.start > old.end && next.end < new.start)
    services.remove(Self.id, of: app)
    let again = try services.add(ServiceID(rawValue: 3), definition, by: manager, of: app).handles
    #expect(again == new, "released, and of the same size")
  }

  @Test(
    "The status says where bluetoothd's Database Hash and its match rules do not cover the services",
    arguments: RadioKind.allCases)
  func hash(on radio: RadioKind) async throws {
    try await TestPhone.run(on: radio) { phone in
      let app = TestApp(phone.system)
      try await app.publish()
      #expect(await phone.system.status().warnings == [])
      let characteristic = CharacteristicDefinition(
        uuid: TestApp.cachedUUID, properties: [.read], permissions: [.readable], value: [1])
      let large = ServiceDefinition(
        uuid: BluetoothUUID(0x1809 as UInt16), characteristics: Array(repeating: characteristic, count: 400))
      app.send(.addService(Self.id, large))
      #expect(try await app.messages.next() == .callback(.didAddService(Self.id, error: nil)))
      let warnings = await phone.system.status().warnings
      switch radio {
      case .bus:
        #expect(warnings.count == 2)
        #expect(warnings.first?.hasPrefix("The services reach handle 0x0428. Above handle 0x03FF") == true)
        #expect(warnings.last?.hasPrefix("A stock message bus allows bluetoothd 512 match rules") == true)
      case .simulated: #expect(warnings == [])
      }
    }
  }
}
