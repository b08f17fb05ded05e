import BleperaBluetooth
import Testing

@testable import BleperaAir
@testable import BleperaHost

@Suite("Reads and writes over the air")
struct AirAttributeTests {
  private static let application = ApplicationID(1)
  private static let value: AttributeHandle = 0x102

  /// A phone with one characteristic at 0x0102 and a central connected to it.
  private func stage(
    _ flags: AttributeFlags, stack: StackBehavior = .bluetoothd, mtu: Int = 517, latency: Duration = .zero
  ) throws -> (Stage, ConnectionID) {
    var stage = Stage(stack: stack, conditions: AirConditions(latency: latency, interval: .zero), mtu: mtu)
    stage.send(.host(Stage.phone, .publish(Self.application, [Self.service(flags)])))
    stage.advertise()
    let connection = try stage.connect()
    return (stage, connection)
  }

  private static func service(_ flags: AttributeFlags, at handle: AttributeHandle = 0x100) -> PublishedService {
    PublishedService(
      uuid: BluetoothUUID(0x180D as UInt16), handle: .exactly(handle),
      characteristics: [
        PublishedCharacteristic(index: 0, uuid: BluetoothUUID(0x2A37 as UInt16), flags: flags)
      ])
  }

  @Test("A service of thousands of characteristics is published in one pass", .timeLimit(.minutes(5)))
  func large() {
    var stage = Stage()
    let count = 16_000
    let service = PublishedService(
      uuid: BluetoothUUID(0x180D as UInt16), handle: .exactly(0x100),
      characteristics: (0..<count).map {
        PublishedCharacteristic(index: $0, uuid: BluetoothUUID(0x2A37 as UInt16), flags: .notify)
      })
    stage.send(.host(Stage.phone, .publish(Self.application, [service])))
    let handles = stage.take().compactMap { action -> [Int: AttributeHandle]? in
      if case .host(_, .published(Self.application, _, let objects)) = action { objects } else { nil }
    }
    #expect(handles.map(\.count) == [count])
    #expect(handles.first?[count - 1] == AttributeHandle(rawValue: UInt16(0x102 + 3 * (count - 1))))
  }

  @Test("A read is the application's to answer, and its answer is the central's")
  func read() throws {
    var (stage, connection) = try stage(.read)
    let operation = stage.begin(.read(Self.value), over: connection)
    let request = try #require(stage.take().reads.first)
    #expect(request.options.mtu == 517)
    #expect(request.options.device == Stage.address(Stage.central))
    stage.send(.host(Stage.phone, .respond(request.id, .success([1, 2]))))
    #expect(stage.take().result(of: operation) == .success([1, 2]))
    stage.send(.host(Stage.phone, .respond(request.id, .success([3]))))
    #expect(stage.take() == [])
  }

  @Test("A long value is read in parts of the MTU, each with its offset", arguments: [0, 21, 22, 23, 44, 60])
  func longRead(length: Int) throws {
    var (stage, connection) = try stage(.read, mtu: 23)
    let whole = (0..<length).map { UInt8($0) }
    let operation = stage.begin(.read(Self.value), over: connection)
    var offsets: [Int] = []
    while let request = stage.take().reads.first {
      offsets.append(request.options.offset)
      stage.send(.host(Stage.phone, .respond(request.id, .success(Array(whole[request.options.offset...])))))
      if let result = stage.actions.result(of: operation) {
        #expect(result == .success(whole))
      }
    }
    #expect(offsets == Array(stride(from: 0, through: length, by: 22)))
  }

  @Test("An application that says nothing for 5 s has given an unlikely error")
  func timeout() throws {
    var (stage, connection) = try stage(.read)
    let operation = stage.begin(.read(Self.value), over: connection)
    let request = try #require(stage.take().reads.first)
    stage.wait(.milliseconds(4999))
    #expect(stage.take() == [])
    stage.wait(.milliseconds(1))
    #expect(stage.take().result(of: operation) == .failure(.att(.unlikelyError)))
    stage.send(.host(Stage.phone, .respond(request.id, .success([1]))))
    #expect(stage.take() == [])
  }

