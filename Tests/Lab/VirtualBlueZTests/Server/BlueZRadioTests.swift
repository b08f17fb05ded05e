import BleperaBlueZProtocol
import BleperaBluetooth
import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import BleperaRadio
import BlueZContract
import BusTesting
import Glibc
import Testing

@testable import BleperaAir
@testable import BleperaBlueZ
@testable import BleperaVirtualBlueZ

@Suite("blepera's own radio over the virtual org.bluez", .timeLimit(.minutes(5)))
struct BlueZRadioTests {
  private static let heartRate = BluetoothUUID(0x180D as UInt16)
  private static let measurement = "00002a37-0000-1000-8000-00805f9b34fb"
  private static let control = "00002a39-0000-1000-8000-00805f9b34fb"

  private static let service = ServiceDefinition(
    uuid: heartRate,
    characteristics: [
      CharacteristicDefinition(
        uuid: BluetoothUUID(0x2A37 as UInt16), properties: [.read, .notify], permissions: .readable),
      CharacteristicDefinition(
        uuid: BluetoothUUID(0x2A39 as UInt16), properties: [.read, .write, .indicate],
        permissions: [.readable, .writeable],
        descriptors: [DescriptorDefinition(uuid: DescriptorDefinition.userDescription, value: Array("x".utf8))]),
    ])

  private static let advertisement = RadioAdvertisement(
    advertisingData: AdvertisingData([
      .flags(.iPhone), .serviceUUIDs(UUIDList.lists(of: [heartRate])[0], complete: true), .completeLocalName("phone"),
    ]), scanResponse: AdvertisingData(), interval: AdvertisingInterval(clamping: 20))

  /// A radio on hci0 that has published a service and advertises.
  private static func run(
    _ behavior: DaemonBehavior = DaemonBehavior(minor: 82), forgetsBonds: Bool = false,
    _ body: (BlueZContract.Stage, BlueZRadio, ServiceHandles, Mailbox<RadioEvent>) async throws -> Void
  ) async throws {
    try await VirtualRadio(behavior).stage { scene async throws in
      let events = Mailbox<RadioEvent>()
      var options = BlueZRadio.Options()
      options.adapter = "hci0"
      options.forgetsBonds = forgetsBonds
      let radio = BlueZRadio(connection: scene.app, options: options) { events.put($0) }
      try await radio.start()
      var allocator = HandleAllocator()
      let handles = try allocator.allocate(for: service)
      await radio.publish([RadioService(definition: service, handles: handles)])
      await radio.advertise(advertisement)
      try await events.wait { if case .advertising = $0 { true } else { nil } }
      try await body(scene, radio, handles, events)
      await radio.shutDown()
    }
  }

  private static func central(_ scene: BlueZContract.Stage) -> CentralID {
    CentralID(rawValue: scene.central.deviceAddress ?? "")
  }

  @Test("It is found from another adapter, with its name, services and signal strength", arguments: [66, 82])
  func found(minor: Int) async throws {
    try await Self.run(DaemonBehavior(minor: minor)) { scene, _, _, _ in
      try await scene.ask(BlueZContract.Stage.clientAdapter, BlueZName.adapter, "StartDiscovery")
      try await scene.wait(for: "Name", of: scene.phone, toBe: .string("phone"))
      let device = try await scene.ask(
        scene.phone, .properties, "GetAll", [.string(BlueZName.device.rawValue)]
      ).first?.asProperties
      #expect(device?["UUIDs"] == .strings([Self.heartRate.longDescription]))
      #expect(device?["RSSI"] == .int16(-50))
      #expect(device?["Address"] == .string("00:AA:01:00:00:00"))
      #expect(device?["Connected"] == .boolean(false))
    }
  }

