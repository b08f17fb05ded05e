import BleperaBluetooth
import BleperaRadio
import Testing

@testable import BleperaAir
@testable import BleperaHost

@Suite("Faults on the air")
struct AirFaultTests {
  private static let value: AttributeHandle = 0x102
  private static let descriptor: AttributeHandle = 0x103
  private static let object = ApplicationObject(ApplicationID(1), 0)
  private static let timeout = AdapterDescription.bluezSupervisionTimeout

  private func stage(
    _ flags: AttributeFlags, latency: Duration = .zero, mtu: Int = 23
  ) throws -> (Stage, ConnectionID) {
    var stage = Stage(conditions: AirConditions(latency: latency, interval: .zero), mtu: mtu)
    let service = PublishedService(
      uuid: BluetoothUUID(0x180D as UInt16), handle: .exactly(0x100),
      characteristics: [PublishedCharacteristic(index: 0, uuid: BluetoothUUID(0x2A37 as UInt16), flags: flags)])
    stage.send(.host(Stage.phone, .publish(ApplicationID(1), [service])))
    stage.advertise()
    let connection = try stage.connect()
    return (stage, connection)
  }

  private static func between(_ conditions: PairConditions) -> AirEvent {
    .between(Stage.central, Stage.phone, conditions)
  }

  @Test("Where two adapters are out of range a third one may receive both")
  func apart() {
    var stage = Stage()
    stage.send(Self.between(PairConditions(loss: 1)))
    stage.send(.linkLayer(Stage.central, .scan(ScanWindow())))
    stage.send(.linkLayer(Stage.second, .scan(ScanWindow())))
    stage.advertise()
    stage.wait(.seconds(10))
    #expect(stage.actions.reports(to: Stage.central).isEmpty)
    #expect(!stage.actions.reports(to: Stage.second).isEmpty)
    stage.send(Self.between(PairConditions(rssi: -90)))
    stage.wait(.seconds(10))
    #expect(stage.actions.reports(to: Stage.central).map(\.rssi).allSatisfy { $0 == -90 })
    #expect(!stage.actions.reports(to: Stage.central).isEmpty)
  }

  @Test("A silence that is shorter than the supervision timeout costs time and nothing else")
  func shortSilence() throws {
    var (stage, connection) = try stage(.notify)
    _ = stage.result(of: .write(Self.descriptor, [1, 0]), over: connection)
    stage.send(Self.between(PairConditions(loss: 1)))
    for value: UInt8 in 1...3 { stage.send(.host(Stage.phone, .updateValue(Self.object, [value], to: nil))) }
    stage.wait(Self.timeout - .milliseconds(1))
    #expect(stage.take() == [])
    #expect(stage.link(connection, of: Stage.phone)?.uncarriedValues == 3)
    stage.send(Self.between(PairConditions()))
    stage.send(.host(Stage.phone, .updateValue(Self.object, [4], to: nil)))
    stage.wait(.seconds(5))
    #expect(stage.take().values == [[1], [2], [3], [4]])
    #expect(stage.link(connection, of: Stage.phone)?.uncarriedValues == 0)
    #expect(stage.air.connections[connection] != nil)
  }