  @Test("Operations of one central go one after the other")
  func order() throws {
    var (stage, connection) = try stage([.read, .write])
    _ = stage.begin(.read(Self.value), over: connection)
    _ = stage.begin(.write(Self.value, [1]), over: connection)
    let first = stage.take()
    #expect(first.reads.count == 1)
    #expect(first.writes.isEmpty)
    stage.send(.host(Stage.phone, .respond(first.reads[0].id, .failure(.invalidOffset))))
    #expect(stage.take().writes.map(\.value) == [[1]])
  }

  @Test("A write is answered by the application, one to a characteristic without response by bluetoothd")
  func write() throws {
    var (stage, connection) = try stage(.write)
    let operation = stage.begin(.write(Self.value, [7]), over: connection)
    let id = try #require(stage.take().writes.first?.id)
    stage.send(.host(Stage.phone, .respond(id, .failure(ATTError(rawValue: 0x81)))))
    #expect(stage.take().result(of: operation) == .failure(.att(ATTError(rawValue: 0x81))))

    (stage, connection) = try self.stage([.write, .writeWithoutResponse])
    let second = stage.begin(.write(Self.value, [7]), over: connection)
    let actions = stage.take()
    #expect(actions.writes.map(\.id) == [nil])
    #expect(actions.result(of: second) == .success([]))
    #expect(stage.result(of: .command(Self.value, [8]), over: connection) == .success([]))
  }