  @Test("A central reads, writes, subscribes, is notified and disconnects", arguments: [66, 82])
  func whole(minor: Int) async throws {
    try await Self.run(DaemonBehavior(minor: minor)) { scene, radio, handles, events in
      try await scene.connect()
      let device = try await events.wait { if case .connected(let central) = $0 { central } else { nil } }
      #expect(device.id == Self.central(scene))
      #expect(await radio.connectedCentrals.map(\.id) == [device.id])
      let path = try await scene.object(BlueZName.gattCharacteristic, Self.measurement)
      #expect(path.lastElement == "char0101")
      #expect(try await scene.get(path, BlueZName.gattCharacteristic, "Flags") == .strings(["read", "notify"]))

      async let value = scene.ask(path, BlueZName.gattCharacteristic, "ReadValue", [.properties([])])
      let read = try await events.wait { if case .read(let request) = $0 { request } else { nil } }
      #expect(read.handle == handles.characteristics[0].value)
      #expect(read.central == RadioCentral(id: device.id, mtu: 517, limit: 512))
      #expect(read.central.maximumUpdateValueLength == 512)
      await radio.respond(to: read.id, .success([0, 60]))
      #expect(try await value == [.bytes([0, 60])])

      let control = try await scene.object(BlueZName.gattCharacteristic, Self.control)
      async let written = scene.ask(
        control, BlueZName.gattCharacteristic, "WriteValue", [.bytes([1]), .properties([])])
      let write = try await events.wait { event -> (RadioRequestID, [UInt8])? in
        if case .write(let request, let writes) = event, writes.count == 1 {
          (request.id, writes[0].value)
        } else {
          nil
        }
      }
      #expect(write.1 == [1])
      await radio.respond(to: write.0, .success([]))
      #expect(try await written == [])

      try await scene.ask(path, BlueZName.gattCharacteristic, "StartNotify")
      let (handle, subscriber) = try await events.wait { event -> (AttributeHandle, RadioCentral)? in
        if case .subscribed(let handle, let central) = event { (handle, central) } else { nil }
      }
      #expect(handle == handles.characteristics[0].value)
      #expect(subscriber.id == device.id)
      #expect(await radio.subscribers(of: handle) == [subscriber])
      #expect(await radio.update(handle, [0, 60], to: [CentralID(rawValue: "nobody")]) == nil)
      #expect(await radio.update(handle, [0, 61], to: [subscriber.id]) == nil)
      try await scene.wait(for: "Value", of: path, toBe: .bytes([0, 61]))

      try await scene.ask(scene.phone, BlueZName.device, "Disconnect")
      try await events.wait { if case .disconnected = $0 { true } else { nil } }
      try await scene.wait(for: "Connected", of: scene.phone, toBe: .boolean(false))
    }
  }

  @Test("An error of the app is the central's, by bluetoothd's two tables")
  func errors() async throws {
    try await Self.run { scene, radio, handles, events in
      try await scene.connect()
      let path = try await scene.object(BlueZName.gattCharacteristic, Self.measurement)
      let table: [(ATTError, String)] = [
        (ATTError(rawValue: 0x81), "org.bluez.Error.Failed: Operation failed with ATT error: 0x81"),
        (.readNotPermitted, "org.bluez.Error.NotPermitted: Read not permitted"),
        (.requestNotSupported, "org.bluez.Error.NotSupported: Operation is not supported"),
        (.insufficientAuthorization, "org.bluez.Error.NotAuthorized: Operation Not Authorized"),
        (.insufficientResources, "org.bluez.Error.Failed: Operation failed with ATT error: 0x0e"),
      ]
      for (error, expected) in table {
        async let refusal = scene.refusal(path, BlueZName.gattCharacteristic, "ReadValue", [.properties([])])
        let read = try await events.wait { if case .read(let request) = $0 { request } else { nil } }
        await radio.respond(to: read.id, .failure(error))
        #expect(await refusal == expected)
      }
    }
  }

