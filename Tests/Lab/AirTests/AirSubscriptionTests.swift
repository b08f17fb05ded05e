import BleperaBluetooth
import BleperaRadio
import Testing

@testable import BleperaAir
@testable import BleperaHost

@Suite("Subscriptions over the air")
struct AirSubscriptionTests {
  private static let application = ApplicationID(1)
  private static let object = ApplicationObject(application, 0)
  private static let value: AttributeHandle = 0x102
  private static let descriptor: AttributeHandle = 0x103
  private static let peer = Stage.address(Stage.central)

  private static let service = PublishedService(
    uuid: BluetoothUUID(0x180D as UInt16), handle: .exactly(0x100),
    characteristics: [
      PublishedCharacteristic(index: 0, uuid: BluetoothUUID(0x2A37 as UInt16), flags: [.notify, .indicate])
    ])

  private func stage(
    mtu: Int = 517, _ conditions: AirConditions = AirConditions(interval: .zero)
  ) throws -> (Stage, ConnectionID) {
    var stage = Stage(conditions: conditions, mtu: mtu)
    stage.send(.host(Stage.phone, .publish(Self.application, [Self.service])))
    stage.advertise()
    let connection = try stage.connect()
    return (stage, connection)
  }

  private static func subscribe(_ value: UInt8 = 1) -> GATTProcedure {
    .write(descriptor, [value, 0])
  }

  @Test("The application is notified of a subscription and its end, and each central of each value")
  func notifications() throws {
    var (stage, connection) = try stage()
    _ = stage.begin(Self.subscribe(), over: connection)
    #expect(
      stage.take().first == .host(Stage.phone, .subscribed(Self.object, connection, isFirst: true, isIndication: false))
    )
    for _ in 0..<2 { stage.send(.host(Stage.phone, .updateValue(Self.object, [1], to: nil))) }
    #expect(stage.take().values == [[1], [1]])
    _ = stage.begin(Self.subscribe(0), over: connection)
    #expect(stage.take().first == .host(Stage.phone, .unsubscribed(Self.object, Self.peer, isLast: true)))
    stage.send(.host(Stage.phone, .updateValue(Self.object, [2], to: nil)))
    #expect(stage.take() == [])
  }

  @Test("A value is cut to the MTU less 3")
  func cut() throws {
    var (stage, connection) = try stage(mtu: 23)
    _ = stage.begin(Self.subscribe(), over: connection)
    _ = stage.take()
    stage.send(.host(Stage.phone, .updateValue(Self.object, Array(repeating: 9, count: 50), to: nil)))
    #expect(stage.take().values.map(\.count) == [20])
  }

  @Test("An indication is confirmed before the next one goes")
  func indications() throws {
    var (stage, connection) = try stage()
    _ = stage.begin(Self.subscribe(2), over: connection)
    _ = stage.take()
    stage.send(.host(Stage.phone, .updateValue(Self.object, [1], to: nil)))
    #expect(
      stage.take() == [
        .host(Stage.central, .valueChanged(connection, Self.value, [1])),
        .host(Stage.phone, .confirmed(Self.object, Self.peer)),
      ])
  }

  static let refused: [([UInt8], ATTError)] = [
    ([3, 0], .cccdImproperlyConfigured), ([4, 0], .cccdImproperlyConfigured), ([0, 1], .cccdImproperlyConfigured),
    ([1], .invalidAttributeValueLength),
  ]

  @Test("Anything but 0, 1 and 2 is refused", arguments: refused)
  func improper(value: [UInt8], error: ATTError) throws {
    var (stage, connection) = try stage()
    let operation = GATTProcedure.write(Self.descriptor, value)
    #expect(stage.result(of: operation, over: connection) == .failure(.att(error)))
  }

  @Test("A second central is not the first, and one that leaves is not the last")
  func twoCentrals() throws {
    var (stage, first) = try stage()
    stage.advertise(2)
    let second = try stage.connect(Stage.second)
    _ = stage.begin(Self.subscribe(), over: first)
    _ = stage.begin(Self.subscribe(), over: second)
    let actions = stage.take()
    #expect(actions.contains(.host(Stage.phone, .subscribed(Self.object, first, isFirst: true, isIndication: false))))
    #expect(actions.contains(.host(Stage.phone, .subscribed(Self.object, second, isFirst: false, isIndication: false))))
    stage.send(.host(Stage.phone, .updateValue(Self.object, [1], to: nil)))
    #expect(stage.take().values.count == 2)
    stage.send(.host(Stage.phone, .updateValue(Self.object, [1], to: [Self.peer])))
    #expect(stage.take() == [.host(Stage.central, .valueChanged(first, Self.value, [1]))])
    stage.send(.host(Stage.central, .disconnect(first)))
    #expect(stage.take().contains(.host(Stage.phone, .unsubscribed(Self.object, Self.peer, isLast: false))))
  }

  @Test("A bonded central keeps its subscription over a disconnection, without an event")
  func bonded() throws {
    var (stage, connection) = try stage()
    stage.send(.host(Stage.phone, .capability(.noInputNoOutput)))
    stage.send(.host(Stage.central, .pair(connection, OperationID(99))))
    stage.send(.host(Stage.phone, .respondToPairing(connection, .yes)))
    _ = stage.begin(Self.subscribe(), over: connection)
    _ = stage.take()
    stage.send(.host(Stage.central, .disconnect(connection)))
    #expect(stage.take() == Stage.ends(of: connection, .byPhone))
    _ = try stage.connect()
    stage.send(.host(Stage.phone, .updateValue(Self.object, [4], to: nil)))
    #expect(stage.take().values == [[4]])
  }

  @Test("Removing a service ends its subscriptions, and the central receives Service Changed")
  func serviceChanged() throws {
    var (stage, connection) = try stage()
    _ = stage.begin(Self.subscribe(), over: connection)
    _ = stage.take()
    stage.send(.host(Stage.phone, .unpublish(Self.application)))
    #expect(stage.take() == [.host(Stage.central, .servicesChanged(connection, 0x0100...0x0103))])
    #expect(stage.link(connection, of: Stage.central)?.services.count == 3)
    stage.send(.host(Stage.phone, .publish(Self.application, [Self.service])))
    #expect(stage.take().last == .host(Stage.central, .servicesChanged(connection, 0x0100...0x0103)))
    stage.send(.host(Stage.phone, .updateValue(Self.object, [1], to: nil)))
    #expect(stage.take() == [])
  }

  @Test("A service that goes while the application is asked fails the read")
  func removedWhileReading() throws {
    var (stage, connection) = try stage()
    let operation = stage.begin(.read(Self.value), over: connection)
    #expect(stage.take().reads.count == 1)
    stage.send(.host(Stage.phone, .unpublish(Self.application)))
    #expect(stage.take().result(of: operation) == .failure(.att(.requestNotSupported)))
  }

  @Test("On an air that loses half, every notification arrives in order")
  func order() throws {
    var (stage, connection) = try stage(AirConditions(loss: 0.5))
    _ = stage.begin(Self.subscribe(), over: connection)
    stage.wait(.seconds(5))
    _ = stage.take()
    for number in 0..<100 { stage.send(.host(Stage.phone, .updateValue(Self.object, [UInt8(number)], to: nil))) }
    stage.wait(.seconds(10))
    #expect(stage.take().values == (0..<100).map { [UInt8($0)] })
  }
}