  @Test("A long write is prepared and executed as one write", arguments: [100, 500])
  func longWrite(length: Int) throws {
    var (stage, connection) = try stage(.write, mtu: 23)
    let value = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
    let operation = stage.begin(.write(Self.value, value), over: connection)
    let write = try #require(stage.take().writes.first)
    #expect(write.value == value)
    stage.send(.host(Stage.phone, .respond(try #require(write.id), .success([]))))
    #expect(stage.take().result(of: operation) == .success([]))
  }

  // MARK: Prepared writes of an iPhone

  /// Two characteristics with a CCCD each, of two applications, as a phone's services are.
  private func pair(_ second: AttributeFlags = [.write, .notify]) throws -> (Stage, ConnectionID) {
    var (stage, connection) = try stage([.write, .notify], stack: StackBehavior(), mtu: 23)
    stage.send(.host(Stage.phone, .publish(ApplicationID(2), [Self.service(second, at: 0x200)])))
    _ = stage.take()
    return (stage, connection)
  }

  private static func write(_ handle: AttributeHandle, _ offset: Int, _ value: [UInt8]) -> AttributeWrite {
    AttributeWrite(handle: handle, offset: offset, value: value)
  }

  @Test("An iPhone passes the pieces of several characteristics together, as they arrived, for one response")
  func pieces() throws {
    var (stage, connection) = try pair()
    let writes = [
      Self.write(Self.value, 0, [1]), Self.write(0x202, 0, [2]), Self.write(Self.value, 1, [3]),
      Self.write(Self.value, 7, [4]),
    ]
    for result in [.success([]), .failure(ATTError(rawValue: 0x81))] as [Result<[UInt8], ATTError>] {
      let operation = stage.begin(.prepared(writes), over: connection)
      let request = try #require(stage.take().preparedWrites.first)
      #expect(request.pieces.map(\.object.application.number) == [1, 2, 1, 1])
      #expect(request.pieces.map(\.offset) == [0, 0, 1, 7])
      #expect(request.pieces.map(\.value) == [[1], [2], [3], [4]])
      stage.send(.host(Stage.phone, .respond(request.id, result)))
      #expect(
        stage.take() == [.host(Stage.central, .completed(operation, result.map { _ in .done }.mapError { .att($0) }))])
    }
  }

  @Test("A canceled preparation reaches no application, and leaves nothing behind")
  func canceled() throws {
    var (stage, connection) = try pair()
    let operation = stage.begin(.prepared([Self.write(Self.value, 0, [1])], isExecuted: false), over: connection)
    #expect(stage.take() == [.host(Stage.central, .completed(operation, .success(.done)))])
    _ = stage.begin(.prepared([Self.write(Self.value, 0, [2])]), over: connection)
    #expect(stage.take().preparedWrites.flatMap(\.pieces).map(\.value) == [[2]])
  }

  @Test("A central cancels what it has prepared when a piece is refused")
  func refusedPiece() throws {
    var (stage, connection) = try pair(.read)
    let writes = [Self.write(Self.value, 0, [1]), Self.write(0x202, 0, [2])]
    #expect(stage.result(of: .prepared(writes), over: connection) == .failure(.att(.writeNotPermitted)))
    #expect(stage.link(connection, of: Stage.phone)?.server.prepared.requests == [])
  }

  static let executions: [([AttributeWrite], Result<[UInt8], ProcedureFailure>)] = [
    // Configurations alone are written in order.
    ([write(0x103, 0, [1]), write(0x103, 1, [0]), write(0x203, 0, [1, 0])], .success([])),
    ([write(0x103, 0, [1, 0]), write(0x102, 0, [1])], .failure(.att(.requestNotSupported))),
    ([write(0x102, 0, [1]), write(0x102, 512, [1])], .failure(.att(.invalidAttributeValueLength))),
  ]

  @Test("What is no application's is not passed to one", arguments: executions)
  func configurations(writes: [AttributeWrite], result: Result<[UInt8], ProcedureFailure>) throws {
    var (stage, connection) = try pair()
    let operation = stage.begin(.prepared(writes), over: connection)
    let actions = stage.take()
    #expect(actions.result(of: operation) == result)
    #expect(actions.preparedWrites.isEmpty)
  }

  @Test("Pieces for a service that leaves before the response, or before the execution, are refused")
  func unpublished() throws {
    var (stage, connection) = try pair()
    let writes = [Self.write(Self.value, 0, [1]), Self.write(0x202, 0, [2])]
    let operation = stage.begin(.prepared(writes), over: connection)
    #expect(stage.take().preparedWrites.count == 1)
    stage.send(.host(Stage.phone, .unpublish(ApplicationID(2))))
    #expect(stage.take().result(of: operation) == .failure(.att(.requestNotSupported)))
  }

  static let lengths: [(StackBehavior, Int, Bool)] = [
    (.bluetoothd, 510, true), (.bluetoothd, 511, false), (StackBehavior(), 512, true),
    (StackBehavior(), 513, false),
  ]

  @Test("The longest write is what the stack takes", arguments: lengths)
  func longest(stack: StackBehavior, length: Int, isTaken: Bool) throws {
    var (stage, connection) = try stage(.write, stack: stack)
    let value = [UInt8](repeating: 1, count: length)
    let operation = stage.begin(.write(Self.value, value), over: connection)
    let actions = stage.take()
    #expect(actions.writes.count == (isTaken ? 1 : 0))
    if !isTaken { #expect(actions.result(of: operation) == .failure(.att(.invalidAttributeValueLength))) }
  }

  /// The longest write without response that the stack takes, and what it sends of an update of 600 bytes.
  static let packets: [(stack: StackBehavior, mtu: Int, write: Int, update: Int)] = [
    (StackBehavior(), 527, 524, 524), (StackBehavior(), 517, 514, 514), (StackBehavior(), 185, 182, 182),
    (.bluetoothd, 517, 510, 512), (.bluetoothd, 185, 182, 182),
  ]

  @Test("What has no response fills the packets of an iPhone, and not those of bluetoothd", arguments: packets)
  func fullPackets(stack: StackBehavior, mtu: Int, write: Int, update: Int) throws {
    var (stage, connection) = try stage([.writeWithoutResponse, .notify], stack: stack, mtu: mtu)
    for length in [write, write + 1] {
      let operation = stage.begin(.command(Self.value, [UInt8](repeating: 1, count: length)), over: connection)
      let actions = stage.take()
      #expect(actions.writes.map(\.value.count) == (length == write ? [length] : []))
      let isSent = length <= mtu - 3
      #expect(
        actions.result(of: operation) == (isSent ? .success([]) : .failure(.att(.invalidAttributeValueLength))))
    }
    _ = stage.result(of: .write(0x103, [1, 0]), over: connection)
    let value = [UInt8](repeating: 2, count: 600)
    stage.send(.host(Stage.phone, .updateValue(ApplicationObject(Self.application, 0), value, to: nil)))
    #expect(stage.take().values.map(\.count) == [update])
  }

  @Test("Thirty prepared writes fill the queue")
  func fullQueue() throws {
    var (stage, connection) = try stage(.write, mtu: 23)
    let value = [UInt8](repeating: 1, count: 31 * 18)
    let result = stage.result(of: .write(Self.value, value), over: connection)
    #expect(result == .failure(.att(.prepareQueueFull)))
  }

  static let permissions: [(AttributeFlags, isRead: Bool, ATTError?)] = [
    (.write, true, .readNotPermitted), (.read, false, .writeNotPermitted), (.notify, true, nil),
    (.notify, false, nil),
    // The link is to be secured, and nobody is there to allow it.
    ([.read, .encryptRead], true, .unlikelyError), ([.write, .authenticateWrite], false, .unlikelyError),
  ]

  @Test("Flags say who may", arguments: permissions)
  func permission(flags: AttributeFlags, isRead: Bool, error: ATTError?) throws {
    var (stage, connection) = try stage(flags)
    let operation: GATTProcedure =
      isRead ? .read(Self.value) : .write(Self.value, [1])
    let result = stage.result(of: operation, over: connection)
    #expect(result == error.map { .failure(.att($0)) })
  }

  @Test("A stack other than bluetoothd waits for the application and keeps to the permissions")
  func exact() throws {
    var (stage, connection) = try stage([.write, .writeWithoutResponse], stack: StackBehavior())
    let operation = stage.begin(.write(Self.value, [7]), over: connection)
    let id = try #require(stage.take().writes.first?.id)
    stage.send(.host(Stage.phone, .respond(id, .failure(.insufficientEncryptionKeySize))))
    #expect(stage.take().result(of: operation) == .failure(.att(.insufficientEncryptionKeySize)))
    (stage, connection) = try self.stage(.notify, stack: StackBehavior())
    #expect(
      stage.result(of: .read(Self.value), over: connection) == .failure(.att(.readNotPermitted)))
  }

  @Test("A central gives the connection up after 30 s without a response")
  func transactionTimeout() throws {
    var (stage, connection) = try stage(.read, stack: StackBehavior())
    let operation = stage.begin(.read(Self.value), over: connection)
    stage.wait(.milliseconds(29_999))
    #expect(stage.take().reads.count == 1)
    stage.wait(.milliseconds(1))
    #expect(stage.take().result(of: operation) == .failure(.disconnected))
    #expect(stage.air.connections.isEmpty)
  }

  @Test("An attribute that is not there is an invalid handle")
  func noAttribute() throws {
    var (stage, connection) = try stage(.read)
    #expect(stage.result(of: .read(0x999), over: connection) == .failure(.att(.invalidHandle)))
  }

  @Test("What needs encryption pairs first, and is asked for again")
  func pairs() throws {
    var (stage, connection) = try stage([.read, .encryptRead])
    stage.send(.host(Stage.phone, .capability(.noInputNoOutput)))
    let operation = stage.begin(.read(Self.value), over: connection)
    #expect(stage.take() == [.host(Stage.phone, .pairingRequest(connection, .authorize))])
    stage.send(.host(Stage.phone, .respondToPairing(connection, .yes)))
    let actions = stage.take()
    #expect(actions.contains(.host(Stage.phone, .paired(connection))))
    let request = try #require(actions.reads.first)
    stage.send(.host(Stage.phone, .respond(request.id, .success([5]))))
    #expect(stage.take().result(of: operation) == .success([5]))
    stage.send(.host(Stage.central, .disconnect(connection)))
    let next = try stage.connect()
    #expect(stage.link(next, of: Stage.phone)?.security == .encrypted)
  }

  @Test("An open link is refused for want of a key, or of encryption where there is one")
  func openLink() throws {
    var (stage, connection) = try stage([.write, .encryptWrite])
    func refusal() throws -> ATTError? {
      let host = try #require(stage.air.hosts[Stage.phone])
      let attribute = try #require(host.database.attribute(Self.value))
      return host.refusal(ofWriting: attribute, by: try #require(host.links[connection]).client)
    }
    #expect(try refusal() == .insufficientAuthentication)
    let bond = SecurityBond(
      asCentral: nil, asPeripheral: nil, keySize: 16, isAuthenticated: false, isSecureConnections: true)
    stage.air.hosts[Stage.phone]?.bonds[Stage.address(Stage.central)] = bond
    #expect(try refusal() == .insufficientEncryption)
  }

  @Test("Pairing by passkey takes the right one only", arguments: [true, false])
  func passkey(isRight: Bool) throws {
    var (stage, connection) = try stage(.read)
    stage.send(.host(Stage.phone, .capability(.displayOnly)))
    stage.send(.host(Stage.central, .capability(.keyboardOnly)))
    stage.send(.host(Stage.central, .pair(connection, OperationID(9))))
    var shown: UInt32?
    for case .host(Stage.phone, .pairingRequest(_, .show(let passkey))) in stage.take() { shown = passkey }
    let passkey = try #require(shown)
    stage.send(.host(Stage.central, .respondToPairing(connection, .passkey(isRight ? passkey : passkey + 1))))
    #expect(
      stage.take().result(of: OperationID(9)) == (isRight ? .success([]) : .failure(.pairing(.failed))))
    #expect(stage.link(connection, of: Stage.phone)?.security == (isRight ? .authenticated : .open))
  }

  @Test("Without an agent, or not pairable, a phone does not pair", arguments: [nil, PairingCapability.displayOnly])
  func refusesToPair(capability: PairingCapability?) throws {
    var (stage, connection) = try stage(.read)
    stage.send(.host(Stage.phone, .capability(capability)))
    if capability != nil { stage.send(.host(Stage.phone, .pairable(false))) }
    stage.send(.host(Stage.central, .pair(connection, OperationID(9))))
    #expect(stage.take() == [.host(Stage.central, .completed(OperationID(9), .failure(.pairing(.failed))))])
  }

  @Test("A lost connection fails what was waiting")
  func lost() throws {
    var (stage, connection) = try stage(.read)
    let operations = (0..<2).map { _ in stage.begin(.read(Self.value), over: connection) }
    _ = stage.take()
    stage.send(.host(Stage.central, .disconnect(connection)))
    let actions = stage.take()
    for operation in operations { #expect(actions.result(of: operation) == .failure(.disconnected)) }
  }

  @Test("Latency delays the request and the answer, loss adds connection intervals and changes no order")
  func latency() throws {
    var (stage, connection) = try stage(.read, latency: .milliseconds(20))
    let operation = stage.begin(.read(Self.value), over: connection)
    stage.wait(.milliseconds(19))
    #expect(stage.take() == [])
    stage.wait(.milliseconds(1))
    let request = try #require(stage.take().reads.first)
    stage.send(.host(Stage.phone, .respond(request.id, .success([]))))
    stage.wait(.milliseconds(20))
    #expect(stage.take().result(of: operation) == .success([]))
  }
}
