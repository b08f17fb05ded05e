import BleperaBluetooth
import BleperaRules
import Testing

@testable import BleperaPhone

@Suite("The services of apps are found by app, by number and by handle")
struct PublishedServicesTests {
  private static let (first, second) = (AppID(rawValue: 1), AppID(rawValue: 2))
  private static let description = BluetoothUUID(0x2901 as UInt16)

  private static func definition(_ uuid: UInt16, includes: [UInt16] = []) -> ServiceDefinition {
    ServiceDefinition(
      uuid: BluetoothUUID(uuid), includedServices: includes.map { BluetoothUUID($0) },
      characteristics: [
        CharacteristicDefinition(
          uuid: BluetoothUUID(0xFFF1 as UInt16), properties: [.read], permissions: .readable,
          descriptors: [DescriptorDefinition(uuid: description, value: [1], permissions: [.readable, .writeable])])
      ])
  }

  private static func add(
    _ number: Int, _ uuid: UInt16, _ app: AppID = first, includes: [UInt16] = [], to services: inout PublishedServices
  ) throws -> PublishedServices.Service {
    try services.add(
      ServiceID(rawValue: number), definition(uuid, includes: includes), by: ManagerID(.peripheral, .number(0)), of: app
    )
  }

  @Test("Services keep the order in which they were added, and their handles are theirs alone")
  func order() throws {
    var services = PublishedServices()
    let added = [
      try Self.add(7, 0xFFF0, to: &services), try Self.add(1, 0xFFE0, Self.second, to: &services),
      try Self.add(3, 0xFFD0, includes: [0xFFF0], to: &services),
    ]
    #expect(services.services(of: Self.first).map(\.id.rawValue) == [7, 3])
    #expect(services.services(of: Self.second).map(\.id.rawValue) == [1])
    for (service, app) in zip(added, [Self.first, Self.second, Self.first]) {
      let found = services.service(at: service.handles.start)
      #expect(found?.app == app && found?.service.id == service.id)
      let attribute = try #require(services.attribute(service.handle(of: 0)))
      #expect(attribute.app == app && attribute.characteristic.service == service.id && attribute.descriptor == nil)
    }
    #expect(Set(added.map(\.handles.start)).count == 3)
    #expect(services.highestHandle == added.map(\.handles.end).max())
  }

  private static let refusals: [(number: Int, uuid: UInt16, includes: [UInt16], reason: String)] = [
    (-1, 0xFFE0, [], "from 0 to"), (1, 0xFFE0, [], "a service with this identifier already"),
    (2, 0xFFE0, [0xFFD0], "an included service has to be added before"),
  ]

  @Test("A service that cannot be published is refused and leaves nothing", arguments: refusals)
  func refusal(number: Int, uuid: UInt16, includes: [UInt16], reason: String) throws {
    var services = PublishedServices()
    let only = try Self.add(1, 0xFFF0, to: &services)
    let refusal = #expect(throws: PublishedServices.Refusal.self) {
      try Self.add(number, uuid, includes: includes, to: &services)
    }
    #expect(refusal?.reason.contains(reason) == true)
    #expect(services.services(of: Self.first).map(\.id) == [only.id])
  }

  @Test("A removed service is found by nothing, and its handles are free again")
  func removal() throws {
    var services = PublishedServices()
    let service = try Self.add(1, 0xFFF0, to: &services)
    let descriptor = try #require(service.handles.characteristics.first?.descriptors.first)
    services.write([2], toDescriptor: descriptor)
    services.remove(service.id, of: Self.first)
    #expect(services.services(of: Self.first).isEmpty && services.service(at: service.handles.start) == nil)
    #expect(services.attribute(service.handle(of: 0)) == nil && services.attribute(descriptor) == nil)
    #expect(services.areAllReported && services.highestHandle == nil)
    let next = try Self.add(1, 0xFFF0, to: &services)
    #expect(next.handles == service.handles && services.value(ofDescriptor: descriptor) == [1])
  }

  @Test("A service that moves takes the values of its descriptors along")
  func move() throws {
    var services = PublishedServices()
    let service = try Self.add(1, 0xFFF0, to: &services)
    let other = try Self.add(2, 0xFFF0, Self.second, to: &services)
    services.remove(other.id, of: Self.second)
    let former = try #require(service.handles.characteristics.first?.descriptors.first)
    services.write([2], toDescriptor: former)
    services.reserve(other.handles)
    services.move(service.id, of: Self.first, to: other.handles)
    let moved = try #require(other.handles.characteristics.first?.descriptors.first)
    #expect(services.service(at: service.handles.start) == nil && services.attribute(former) == nil)
    #expect(services.service(at: other.handles.start)?.service.id == service.id)
    #expect(services.value(ofDescriptor: moved) == [2])
    let written = services.writtenDescriptors(of: try #require(services.service(service.id, of: Self.first)))
    #expect(written.map(\.value) == [[2]])
  }

  @Test("All are reported when each is, or is removed; a restored service needs no report")
  func reports() throws {
    var services = PublishedServices()
    let added = try (1...3).map { try Self.add($0, 0xFFF0, to: &services) }
    var others = PublishedServices()
    let restored = others.restore(
      ServiceID(rawValue: 1), Self.definition(0xFFF0), added[0].handles, by: ManagerID(.peripheral, .number(0)),
      of: Self.first)
    #expect(restored.isReported && others.areAllReported)
    var states = [services.areAllReported]
    for service in [added[0], added[0], added[1]] {
      services.setReported(service.id, of: Self.first)
      states.append(services.areAllReported)
    }
    services.remove(added[2].id, of: Self.first)
    #expect(states + [services.areAllReported] == [false, false, false, false, true])
  }
}
