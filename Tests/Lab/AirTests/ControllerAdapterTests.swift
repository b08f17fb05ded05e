import BleperaAir
import BleperaBluetooth
import BleperaHCIProtocol
import BleperaHost
import BleperaHostRadio
import BleperaLoop
import BleperaRadio
import BleperaRules
import ControllerTesting
import Foundation
import Synchronization
import Testing

@testable import BleperaController

@Suite("A phone over a controller", .timeLimit(.minutes(5)))
struct ControllerAdapterTests {
  /// A phone with a bonded central that is subscribed.
  private static func stage(_ layer: LinkLayerKind = .controller) -> (PhoneStage, ControllerLine) {
    let stage = PhoneStage(on: layer)
    stage.begin(.notify)
    stage.pair(1)
    stage.wait(.milliseconds(5))
    stage.subscribe(1)
    _ = stage.takeEvents()
    guard let line = stage.controller?.line else { preconditionFailure("the phone stands on a controller") }
    return (stage, line)
  }

  // MARK: Losses

  @Test(
    "A controller that vanishes ends links, and the phone is there again when the controller is",
    arguments: LinkLayerKind.controllers)
  func loss(layer: LinkLayerKind) {
    let (stage, line) = Self.stage(layer)
    stage.loop.perform { line.assumeIsolated { $0.unplug() } }
    stage.wait(.milliseconds(1))
    #expect(
      stage.takeEvents() == [
        "1 unsubscribed from 0x0102", "1 disconnected, 185", "advertising lost",
        "no adapter: the controller has closed the connection",
      ])
    #expect(stage.loop.perform { stage.radio.adapter.state == nil })
    #expect(!stage.phone { $0.switchPower(on: false) { _ in } })
    stage.wait(.seconds(60))
    stage.phone { $0.publish([PhoneStage.service(at: 0x200)]) }
    stage.loop.perform { line.assumeIsolated { $0.plug() } }
    #expect(stage.takeEvents() == [])
    stage.wait(.seconds(1))
    #expect(stage.takeEvents().suffix(3) == ["on hci0", "published 0x0200", "advertising"])
    stage.connect(1)
    #expect(stage.takeEvents() == ["1 connected, 23", "1 subscribed to 0x0102"])
  }

  @Test("A controller that does not answer Reset is opened again until it answers")
  func silent() {
    let (stage, line) = Self.stage()
    stage.loop.perform {
      line.assumeIsolated { line in
        line.pass { _ in false }
        line.unplug()
        line.plug()
      }
    }
    stage.wait(.seconds(20))
    #expect(stage.loop.perform { stage.radio.adapter.state == nil })
    // Reset has two seconds for its answer.
    #expect((8...13).contains(stage.loop.perform { line.assumeIsolated { $0.openings } }))
    stage.loop.perform { line.assumeIsolated { $0.pass { _ in true } } }
    stage.wait(.seconds(4))
    #expect(stage.takeEvents().suffix(2) == ["on hci0", "advertising"])
  }

  @Test("The start fails with the reason of the controller, and the adapter does not try again")
  func failedStart() throws {
    let loop = VirtualLoop()
    let openings = Mutex(0)
    let adapter = ControllerAdapter(loop: loop, name: "hci0", phone: PhoneHost(.newest, name: "phone")) { completion in
      openings.withLock { $0 += 1 }
      completion(.failure(.test))
    }
    let result = loop.run(until: .seconds(60)) { try await adapter.start() }
    #expect(throws: RadioFailure("\(ControllerFailure.test)")) { try #require(result).get() }
    loop.advance(by: .seconds(60))
    #expect(openings.withLock { $0 } == 1)
  }

  @Test("A closed adapter leaves nothing on the air, and disconnects before", arguments: LinkLayerKind.controllers)
  func close(layer: LinkLayerKind) throws {
    let (stage, line) = Self.stage(layer)
    let log = Log()
    stage.loop.perform {
      line.assumeIsolated {
        $0.pass {
          log.add("\($0.kind) \($0.bytes.prefix(3))")
          return true
        }
      }
    }
    let start = stage.loop.now
    let adapter = try #require(stage.controller?.adapter)
    let result = stage.loop.run(until: .seconds(600)) { await adapter.close() }
    #expect(throws: Never.self) { try #require(result).get() }
    #expect(stage.loop.now - start <= .seconds(1))
    #expect(log.take().last == "command [3, 12, 0]")
    stage.wait(.seconds(5))
    let air = stage.loop.perform { stage.air.assumeIsolated { $0.air } }
    #expect(air.advertised(by: AdapterID(0)).isEmpty && air.connections.keys.isEmpty)
    #expect(stage.loop.perform { stage.radio.adapter.state == nil })
  }

  // MARK: Security

  private final class Packets: Sendable {
    let list = Mutex<[[UInt8]]>([])
  }

  /// What a phone draws where it pairs with an app's central: the same air, seed and central each time.
  private static func drawn() throws -> [[UInt8]] {
    let loop = VirtualLoop()
    let packets = Packets()
    let air = SharedAir(loop: loop, conditions: AirConditions(interval: .zero), seed: 1)
    let (phone, central) = loop.perform {
      air.assumeIsolated { host in
        let phone = ControllerStage(loop: loop, air: air, phone: PhoneHost(.newest, name: "phone"), seed: 1) {
          packet, isReceived in
          if !isReceived { packets.list.withLock { $0.append(packet) } }
        }
        let central = VirtualCentral(air: air, adapter: host.addAdapter(named: "central")) { _ in }
        central.assumeIsolated { $0.start() }
        return (phone, central)
      }
    }
    let radio = HostRadio(adapter: phone.adapter) { _ in }
    loop.perform {
      radio.assumeIsolated {
        $0.start()
        $0.advertise(PhoneStage.advertisement("phone"))
      }
    }
    loop.advance(by: .seconds(1))
    let address = try #require(loop.perform { phone.adapter.state?.address })
    loop.perform { central.assumeIsolated { $0.connect(to: address) } }
    loop.advance(by: .seconds(1))
    let result = loop.run(until: .seconds(60)) { try await central.pair(with: address) }
    #expect(throws: Never.self) { try #require(result).get() }
    let sent = packets.list.withLock { $0 }.filter { $0.first == 2 && $0.count > 10 && $0[7] == 6 && $0[8] == 0 }
    func pdu(_ code: UInt8) -> [UInt8] { sent.first { $0[9] == code }.map { Array($0[10...]) } ?? [] }
    let key = loop.perform { phone.adapter.state?.privacy?.key.bytes } ?? []
    let identity = loop.perform { phone.adapter.state?.identity }.map { Array("\($0)".utf8) } ?? []
    withExtendedLifetime(radio) {}
    // Pairing Public Key, Pairing Random and Pairing Confirm of the phone.
    return [Array("\(address)".utf8), identity, key, pdu(0x0C), pdu(0x04), pdu(0x03)]
  }

  @Test("Two runs on equal airs have other public keys, nonces, addresses and identities")
  func chance() throws {
    let (first, second) = (try Self.drawn(), try Self.drawn())
    for (one, other) in zip(first, second) { #expect(one != other && one.count >= 6) }
  }

  @Test("No source of the layers over a controller names a generator with a seed")
  func sources() throws {
    let folder = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../Sources/Core/BleperaController")
    let files = try #require(FileManager.default.enumerator(at: folder.standardized, includingPropertiesForKeys: nil))
    let sources = files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
    #expect(sources.count > 10)
    for source in sources {
      let text = try String(contentsOf: source, encoding: .utf8)
      for word in ["seed", "SplitMix64", "Layer(random"] { #expect(!text.contains(word), "\(source.path): \(word)") }
    }
  }

  // MARK: Time

  private static func counts(of adapter: isolated ControllerAdapter) -> [Int] {
    [
      adapter.timers.count, adapter.asked.count, adapter.onAir.count, adapter.outputs.count, adapter.reports.count,
      adapter.connecting.count, adapter.refusals.count, adapter.host.links.keys.count, adapter.host.bonds.count,
      adapter.layer.links.count, adapter.layer.advertising.slots.count, adapter.layer.commands.waiting.count,
    ]
  }

  @Test("A day over a controller leaves nothing behind", arguments: LinkLayerKind.controllers)
  func day(layer: LinkLayerKind) throws {
    let (stage, line) = Self.stage(layer)
    let adapter = try #require(stage.controller?.adapter)
    func round() {
      stage.disconnect(1)
      stage.wait(.seconds(1700))
      stage.connect(1)
      stage.phone { _ = $0.update(PhoneStage.value, [1], to: [PhoneStage.first]) }
      stage.wait(.seconds(98))
    }
    round()
    let first = stage.loop.perform { adapter.assumeIsolated { Self.counts(of: $0) } }
    let address = stage.address
    for _ in 0..<48 { round() }
    #expect(stage.loop.perform { adapter.assumeIsolated { Self.counts(of: $0) } } == first)
    #expect(stage.address != address)
    #expect(stage.takeEvents().suffix(2) == ["1 connected, 23", "1 subscribed to 0x0102"])
    #expect(stage.loop.perform { line.assumeIsolated { $0.openings } } == 1)
  }
}
