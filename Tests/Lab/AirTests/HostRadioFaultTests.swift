import BleperaAir
import BleperaBluetooth
import BleperaHost
import BleperaHostRadio
import BleperaLoop
import BleperaRadio
import ControllerTesting
import Synchronization
import Testing

@Suite("What can come between a phone and the air")
struct HostRadioFaultTests {
  private func stage(_ layer: LinkLayerKind = .air) -> PhoneStage {
    let stage = PhoneStage(on: layer)
    stage.begin(.notify)
    stage.pair(1)
    stage.wait(.milliseconds(5))
    stage.subscribe(1)
    _ = stage.takeEvents()
    return stage
  }

  private static let lost = ["advertising lost", "1 unsubscribed from 0x0102", "1 disconnected, 185"]
  private static let back = ["on hci0", "published 0x0100", "advertising"]

  static let interruptions: [(HostRadio.Interruption, String)] = [
    (.noDaemon, "no daemon"), (.noAdapter, "no adapter"),
  ]

  @Test(
    "An interruption removes everything from the air and restores it afterwards; bonds are kept",
    arguments: interruptions)
  func interruption(kind: HostRadio.Interruption, state: String) {
    let stage = stage()
    stage.phone { $0.interrupt(kind) }
    #expect(stage.takeEvents() == Self.lost + [state])
    #expect(stage.loop.perform { stage.air.assumeIsolated { $0.advertised(by: AdapterID(0)) } } == [])
    #expect(!stage.phone { $0.switchPower(on: false) { _ in } })
    stage.wait(.seconds(1))
    stage.phone { _ = $0.resume(kind) }
    stage.wait(.milliseconds(5))
    #expect(stage.takeEvents() == Self.back)
    stage.connect(1)
    // The central's subscriptions were removed with the service.
    #expect(stage.takeEvents() == ["1 connected, 185"])
    #expect(stage.phone { $0.connectedCentrals.map(\.isBonded) } == [true])
  }

  @Test(
    "Switching the power fails where the radio ends first, and is refused afterwards", arguments: LinkLayerKind.allCases
  )
  func powerAtTheEnd(layer: LinkLayerKind) {
    let stage = stage(layer)
    let results = Mutex<[String]>([])
    stage.phone { radio in
      for isOn in [false, true] {
        let isAsked = radio.switchPower(on: isOn) { failure in
          results.withLock { $0.append(failure?.description ?? "done") }
        }
        #expect(isAsked)
      }
      radio.vanish()
    }
    #expect(results.withLock { $0 } == ["the radio has ended", "the radio has ended"])
    stage.wait(.seconds(1))
    #expect(results.withLock { $0.count } == 2)
    #expect(!stage.phone { $0.switchPower(on: false) { _ in } })
  }

  @Test("An adapter that is plugged in without a daemon waits for it")
  func both() {
    let stage = stage()
    stage.phone { $0.interrupt(.noAdapter) }
    stage.phone { $0.interrupt(.noDaemon) }
    stage.phone { _ = $0.resume(.noAdapter) }
    stage.wait(.seconds(1))
    #expect(stage.takeEvents() == Self.lost + ["no adapter", "no daemon"])
    stage.phone { _ = $0.resume(.noDaemon) }
    stage.wait(.milliseconds(5))
    #expect(stage.takeEvents() == Self.back)
  }