  @Test("Indications are confirmed, and an unsubscription is reported")
  func indications() async throws {
    try await Self.run { scene, radio, handles, events in
      try await scene.connect()
      let path = try await scene.object(BlueZName.gattCharacteristic, Self.control)
      try await scene.ask(path, BlueZName.gattCharacteristic, "StartNotify")
      let (handle, central) = try await Self.subscription(events)
      #expect(await radio.update(handle, [5], to: [central]) == nil)
      try await scene.wait(for: "Value", of: path, toBe: .bytes([5]))
      try await events.wait { if case .confirmed = $0 { true } else { nil } }
      try await scene.ask(path, BlueZName.gattCharacteristic, "StopNotify")
      try await events.wait { if case .unsubscribed = $0 { true } else { nil } }
    }
  }

  @Test("Values come by a descriptor where the central asks for one")
  func acquired() async throws {
    try await Self.run { scene, radio, handles, events in
      try await scene.connect()
      let path = try await scene.object(BlueZName.gattCharacteristic, Self.measurement)
      let answer = try await scene.ask(path, BlueZName.gattCharacteristic, "AcquireNotify", [.properties([])])
      let descriptor = try #require(answer.first?.fileDescriptor)
      #expect(answer.last == .uint16(517))
      let socket = try #require(SequencedSocket(descriptor))
      let values = Mailbox<[UInt8]>()
      let source = socket.watch(on: TestLoops.second) {
        values.put($0)
      } end: {
      }
      let (handle, central) = try await Self.subscription(events)
      for number: UInt8 in 1...3 { _ = await radio.update(handle, [number], to: [central]) }
      #expect(try await values.next(3) == [[1], [2], [3]])
      source.cancel()
    }
  }

  @Test("Only a socket that keeps packets apart is taken for a descriptor of values")
  func descriptors() throws {
    let file = UnixFileDescriptor(owning: unsafe open("/dev/zero", O_RDONLY | O_CLOEXEC))
    #expect(SequencedSocket(file) == nil)
    var ends: [CInt] = [-1, -1]
    try #require(unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
    let (stream, other) = (UnixFileDescriptor(owning: ends[0]), UnixFileDescriptor(owning: ends[1]))
    #expect(SequencedSocket(stream) == nil)
    #expect(SequencedSocket(other) == nil)
    #expect(SequencedSocket.pair().flatMap { SequencedSocket($0.other) } != nil)
  }

