import BleperaBluetooth
import BleperaRadio
import Testing

@testable import BleperaAir
@testable import BleperaHost

@Suite("Connections on the air")
struct AirConnectionTests {
  private static let address = Stage.address(Stage.phone)

  @Test("A central connects at the next advertisement and discovers what is there")
  func connects() throws {
    var stage = Stage()
    stage.advertise()
    stage.wait(.milliseconds(100))
    _ = stage.take()
    stage.send(.linkLayer(Stage.central, .connect(Self.address)))
    #expect(stage.take() == [])
    stage.wait(.seconds(2))
    let connection = try #require(stage.air.connection(between: Stage.central, and: Stage.phone))
    let openings = [Stage.phone, Stage.central].map { side in
      AirAction.linkLayer(side, .connected(connection.id, connection.opening(at: side, wanted: Self.address)))
    }
    #expect(
      stage.take() == openings + [
        .host(Stage.phone, .mtuChanged(connection.id)), .host(Stage.central, .mtuChanged(connection.id)),
        .host(Stage.central, .servicesResolved(connection.id)),
      ])
    let link = try #require(stage.link(connection.id, of: Stage.central))
    #expect(link.mtu == 517)
    #expect(link.services.map(\.uuid.description) == ["1800", "1801", "180A"])
  }

  @Test("An attempt to connect has no limit of time, and a cancelled one connects no more")
  func waits() {
    for cancels in [false, true] {
      var stage = Stage()
      stage.send(.linkLayer(Stage.central, .connect(Self.address)))
      stage.wait(.seconds(86400))
      #expect(stage.take() == [])
      if cancels { stage.send(.linkLayer(Stage.central, .cancelConnect(Self.address))) }
      stage.advertise()
      stage.wait(.seconds(1))
      #expect((stage.air.connection(between: Stage.central, and: Stage.phone) == nil) == cancels)
    }
  }

  @Test("A second central connects once the phone advertises again, and both stay connected")
  func twoCentrals() throws {
    var stage = Stage()
    stage.advertise()
    let first = try stage.connect()
    stage.send(.linkLayer(Stage.second, .connect(Self.address)))
    stage.wait(.seconds(5))
    #expect(stage.take() == [])
    stage.advertise(2)
    stage.wait(.milliseconds(10))
    #expect(stage.air.connections.count == 2)
    stage.send(.host(Stage.central, .disconnect(first)))
    #expect(stage.air.connections.count == 1)
  }

  @Test("Power off at either end ends the connection", arguments: [Stage.phone, Stage.central])
  func power(adapter: AdapterID) throws {
    var stage = Stage()
    stage.advertise()
    let connection = try stage.connect()
    stage.send(.linkLayer(adapter, .power(false)))
    #expect(
      stage.take() == Stage.ends(of: connection, adapter == Stage.central ? .byPhone : .byPeripheral)
        + [.linkLayer(adapter, .poweredOff)])
  }

  @Test("Removing an adapter ends its connections and advertisements")
  func removed() throws {
    var stage = Stage()
    stage.advertise()
    let connection = try stage.connect()
    stage.send(.removed(Stage.phone))
    #expect(
      stage.take() == Stage.ends(of: connection, .byPeripheral) + [.linkLayer(Stage.phone, .poweredOff)])
  }

  @Test("Fifty phones and twenty centrals, all subscribed, give the same trace of an hour twice")
  func crowd() {
    let traces = (0..<2).map { _ in Self.hour() }
    #expect(traces[0] == traces[1])
    // Every phone that has a central notifies once a minute.
    #expect(traces[0].values.count == 20 * 60)
  }

  private static func hour() -> [AirAction] {
    var stage = Stage(conditions: AirConditions(loss: 0.1, fading: 3, interval: .zero), adapters: 70)
    let service = PublishedService(
      uuid: BluetoothUUID(0x180D as UInt16), handle: .exactly(0x100),
      characteristics: [
        PublishedCharacteristic(index: 0, uuid: BluetoothUUID(0x2A37 as UInt16), flags: .notify)
      ])
    for number in 0..<50 {
      stage.send(.host(AdapterID(number), .publish(ApplicationID(number), [service])))
      stage.advertise(number, on: AdapterID(number))
      // Phones that begin in the same instant disturb each other.
      stage.wait(.milliseconds(25))
    }
    for number in 50..<70 { stage.send(.linkLayer(AdapterID(number), .connect(Stage.address(AdapterID(number - 50))))) }
    stage.wait(.seconds(10))
    for connection in stage.air.connections.keys.sorted() {
      _ = stage.begin(.write(0x103, [1, 0]), over: connection)
    }
    for minute: UInt8 in 0..<60 {
      stage.wait(.seconds(60))
      for number in 0..<50 {
        stage.send(
          .host(AdapterID(number), .updateValue(ApplicationObject(ApplicationID(number), 0), [minute], to: nil)))
      }
    }
    stage.wait(.seconds(10))
    return stage.take()
  }
}