  @Test("A controller that vanishes ends no service, bond or subscription of a bonded central")
  func vanishedController() {
    let stage = stage()
    stage.disconnect(1)
    stage.phone { $0.receive(.removed("The controller is gone.")) }
    #expect(
      stage.takeEvents() == [
        "1 unsubscribed from 0x0102", "1 disconnected, 185", "advertising lost", "no adapter: The controller is gone.",
      ])
    stage.phone { $0.receive(.removed("The controller is gone.")) }
    #expect(!stage.phone { $0.switchPower(on: false) { _ in } })
    stage.phone { $0.publish([PhoneStage.service(at: 0x200)]) }
    stage.wait(.seconds(1))
    #expect(stage.takeEvents() == [])
    stage.phone { $0.receive(.added) }
    stage.wait(.milliseconds(5))
    #expect(stage.takeEvents() == ["on hci0", "published 0x0200", "advertising"])
    stage.connect(1)
    #expect(stage.takeEvents() == ["1 connected, 185", "1 subscribed to 0x0102"])
  }

  @Test("Links that are open when a controller vanishes end, and a daemon is waited for after the controller is there")
  func vanishedLinks() {
    let stage = stage()
    stage.phone { $0.receive(.removed("The controller is gone.")) }
    #expect(stage.takeEvents() == Self.lost + ["no adapter: The controller is gone."])
    stage.phone { $0.interrupt(.noDaemon) }
    stage.phone { $0.receive(.added) }
    stage.wait(.seconds(1))
    #expect(stage.takeEvents() == ["no daemon"])
    stage.phone { _ = $0.resume(.noDaemon) }
    stage.wait(.milliseconds(5))
    #expect(stage.takeEvents() == Self.back)
  }

  @Test("A radio without an adapter waits for the adapter")
  func absentAdapter() {
    let (loop, events) = (VirtualLoop(), Log())
    let air = SharedAir(loop: loop)
    let radio = loop.perform {
      air.assumeIsolated { host in
        let adapter = air.hosted(host.addAdapter(named: "phone"))
        adapter.setPresent(false)
        let radio = HostRadio(adapter: adapter) { events.add(PhoneStage.text($0)) }
        radio.assumeIsolated { $0.start() }
        adapter.setPresent(true)
        radio.receive(.added)
        return radio
      }
    }
    loop.advance(by: .milliseconds(5))
    withExtendedLifetime(radio) { #expect(events.take() == ["no adapter", "on hci0"]) }
  }

  @Test("What is asked during an interruption is done after it", arguments: LinkLayerKind.allCases)
  func during(layer: LinkLayerKind) {
    let stage = stage(layer)
    stage.phone { $0.interrupt(.noDaemon) }
    stage.phone {
      $0.remove(service: 0x100)
      $0.publish([PhoneStage.service(at: 0x200)])
      $0.advertise(PhoneStage.advertisement("other"))
    }
    stage.wait(.seconds(1))
    #expect(stage.takeEvents() == Self.lost + ["no daemon"])
    stage.phone { _ = $0.resume(.noDaemon) }
    stage.wait(.milliseconds(5))
    #expect(stage.takeEvents() == ["on hci0", "published 0x0200", "advertising"])
  }

  @Test("The end is for good", arguments: LinkLayerKind.allCases)
  func end(layer: LinkLayerKind) {
    let stage = stage(layer)
    stage.phone { $0.end("the message bus has ended") }
    #expect(stage.takeEvents() == Self.lost + ["no daemon", "ended: the message bus has ended"])
    #expect(stage.phone { !$0.resume(.noDaemon) })
    stage.wait(.seconds(1))
    #expect(stage.takeEvents() == [])
  }

  @Test(
    "Power off loses the advertisement and the centrals; power on brings it and a bonded one's subscription back",
    arguments: LinkLayerKind.allCases)
  func power(layer: LinkLayerKind) {
    let stage = stage(layer)
    let isSwitchedOff = stage.phone { $0.switchPower(on: false) { failure in #expect(failure == nil) } }
    #expect(isSwitchedOff)
    stage.wait(.milliseconds(1))
    #expect(
      stage.takeEvents() == ["1 unsubscribed from 0x0102", "1 disconnected, 185", "off hci0", "advertising lost"])
    let isSwitchedOn = stage.phone { $0.switchPower(on: true) { failure in #expect(failure == nil) } }
    #expect(isSwitchedOn)
    stage.wait(.milliseconds(2))
    #expect(stage.takeEvents() == ["on hci0", "advertising"])
    stage.connect(1)
    #expect(stage.takeEvents() == ["1 connected, \(stage.firstMTU)", "1 subscribed to 0x0102"])
  }

  @Test("A radio that vanishes leaves nothing on the air, and reports nothing", arguments: LinkLayerKind.allCases)
  func vanish(layer: LinkLayerKind) {
    let stage = stage(layer)
    stage.phone { $0.vanish() }
    stage.wait(.seconds(1))
    #expect(stage.takeEvents() == [])
    #expect(stage.loop.perform { stage.air.assumeIsolated { $0.advertised(by: AdapterID(0)).isEmpty } })
    #expect(stage.serviceCount == 2)
  }

  @Test("Shutting down waits until all is off the air, and leaves the adapter on", arguments: LinkLayerKind.allCases)
  func shutDown(layer: LinkLayerKind) throws {
    let stage = stage(layer)
    stage.phone { _ = $0.switchPower(on: false) { _ in } }
    stage.wait(.milliseconds(5))
    _ = stage.takeEvents()
    let result = stage.loop.run(until: .seconds(60)) { await stage.radio.shutDown() }
    #expect(throws: Never.self) { try result?.get() }
    #expect(result != nil)
    #expect(stage.takeEvents() == ["advertising stopped"])
    #expect(stage.loop.perform { stage.radio.adapter.state?.isPowered } == true)
    #expect(stage.serviceCount == 2)
  }
}
