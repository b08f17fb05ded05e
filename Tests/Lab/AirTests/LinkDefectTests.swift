import BleperaBluetooth
import Testing

@testable import BleperaAir
@testable import BleperaHost

@Suite("Defects of a phone's link layer")
struct LinkDefectTests {
  private static let host = AdapterID(9)

  /// The connection intervals of which the host at the door is given notice within that time.
  private static func intervals(_ stage: inout Stage, for duration: Duration) -> [Duration] {
    stage.wait(duration)
    return stage.take().compactMap { action in
      guard case .linkLayer(host, .link(_, .parametersChanged(let parameters))) = action else { return nil }
      return parameters.interval
    }
  }

  @Test("The central of a storm changes the interval to 7.5 and 15 ms in turns every 120 ms", arguments: [false, true])
  func storm(isConnectedFirst: Bool) throws {
    var (stage, _) = try Stage.connected(to: Self.host)
    let defects = AirEvent.linkLayer(Stage.phone, .defects([.parameterStorm]))
    if !isConnectedFirst {
      let link = try #require(stage.air.connections.keys.first)
      stage.send(.linkLayer(Self.host, .link(link, .disconnect(.userTerminated))))
      stage.wait(.seconds(1))
      stage.send(defects)
      stage.advertise(on: Self.host)
      _ = try stage.connect(Stage.phone, to: Self.host)
    } else {
      stage.send(defects)
      stage.send(defects)
    }
    _ = Self.intervals(&stage, for: .seconds(1))
    let storm = Self.intervals(&stage, for: .seconds(12))
    #expect((99...101).contains(storm.count))
    #expect(Set(storm) == [.microseconds(7500), .milliseconds(15)])
    #expect(zip(storm, storm.dropFirst()).allSatisfy { $0 != $1 })
    stage.send(.linkLayer(Stage.phone, .defects([])))
    _ = Self.intervals(&stage, for: .seconds(1))
    #expect(Self.intervals(&stage, for: .seconds(5)) == [])
  }

  @Test("A phone that is the peripheral makes no storm")
  func peripheral() throws {
    var stage = Stage()
    stage.advertise()
    _ = try stage.connect()
    stage.send(.linkLayer(Stage.phone, .defects([.parameterStorm])))
    let isStorm = stage.air.connections.keys.contains { stage.air.connections[$0]?.isInStorm == true }
    #expect(!isStorm)
  }
}