  @Test("A longer one ends the connection, for both sides, when the timeout is over")
  func longSilence() throws {
    var (stage, connection) = try stage(.read)
    let read = stage.begin(.read(Self.value), over: connection)
    let request = try #require(stage.take().reads.first?.id)
    stage.send(Self.between(PairConditions(loss: 1)))
    stage.send(.host(Stage.phone, .respond(request, .success([7]))))
    stage.wait(Self.timeout - .milliseconds(1))
    #expect(stage.take() == [])
    stage.wait(.milliseconds(1))
    #expect(
      stage.take() == [.host(Stage.central, .completed(read, .failure(.disconnected)))]
        + Stage.ends(of: connection, .timeout))
  }

  @Test("A disconnection without reception is noticed when packets pass again, or at the timeout")
  func leaving() throws {
    for isReceived in [true, false] {
      var (stage, connection) = try stage(.read)
      stage.send(Self.between(PairConditions(loss: 1)))
      stage.wait(.milliseconds(100))
      stage.send(.host(Stage.central, .disconnect(connection)))
      #expect(stage.take() == [])
      if isReceived { stage.send(Self.between(PairConditions())) } else { stage.wait(.milliseconds(320)) }
      let cause: DisconnectionCause = isReceived ? .byPhone : .timeout
      #expect(stage.take() == Stage.ends(of: connection, cause))
    }
  }

  @Test("What a stalled central does not take waits, however long, and comes in order")
  func stalled() throws {
    var (stage, connection) = try stage(.notify, mtu: 517)
    _ = stage.result(of: .write(Self.descriptor, [1, 0]), over: connection)
    stage.send(Self.between(PairConditions(isStalled: true)))
    for value: UInt8 in 1...3 {
      stage.send(.host(Stage.phone, .updateValue(Self.object, [UInt8](repeating: value, count: 100), to: nil)))
    }
    stage.wait(.seconds(3600))
    #expect(stage.take() == [])
    #expect(stage.link(connection, of: Stage.phone)?.uncarriedValues == 3)
    stage.send(Self.between(PairConditions()))
    stage.wait(.milliseconds(1))
    #expect(stage.take().values.map(\.first) == [1, 2, 3])
    #expect(stage.link(connection, of: Stage.phone)?.uncarriedValues == 0)
  }

  @Test("Services are discovered when the central receives the responses", arguments: [true, false])
  func discovery(isSilent: Bool) throws {
    var stage = Stage(conditions: AirConditions(latency: .milliseconds(5), interval: .zero))
    stage.advertise()
    stage.send(.linkLayer(Stage.central, .connect(Stage.address(Stage.phone))))
    while stage.air.connections.isEmpty { stage.wait(.milliseconds(10)) }
    let connection = try #require(stage.air.connection(between: Stage.central, and: Stage.phone)?.id)
    stage.send(Self.between(isSilent ? PairConditions(loss: 1) : PairConditions(isStalled: true)))
    stage.wait(.milliseconds(400))
    _ = stage.take()
    stage.send(Self.between(PairConditions()))
    stage.wait(.milliseconds(4))
    #expect(stage.take() == [])
    stage.wait(.seconds(1))
    #expect(stage.take().last == .host(Stage.central, .servicesResolved(connection)))
  }

  /// A write of 40 bytes over an ATT_MTU of 23: three prepared ones and their execution.
  @Test(
    "The PDU that it is cut at does not arrive; what was written is whole or not at all",
    arguments: [
      (.pdu(1), nil), (.pdu(2), nil), (.pdu(6), nil), (.first(.prepareWriteResponse), nil),
      (.first(.executeWriteRequest), nil), (.pdu(7), nil), (.first(.executeWriteResponse), 40), (.pdu(8), 40),
    ] as [(LinkCut, Int?)])
  func cut(at place: LinkCut, written: Int?) throws {
    var (stage, connection) = try stage(.write)
    stage.send(.cutAt(Stage.central, Stage.phone, place))
    let value = [UInt8](repeating: 9, count: 40)
    let write = stage.begin(.write(Self.value, value), over: connection)
    let asked = stage.take().writes
    #expect(asked.map(\.value.count) == (written.map { [$0] } ?? []))
    for request in asked { stage.send(.host(Stage.phone, .respond(try #require(request.id), .success([])))) }
    stage.wait(Self.timeout)
    let actions = stage.take()
    #expect(actions.result(of: write) == .failure(.disconnected))
    #expect(actions.writes.isEmpty)
    #expect(
      actions.suffix(2) == Stage.ends(of: connection, .timeout)[...])
    // Once: the next connection is whole.
    _ = try stage.connect()
  }

  @Test("The supervision timeout is that of the connection's central")
  func supervisionTimeout() throws {
    var stage = Stage(adapters: 1)
    let address = Stage.address(Stage.central)
    stage.send(
      .added(
        Stage.central,
        AdapterDescription(
          address: address, name: "iPhone", supervisionTimeout: AdapterDescription.iPhoneSupervisionTimeout)))
    stage.advertise()
    let connection = try stage.connect()
    stage.send(.cut(Stage.central, Stage.phone))
    stage.wait(.milliseconds(719))
    #expect(stage.air.connections[connection] != nil)
    stage.wait(.milliseconds(1))
    #expect(stage.air.connections[connection] == nil)
  }

  @Test("Every PDU has its opcode, and a cut at another opcode does not end the exchange")
  func opcodes() throws {
    for opcode in [ATTOpcode.errorResponse, .readResponse] {
      var (stage, connection) = try stage(.read)
      stage.send(.cutAt(Stage.central, Stage.phone, .first(opcode)))
      let read = stage.begin(.read(Self.value), over: connection)
      stage.send(.host(Stage.phone, .respond(try #require(stage.take().reads.first?.id), .success([7]))))
      stage.wait(Self.timeout)
      let isCut = opcode == .readResponse
      #expect(stage.take().result(of: read) == (isCut ? .failure(.disconnected) : .success([7])))
    }
  }

  @Test("An adapter that is plugged in again has its bonds")
  func bonds() throws {
    var (stage, connection) = try stage(.read)
    for adapter in [Stage.phone, Stage.central] { stage.send(.host(adapter, .capability(.noInputNoOutput))) }
    stage.send(.host(Stage.central, .pair(connection, OperationID(99))))
    stage.send(.host(Stage.phone, .respondToPairing(connection, .yes)))
    #expect(stage.take().contains(.host(Stage.central, .paired(connection))))
    let description = try #require(stage.air.adapters[Stage.phone]?.description)
    stage.send(.removed(Stage.phone))
    stage.send(.added(Stage.phone, description))
    #expect(stage.air.hosts[Stage.phone]?.isBonded(with: Stage.address(Stage.central)) == true)
  }
}
