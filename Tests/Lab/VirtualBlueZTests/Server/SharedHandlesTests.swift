import BleperaBlueZ
import BleperaBlueZProtocol
import BleperaDBus
import BleperaRadio
import BleperaVirtualBlueZ
import BlueZContract
import BusTesting
import Testing

@testable import BleperaBluetooth

@Suite("Attribute handles beside other programs", .timeLimit(.minutes(2)))
struct SharedHandlesTests {
  private typealias Range = ClosedRange<UInt16>

  /// A service of one handle, and two more for each characteristic.
  private static func service(_ uuid: UInt16, _ characteristics: UInt16) -> ServiceDefinition {
    ServiceDefinition(
      uuid: BluetoothUUID(uuid),
      characteristics: (0..<characteristics).map {
        CharacteristicDefinition(uuid: BluetoothUUID(0xFE00 + $0), properties: .read, permissions: .readable)
      })
  }

  /// A phone's view of its published services.
  private final class Phone {
    let radio: BlueZRadio
    private let events: Mailbox<RadioEvent>
    private var allocator = HandleAllocator()
    private(set) var ranges: [UInt16: Range] = [:]
    private(set) var moved: [UInt16] = []

    init(_ connection: DBusConnection, _ memory: HandleMemory? = nil) async throws {
      let events = Mailbox<RadioEvent>()
      self.events = events
      var options = BlueZRadio.Options()
      options.adapter = "hci0"
      options.handleMemory = memory
      radio = BlueZRadio(connection: connection, options: options) { events.put($0) }
      try await radio.start()
    }

    /// Returns the failure, or nil once the service is published.
    @discardableResult
    func publish(_ definition: ServiceDefinition) async throws -> String? {
      var handles = try allocator.allocate(for: definition)
      await radio.publish([RadioService(definition: definition, handles: handles)])
      let failure = try await events.wait { event -> String? in
        switch event {
        case .moved(handles.start, let new):
          allocator.reserve(new)
          moved.append(handles.start.rawValue)
          handles = new
          return nil
        case .published(handles.start): return ""
        case .publishingFailed(handles.start, let failure, count: 8): return failure.description
        default: return nil
        }
      }
      ranges[handles.start.rawValue] = handles.start.rawValue...handles.end.rawValue
      return failure.isEmpty ? nil : failure
    }

    func remove(_ start: UInt16) async {
      let handles = ranges.removeValue(forKey: start)
      await radio.remove(service: AttributeHandle(rawValue: start))
      await radio.settle()
      guard let handles else { return }
      allocator.release(
        ServiceHandles(
          start: AttributeHandle(rawValue: handles.lowerBound), end: AttributeHandle(rawValue: handles.upperBound)))
    }
  }