  @Test("Pairing asks the radio's agent, and both are then paired")
  func pairing() async throws {
    try await Self.run { scene, _, _, events in
      try await scene.connect()
      try await scene.ask(scene.phone, BlueZName.device, "Pair")
      #expect(try await scene.get(scene.phone, BlueZName.device, "Paired") == .boolean(true))
      // The phone's side ends at the last packet of the central, a moment after the central's.
      try await events.wait { if case .bonded(let central) = $0 { central.isBonded } else { nil } }
      #expect(try await scene.get(scene.central, BlueZName.device, "Paired") == .boolean(true))
      #expect(
        await scene.refusal(scene.phone, BlueZName.device, "Pair")
          == "org.bluez.Error.AlreadyExists: Already Exists")
    }
  }

  /// Calls the radio's agent as org.bluez does; the error's name, or nil.
  private static func ask(
    _ scene: BlueZContract.Stage, _ member: MemberName, _ device: ObjectPath, _ arguments: [DBusValue] = []
  ) async throws -> String? {
    let server = await (try #require(scene.radio as? VirtualRadio)).server
    let agent = try #require(await scene.app.uniqueName)
    let call = MethodCall(
      destination: agent, path: BlueZRadio.agentPath, interface: BlueZName.agent, member: member,
      arguments: [.objectPath(device)] + arguments)
    do {
      _ = try await server.connection.call(call)
      return nil
    } catch .remote(let error) {
      return error.name.rawValue
    }
  }

  @Test("org.bluez asks for other adapters, other devices and other services: refused each time")
  func strangers() async throws {
    try await Self.run { scene, _, _, events in
      try await scene.connect()
      let hid = DBusValue.string("00001124-0000-1000-8000-00805f9b34fb")
      let rejected = "org.bluez.Error.Rejected"
      #expect(try await Self.ask(scene, "RequestAuthorization", scene.central) == nil)
      #expect(try await Self.ask(scene, "AuthorizeService", scene.central, [hid]) == rejected)
      for stranger: ObjectPath in ["/org/bluez/hci7/dev_66_66_66_66_66_66", "/org/bluez/hci0/dev_66_66_66_66_66_66"] {
        #expect(try await Self.ask(scene, "RequestAuthorization", stranger) == rejected)
        #expect(try await Self.ask(scene, "RequestConfirmation", stranger, [.uint32(1)]) == rejected)
        #expect(try await Self.ask(scene, "AuthorizeService", stranger, [hid]) == rejected)
      }
      let refused = try await events.wait { event -> PairingRefusal? in
        if case .pairingRefused(_, let reason) = event { reason } else { nil }
      }
      #expect(refused == .otherService)
    }
  }

  @Test("A write without response is reported, and not kept for a response")
  func command() async throws {
    try await Self.run { scene, radio, handles, events in
      try await scene.connect()
      let server = await (try #require(scene.radio as? VirtualRadio)).server
      let owner = try #require(await scene.app.uniqueName)
      let path = try #require(await radio.applications.path(of: handles.characteristics[1].value))
      _ = try await server.connection.call(
        MethodCall(
          destination: owner, path: path, interface: BlueZName.gattCharacteristic, member: "WriteValue",
          arguments: [
            .bytes([7]), .properties([("device", .objectPath(scene.central)), ("type", .string("command"))]),
          ],
          expectsReply: false))
      let request = try await events.wait { if case .write(let request, _) = $0 { request } else { nil } }
      #expect(!request.expectsResponse)
      #expect(await radio.requests.isEmpty)
    }
  }

  @Test("Numbers and values of org.bluez that cannot be are refused or ignored")
  func impossibleValues() async throws {
    try await Self.run { scene, radio, handles, events in
      try await scene.connect()
      let server = await (try #require(scene.radio as? VirtualRadio)).server
      let owner = try #require(await scene.app.uniqueName)
      let path = try #require(await radio.applications.path(of: handles.characteristics[1].value))
      func call(_ member: MemberName, _ arguments: [DBusValue], _ options: [(String, DBusValue)]) -> MethodCall {
        MethodCall(
          destination: owner, path: path, interface: BlueZName.gattCharacteristic, member: member,
          arguments: arguments + [.properties([("device", .objectPath(scene.central))] + options)])
      }
      for offset: DBusValue in [.int64(.min), .int64(.max), .uint32(65_536), .int32(-1)] {
        await #expect(throws: DBusFailure.self) {
          try await server.connection.call(call("ReadValue", [], [("offset", offset)]))
        }
      }
      await #expect(throws: DBusFailure.self) {
        try await server.connection.call(call("WriteValue", [.bytes([UInt8](repeating: 0, count: 513))], []))
      }
      for mtu: DBusValue in [.int64(.min), .uint16(22), .int64(.max)] {
        async let reply = server.connection.call(call("ReadValue", [], [("mtu", mtu)]))
        let request = try await events.wait { if case .read(let request) = $0 { request } else { nil } }
        #expect(ATTMTU.range.contains(request.central.mtu))
        await radio.respond(to: request.id, .success([1]))
        #expect(try await reply == [.bytes([1])])
      }
    }
  }

  @Test("Another agent of the machine is the default again while no central is connected")
  func otherAgent() async throws {
    try await Self.run { scene, _, _, _ in
      _ = try await Agent(scene.client, "NoInputNoOutput")
      let server = await (try #require(scene.radio as? VirtualRadio)).server
      let own = try #require(await scene.app.uniqueName)
      let other = try #require(await scene.client.uniqueName)
      #expect(await server.defaultAgents == [other])
      try await scene.connect()
      try await Self.wait(for: [own, other], in: server)
      try await scene.ask(scene.phone, BlueZName.device, "Disconnect")
      try await Self.wait(for: [other], in: server)
    }
  }

  private static func wait(for agents: [BusName], in server: BlueZServer) async throws {
    for _ in 0..<500 where await server.defaultAgents != agents {
      try await TestLoops.second.sleep(for: .milliseconds(10))
    }
    #expect(await server.defaultAgents == agents)
  }

  @Test("The radio forgets the bonds that were made since its start, where requested", arguments: [true, false])
  func forgottenBonds(isForgotten: Bool) async throws {
    try await Self.run(forgetsBonds: isForgotten) { scene, radio, _, events in
      try await scene.connect()
      try await scene.ask(scene.phone, BlueZName.device, "Pair")
      try await events.wait { if case .bonded = $0 { true } else { nil } }
      await radio.shutDown()
      let refusal = await scene.refusal(
        scene.central, .properties, "GetAll", [.string(BlueZName.device.rawValue)])
      #expect((refusal != nil) == isForgotten)
    }
  }

  @Test("A device that the user forgets is disconnected, and unknown to org.bluez")
  func forgottenDevice() async throws {
    try await Self.run { scene, radio, _, events in
      try await scene.connect()
      try await scene.ask(scene.phone, BlueZName.device, "Pair")
      try await events.wait { if case .bonded = $0 { true } else { nil } }
      let central = Self.central(scene).rawValue
      #expect(await radio.bonds == [RadioBond(address: central, isConnected: true)])
      let failure: RadioFailure? = await withCheckedContinuation { continuation in
        Task { await radio.forgetBonds(with: central) { continuation.resume(returning: $0) } }
      }
      #expect(failure == nil)
      try await events.wait { if case .disconnected = $0 { true } else { nil } }
      #expect(await radio.bonds.isEmpty)
      #expect(
        await scene.refusal(scene.central, .properties, "GetAll", [.string(BlueZName.device.rawValue)]) != nil)
    }
  }

  private static func subscription(_ events: Mailbox<RadioEvent>) async throws -> (AttributeHandle, CentralID) {
    try await events.wait { event -> (AttributeHandle, CentralID)? in
      if case .subscribed(let handle, let central) = event { (handle, central.id) } else { nil }
    }
  }

  @Test("A service that is removed leaves the notifications of those that stay alone")
  func twoServices() async throws {
    try await Self.run { scene, radio, handles, events in
      let other = ServiceDefinition(uuid: BluetoothUUID(0x180F as UInt16), characteristics: [])
      var allocator = HandleAllocator()
      _ = try allocator.allocate(for: Self.service)
      let otherHandles = try allocator.allocate(for: other)
      // The one that goes has come before the one that stays, which has its handles.
      await radio.remove(service: handles.start)
      await radio.publish([RadioService(definition: other, handles: otherHandles)])
      try await events.wait { if case .published(otherHandles.start) = $0 { true } else { nil } }
      await radio.publish([RadioService(definition: Self.service, handles: handles)])
      try await events.wait { if case .published(handles.start) = $0 { true } else { nil } }
      await radio.remove(service: otherHandles.start)
      await radio.settle()
      try await scene.connect()
      let path = try await scene.object(BlueZName.gattCharacteristic, Self.measurement)
      try await scene.ask(path, BlueZName.gattCharacteristic, "StartNotify")
      let (handle, central) = try await Self.subscription(events)
      #expect(handle == handles.characteristics[0].value)
      #expect(await radio.update(handle, [7], to: [central]) == nil)
      try await scene.wait(for: "Value", of: path, toBe: .bytes([7]))
      await radio.remove(service: handles.start)
      #expect(await radio.subscribers(of: handle).isEmpty)
      try await events.wait { if case .unsubscribed = $0 { true } else { nil } }
    }
  }

  /// The bus of the tests has the limits of a stock system bus.
  @Test("Three hundred services are published within a bus's limits, and the last one notifies")
  func manyServices() async throws {
    try await Self.run { scene, radio, first, events in
      let other = ServiceDefinition(
        uuid: BluetoothUUID(0x180F as UInt16),
        characteristics: [
          CharacteristicDefinition(
            uuid: BluetoothUUID(0x2A19 as UInt16), properties: .notify, permissions: .readable)
        ])
      var allocator = HandleAllocator()
      allocator.reserve(first)
      var last = first
      for _ in 0..<300 {
        last = try allocator.allocate(for: other)
        await radio.publish([RadioService(definition: other, handles: last)])
      }
      let failure = try await events.wait { event -> String? in
        switch event {
        case .published(last.start): ""
        case .publishingFailed(_, let failure, _): failure.description
        default: nil
        }
      }
      #expect(failure == "")
      try await scene.connect()
      let path = scene.phone.appending("service" + "\(last.start)".dropFirst(2).lowercased())
        .appending("char" + "\(last.characteristics[0].declaration)".dropFirst(2).lowercased())
      try await scene.ask(path, BlueZName.gattCharacteristic, "StartNotify")
      let (handle, central) = try await Self.subscription(events)
      #expect(handle == last.characteristics[0].value)
      #expect(await radio.update(handle, [7], to: [central]) == nil)
      try await scene.wait(for: "Value", of: path, toBe: .bytes([7]))
    }
  }

  @Test("A service that includes two others is published with them while they are being registered")
  func including() async throws {
    try await Self.run { scene, radio, _, events in
      var allocator = HandleAllocator()
      _ = try allocator.allocate(for: Self.service)
      let uuids = (0xFF01...0xFF03 as ClosedRange<UInt16>).map { BluetoothUUID($0) }
      var services: [RadioService] = []
      for uuid in uuids {
        let definition = ServiceDefinition(
          uuid: uuid, includedServices: uuid == uuids[2] ? [uuids[0], uuids[1]] : [],
          characteristics: [
            CharacteristicDefinition(uuid: uuid, properties: .read, permissions: .readable)
          ])
        services.append(RadioService(definition: definition, handles: try allocator.allocate(for: definition)))
        await radio.publish([services[services.count - 1]])
      }
      let last = services[2].handles.start
      try await events.wait { if case .published(last) = $0 { true } else { nil } }
      await radio.settle()
      try await scene.connect()
      for uuid in uuids {
        let path = try await scene.object(BlueZName.gattCharacteristic, uuid.longDescription)
        async let value = scene.ask(path, BlueZName.gattCharacteristic, "ReadValue", [.properties([])])
        let read = try await events.wait { if case .read(let request) = $0 { request } else { nil } }
        #expect(services.contains { $0.handles.characteristics.contains { $0.value == read.handle } })
        await radio.respond(to: read.id, .success([1]))
        #expect(try await value == [.bytes([1])])
      }
    }
  }

  @Test("A service with encrypted notifications is refused with the release that has them", arguments: [55, 66])
  func encryptedNotifications(minor: Int) async throws {
    try await Self.run(DaemonBehavior(minor: minor)) { _, radio, _, events in
      var allocator = HandleAllocator()
      _ = try allocator.allocate(for: Self.service)
      let service = ServiceDefinition(
        uuid: BluetoothUUID(0x180F as UInt16),
        characteristics: [
          CharacteristicDefinition(
            uuid: BluetoothUUID(0x2A19 as UInt16), properties: [.notifyEncryptionRequired], permissions: .readable)
        ])
      let handles = try allocator.allocate(for: service)
      await radio.publish([RadioService(definition: service, handles: handles)])
      let reason = try await events.wait { event -> String? in
        switch event {
        case .published(handles.start): ""
        case .publishingFailed(handles.start, let failure, _): failure.description
        default: nil
        }
      }
      let expected =
        "2A19 requires encryption for notifications, which bluetoothd can demand from 5.62 on, and this is 5.55"
      #expect(reason == (minor == 55 ? expected : ""))
    }
  }

  @Test("Its packets are those of bluetoothd, and its limitations those of the release", arguments: [66, 82])
  func packets(minor: Int) async throws {
    try await Self.run(DaemonBehavior(minor: minor)) { _, radio, _, events in
      let packets = await radio.packets
      #expect(packets.map { Hex.string($0.advertisingData.bytes) } == ["03030D18020106"])
      #expect(packets.map { Hex.string($0.scanResponse.bytes) } == ["060970686F6E65"])
      #expect(packets.map(\.interval) == [minor == 66 ? nil : AdvertisingInterval(clamping: 20)])
      #expect(packets.map(\.isOnAir) == [true])
      #expect(await radio.implementation == "bluetoothd 5.\(minor)")
      let limitations = Set(await radio.limitations.map(\.id))
      #expect(limitations.contains("intervals") == (minor == 66))
      #expect(limitations.contains("long-writes") == (minor == 66))
      #expect(limitations.contains("one-central") == (minor == 66))
      #expect(limitations.isSuperset(of: ["flags", "name-place", "no-stream"]))
      await radio.advertise(Self.advertisement)
      try await events.wait { if case .advertising = $0 { true } else { nil } }
      await radio.advertise(nil)
      try await events.wait { if case .advertisingStopped = $0 { true } else { nil } }
      #expect(await radio.packets.isEmpty)
    }
  }

  @Test("A second central finds it while the first is connected, because it advertises again")
  func secondCentral() async throws {
    try await Self.run { scene, _, _, events in
      try await scene.connect()
      let adapter: ObjectPath = "/org/bluez/hci2"
      let phone: ObjectPath = "/org/bluez/hci2/dev_00_AA_01_00_00_00"
      try await scene.ask(adapter, BlueZName.adapter, "StartDiscovery")
      try await scene.wait(for: "Name", of: phone, toBe: .string("phone"))
      try await scene.ask(phone, BlueZName.device, "Connect")
      for _ in 0..<2 { try await events.wait { if case .connected = $0 { true } else { nil } } }
      #expect(try await scene.get(scene.phone, BlueZName.device, "Connected") == .boolean(true))
    }
  }

  @Test("It is on the air again after a restart of the daemon")
  func restart() async throws {
    try await Self.run { scene, _, _, events in
      try await scene.radio.restart(isCrash: false)
      try await events.wait { event -> Bool? in if case .state(.noDaemon) = event { true } else { nil } }
      try await events.wait { if case .advertising = $0 { true } else { nil } }
    }
  }

  @Test(
    "A daemon that ends suddenly while a central is connected may have crashed, and is waited for",
    arguments: [(66, "a94f99420"), (82, "a94f99420"), (87, "5bc6aa79e"), (88, nil)] as [(Int, String?)])
  func crash(minor: Int, commit: String?) async throws {
    try await Self.run(DaemonBehavior(minor: minor)) { scene, _, _, events in
      try await scene.connect()
      try await events.wait { if case .connected = $0 { true } else { nil } }
      for isCrash in [true, false] {
        try await scene.radio.restart(isCrash: isCrash)
        let crash = try await events.wait { event -> String?? in
          if case .state(.noDaemon(let crash)) = event { .some(crash) } else { nil }
        }
        if isCrash, let commit { #expect(crash?.contains(commit) == true, "\(crash ?? "nil")") }
        if !isCrash || commit == nil { #expect(crash == nil) }
        try await events.wait { if case .advertising = $0 { true } else { nil } }
      }
    }
  }

  @Test("Power off ends the connection, and power on brings the advertisement back on the air")
  func power() async throws {
    try await Self.run { scene, _, _, events in
      try await scene.connect()
      try await events.wait { if case .connected = $0 { true } else { nil } }
      for isOn in [false, true] {
        try await scene.ask(
          BlueZContract.Stage.appAdapter, .properties, "Set",
          [.string(BlueZName.adapter.rawValue), .string("Powered"), .variant(.boolean(isOn))])
      }
      try await events.wait { if case .disconnected = $0 { true } else { nil } }
      try await events.wait { if case .advertising = $0 { true } else { nil } }
    }
  }
}
