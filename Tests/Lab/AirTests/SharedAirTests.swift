import BleperaBluetooth
import BleperaHostRadio
import BleperaLoop
import Synchronization
import Testing

@testable import BleperaAir
@testable import BleperaHost

@Suite("The air on a loop")
struct SharedAirTests {
  private final class Listener: AirParticipant {
    let log = Mutex<[String]>([])

    func receive(_ action: AirAction) {
      log.withLock { log in
        switch action {
        case .linkLayer(_, .connected): log.append("connected")
        case .host(_, .disconnected): log.append("disconnected")
        case .host(_, .servicesResolved): log.append("resolved")
        default: break
        }
      }
    }

    func turnEnded() { log.withLock { $0.append("turn") } }
  }

  private static func connect(_ air: isolated SharedAir, _ participants: [(any AirParticipant)?]) {
    let adapters = participants.map { participant in
      let id = air.addAdapter(named: "box")
      air.attach(participant, to: id)
      return id
    }
    let packets = AdvertisingPackets(data: [], interval: .milliseconds(100))
    air.run(.linkLayer(adapters[0], .advertise(air.newAdvertisement(), packets)))
    if let address = air.address(of: adapters[0]) { air.run(.linkLayer(adapters[1], .connect(address))) }
  }

  @Test("A connection is reported to the owner of each end, before the turn ends")
  func routing() {
    let loop = VirtualLoop()
    let air = SharedAir(loop: loop, conditions: AirConditions(interval: .zero))
    let (one, two) = (Listener(), Listener())
    loop.perform { air.assumeIsolated { Self.connect($0, [one, one]) } }
    loop.perform { air.assumeIsolated { Self.connect($0, [two, nil]) } }
    loop.advance(by: .milliseconds(200))
    #expect(one.log.withLock { $0 }.filter { $0 != "turn" } == ["connected", "connected", "resolved"])
    #expect(two.log.withLock { $0 }.filter { $0 != "turn" } == ["connected"])
    #expect(one.log.withLock { $0 }.last == "turn")
  }

  @Test("Adapters that are added later have addresses of their own")
  func addresses() {
    let loop = VirtualLoop()
    let air = SharedAir(loop: loop)
    let addresses = loop.perform {
      air.assumeIsolated { air in (0..<3).map { _ in air.address(of: air.addAdapter(named: "box"))?.description } }
    }
    #expect(addresses == ["00:AA:01:00:00:00", "00:AA:01:00:00:01", "00:AA:01:00:00:02"])
  }

  @Test("It is released with its radio and its central")
  func release() {
    weak var released: SharedAir?
    do {
      let loop = VirtualLoop()
      let air = SharedAir(loop: loop)
      let (radio, central) = loop.perform {
        air.assumeIsolated { host in
          let radio = HostRadio(adapter: air.hosted(host.addAdapter(named: "phone"))) { _ in }
          let central = VirtualCentral(air: air, adapter: host.addAdapter(named: "central")) { _ in }
          radio.assumeIsolated { $0.start() }
          central.assumeIsolated { $0.start() }
          return (radio, central)
        }
      }
      loop.advance(by: .seconds(1))
      released = air
      withExtendedLifetime((radio, central)) { #expect(released != nil) }
    }
    #expect(released == nil)
  }
}