  /// A program with a service of one characteristic; its three handles.
  private static func register(
    _ connection: DBusConnection, _ number: Int, at handle: UInt16 = 0
  ) async throws -> (program: Program, range: Range) {
    let root = ObjectPath("/other").appending("p\(number)")
    let service = root.appending("service")
    let program = Program(connection: connection, root: root)
    await program.export([
      (
        service, BlueZName.gattService,
        [
          ("UUID", .string("180f")), ("Primary", .boolean(true)), ("Handle", .uint16(handle)),
        ]
      ),
      (
        service.appending("char"), BlueZName.gattCharacteristic,
        [
          ("UUID", .string("2a19")), ("Service", .objectPath(service)), ("Flags", .strings(["read"])),
        ]
      ),
    ])
    try #require(await program.register() == nil)
    guard handle == 0 else { return (program, handle...handle + 2) }
    let call = try await program.calls.wait { $0.call.member == "Set" && $0.call.path == service ? $0 : nil }
    let start = UInt16(try #require(call.call.arguments[2].unwrapped.unsigned))
    return (program, start...start + 2)
  }

  private static func overlaps(_ ranges: [Range]) -> [String] {
    let sorted = ranges.sorted { $0.lowerBound < $1.lowerBound }
    return zip(sorted, sorted.dropFirst()).filter { $0.overlaps($1) }.map { "\($0) and \($1)" }
  }

  @Test("Services grow and shrink beside those of others, and no handle has two of them", arguments: [66, 82])
  func beside(minor: Int) async throws {
    try await VirtualRadio(DaemonBehavior(minor: minor)).stage { scene async throws in
      var others: [Range] = []
      func other() async throws { others.append(try await Self.register(scene.client, others.count).range) }
      let phone = try await Phone(scene.app)
      func check(_ what: String) { #expect(Self.overlaps(Array(phone.ranges.values) + others) == [], "\(what)") }

      try await other()
      try await phone.publish(Self.service(0x1809, 1))
      #expect(phone.ranges.keys.sorted() == [0x0100], "the first service has the handle that it always has")
      try await other()
      await phone.remove(0x0100)
      try await phone.publish(Self.service(0x1809, 4))
      check("a service that has grown")
      try await other()
      for size in 1...12 as ClosedRange<UInt16> { try await phone.publish(Self.service(0x1900 + size, size)) }
      check("many services")
      try await other()
      await phone.remove(0x0100)
      try await phone.publish(Self.service(0x1809, 1))
      try await phone.publish(Self.service(0x180D, 20))
      check("after the first has shrunk")
      await phone.radio.shutDown()
    }
  }

  @Test("A phone's next process has the same handles, or others where it does not know them", arguments: [true, false])
  func restart(remembers: Bool) async throws {
    let virtual = try await VirtualRadio(DaemonBehavior(minor: 82))
    try await virtual.stage { scene async throws in
      let memory = HandleMemory.inMemory
      let first = try await Phone(scene.app, memory)
      try await first.publish(Self.service(0x1809, 1))
      // A process that is killed.
      await first.radio.connection.close()
      let other = try await Self.register(scene.client, 0).range
      let connection = try await DBusConnection.open(virtual.bus.address, on: TestLoops.second)
      let second = try await Phone(connection, remembers ? memory : nil)
      try await second.publish(Self.service(0x1809, 4))
      let starts = second.ranges.keys.sorted()
      if remembers {
        #expect(starts == [0x0100])
        #expect(second.moved == [])
      } else {
        #expect(starts == [other.upperBound + 2])
        #expect(second.moved == [0x0100])
      }
      #expect(Self.overlaps(Array(second.ranges.values) + [other]) == [])
      await second.radio.shutDown()
    }
  }

  @Test("A service whose handles a program has chosen for itself is published with others")
  func chosen() async throws {
    try await VirtualRadio(DaemonBehavior(minor: 82)).stage { scene async throws in
      let phone = try await Phone(scene.app)
      let other = try await Self.register(scene.client, 0, at: 0x0104).range
      #expect(try await phone.publish(Self.service(0x1809, 2)) == nil)
      #expect(phone.moved == [0x0100])
      try await phone.publish(Self.service(0x180D, 1))
      #expect(Self.overlaps(Array(phone.ranges.values) + [other]) == [])
      await phone.radio.shutDown()
    }
  }

  @Test("A fence that another program has is put elsewhere") func fence() async throws {
    try await VirtualRadio(DaemonBehavior(minor: 82)).stage { scene async throws in
      let other = try await Self.register(scene.client, 0, at: 0x013E).range
      let phone = try await Phone(scene.app)
      #expect(try await phone.publish(Self.service(0x1809, 1)) == nil)
      #expect(Self.overlaps(Array(phone.ranges.values) + [other]) == [])
      await phone.radio.shutDown()
    }
  }

  @Test("What leases handles is not there when services are published") func nothingLeft() async throws {
    try await VirtualRadio(DaemonBehavior(minor: 82)).stage { scene async throws in
      let phone = try await Phone(scene.app)
      try await phone.publish(Self.service(0x1809, 1))
      let uuids = try await scene.get(BlueZContract.Stage.appAdapter, BlueZName.adapter, "UUIDs")?.stringArray
      #expect(uuids?.filter { !$0.hasPrefix("00001") } == [])
      await phone.radio.shutDown()
    }
  }
}
