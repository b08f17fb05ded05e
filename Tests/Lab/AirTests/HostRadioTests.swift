import BleperaAir
import BleperaBluetooth
import BleperaHost
import BleperaHostRadio
import BleperaLoop
import BleperaRadio
import ControllerTesting
import Testing

@Suite("A phone's radio on the virtual air")
struct HostRadioTests {
  @Test(
    "What is asked happens a millisecond later, and services are found at their handles",
    arguments: LinkLayerKind.allCases)
  func publishing(layer: LinkLayerKind) throws {
    let stage = PhoneStage(on: layer)
    #expect(stage.takeEvents() == ["on hci0"])
    stage.phone { $0.publish([PhoneStage.service()]) }
    #expect(stage.takeEvents() == [])
    stage.wait(.milliseconds(1))
    #expect(stage.takeEvents() == ["published 0x0100"])
    stage.phone { $0.advertise(PhoneStage.advertisement("phone")) }
    stage.connect(1)
    let (central, address) = (stage.centrals[0], stage.address)
    let services = stage.loop.perform { central.assumeIsolated { $0.services(of: address) } }
    #expect(services.last?.range == 0x0100...0x0103)
    #expect(services.last?.characteristics.first?.properties == 0x12)
  }

  @Test(
    "Advertising is byte for byte what was asked, at its interval, and one takes the place of another at once",
    arguments: LinkLayerKind.allCases)
  func advertising(layer: LinkLayerKind) {
    let stage = PhoneStage(on: layer)
    let (first, second) = (PhoneStage.advertisement("one"), PhoneStage.advertisement("two"))
    stage.phone { $0.advertise(first) }
    #expect(stage.phone { $0.packets.map(\.isOnAir) } == [false])
    stage.wait(.milliseconds(1))
    #expect(stage.takeEvents() == ["on hci0", "advertising"])
    #expect(stage.phone { $0.packets.map(\.isOnAir) } == [true])
    // A controller is given the private address.
    func onAir() -> [AdvertisingPackets] {
      let packets = stage.loop.perform { stage.air.assumeIsolated { $0.advertised(by: AdapterID(0)) } }
      return packets.map { packets in
        var packets = packets
        packets.address = .ofAdapter
        return packets
      }
    }
    #expect(
      onAir() == [
        AdvertisingPackets(
          data: [2, 1, 0x1A, 4, 9] + Array("one".utf8), scanResponse: [2, 0x0A, 12], interval: .microseconds(152_500))
      ])
    stage.phone { $0.advertise(second) }
    #expect(onAir().map(\.data) == [first.advertisingData.bytes])
    stage.wait(.milliseconds(1))
    #expect(onAir().map(\.data) == [second.advertisingData.bytes])
    stage.phone {
      $0.advertise(first)
      $0.advertise(nil)
    }
    stage.wait(.milliseconds(1))
    #expect(onAir().isEmpty)
    #expect(stage.takeEvents() == ["advertising", "advertising stopped"])
  }

  @Test("It advertises on while a central is connected, and takes a second one", arguments: LinkLayerKind.allCases)
  func secondCentral(layer: LinkLayerKind) {
    let stage = PhoneStage(on: layer)
    stage.begin(.read, connecting: 2)
    #expect(
      stage.phone { $0.connectedCentrals } == [
        RadioCentral(id: PhoneStage.first, mtu: 185), RadioCentral(id: PhoneStage.second, mtu: 185),
      ])
    #expect(stage.phone { $0.packets.map(\.isOnAir) } == [true])
    stage.phone { $0.disconnect(PhoneStage.first) }
    stage.wait(.milliseconds(5))
    #expect(stage.takeEvents() == ["1 disconnected, 185"])
  }

  @Test(
    "A request has its handle, offset, central and MTU, and any error reaches the central",
    arguments: LinkLayerKind.allCases, [nil, 0x0C] as [UInt8?])
  func requests(layer: LinkLayerKind, error: UInt8?) {
    let stage = PhoneStage(mtu: 23, on: layer)
    stage.begin([.read, .write, .writeWithoutResponse])
    stage.perform(1, .read(PhoneStage.value, offset: 7))
    #expect(stage.takeEvents() == ["#1 1 reads 0x0102 from 7"])
    let error = error.map { ATTError(rawValue: $0) }
    let result = error.map { Result<[UInt8], ATTError>.failure($0) } ?? .success([4, 5])
    #expect(stage.phone { $0.respond(to: RadioRequestID(rawValue: 1), result) } == error)
    stage.wait(.milliseconds(1))
    #expect(
      stage.takeResults() == [error == nil ? "1 has [4, 5]" : "1 fails with 0x0C insufficientEncryptionKeySize"])
    stage.perform(1, .write(PhoneStage.value, [9]))
    stage.phone { $0.respond(to: RadioRequestID(rawValue: 2), result) }
    stage.wait(.milliseconds(1))
    #expect(stage.takeResults() == [error == nil ? "1 has []" : "1 fails with 0x0C insufficientEncryptionKeySize"])
    stage.perform(1, .command(PhoneStage.value, [8]))
    #expect(
      stage.takeEvents() == ["#2 1 writes 0x0102 [9]", "#3 1 writes 0x0102 [8] without response"])
  }

  @Test("The pieces of a prepared write are one request with one response", arguments: LinkLayerKind.allCases)
  func preparedWrite(layer: LinkLayerKind) {
    let stage = PhoneStage(mtu: 23, on: layer)
    stage.begin([.read, .write])
    stage.perform(1, .write(PhoneStage.value, [UInt8](repeating: 1, count: 21)))
    let (first, rest) = ([UInt8](repeating: 1, count: 18), [UInt8](repeating: 1, count: 3))
    #expect(stage.takeEvents() == ["#1 1 writes 0x0102 \(first), 0x0102 \(rest) from 18"])
    stage.phone { $0.respond(to: RadioRequestID(rawValue: 1), .failure(.invalidOffset)) }
    stage.wait(.milliseconds(1))
    #expect(stage.takeResults() == ["1 fails with 0x07 invalidOffset"])
  }

  @Test(
    "Each central's subscription and its end are reported, and an update reaches those named alone",
    arguments: LinkLayerKind.allCases)
  func subscriptions(layer: LinkLayerKind) {
    let stage = PhoneStage(on: layer)
    stage.begin([.notify, .indicate], connecting: 2)
    stage.subscribe(1)
    stage.subscribe(2, 2)
    #expect(stage.takeEvents() == ["1 subscribed to 0x0102", "2 subscribed to 0x0102"])
    #expect(stage.phone { $0.subscribers(of: PhoneStage.value).map(\.id) } == [PhoneStage.first, PhoneStage.second])
    #expect(stage.phone { $0.update(PhoneStage.value, [1], to: [PhoneStage.second]) } == nil)
    stage.wait(.milliseconds(2))
    #expect(stage.takeResults() == ["2 receives [1]"])
    #expect(stage.takeEvents() == ["confirmed 0x0102"])
    stage.subscribe(1, 0)
    #expect(stage.takeEvents() == ["1 unsubscribed from 0x0102"])
    stage.disconnect(2)
    #expect(stage.takeEvents() == ["2 unsubscribed from 0x0102", "2 disconnected, 185"])
  }

  /// A central has paired and subscribed, and is away.
  private func afterBondedSubscription(_ layer: LinkLayerKind) -> PhoneStage {
    let stage = PhoneStage(on: layer)
    stage.begin(.notify)
    stage.pair(1)
    stage.wait(.milliseconds(5))
    stage.subscribe(1)
    stage.disconnect(1)
    return stage
  }

  @Test("A bonded central's subscriptions are restored when it connects again", arguments: LinkLayerKind.allCases)
  func bonded(layer: LinkLayerKind) {
    let stage = afterBondedSubscription(layer)
    #expect(
      stage.takeEvents() == [
        "1 bonded, true", "1 subscribed to 0x0102", "1 unsubscribed from 0x0102", "1 disconnected, 185",
      ])
    #expect(stage.phone { $0.subscribers(of: PhoneStage.value) } == [])
    #expect(stage.phone { $0.retainedSubscribers(of: PhoneStage.value).map(\.id) } == [PhoneStage.first])
    stage.connect(1)
    #expect(stage.takeEvents() == ["1 connected, \(stage.firstMTU)", "1 subscribed to 0x0102"])
    stage.phone { _ = $0.update(PhoneStage.value, [3], to: [PhoneStage.first]) }
    stage.wait(.milliseconds(2))
    #expect(stage.takeResults().last == "1 receives [3]")
  }

  @Test("They wait for encryption, since the central may have deleted the keys", arguments: LinkLayerKind.allCases)
  func deletedKeys(layer: LinkLayerKind) {
    let stage = afterBondedSubscription(layer)
    stage.run(.host(stage.centrals[0].adapter, .unpair(PhoneStage.phone)))
    stage.connect(1)
    _ = stage.takeEvents()
    stage.wait(.seconds(1))
    #expect(stage.takeEvents() == [])
    #expect(stage.phone { $0.subscribers(of: PhoneStage.value) } == [])
    stage.pair(1)
    stage.wait(.milliseconds(5))
    #expect(stage.takeEvents() == ["1 bonded, true", "1 subscribed to 0x0102"])
    stage.phone { _ = $0.update(PhoneStage.value, [3], to: [PhoneStage.first]) }
    stage.wait(.milliseconds(2))
    #expect(stage.takeResults().last == "1 receives [3]")
  }

  @Test("What a central subscribes to before that is not lost", arguments: LinkLayerKind.allCases, [1, 2] as [UInt8])
  func subscribingUnencrypted(layer: LinkLayerKind, value: UInt8) {
    let stage = PhoneStage(on: layer)
    stage.begin([.notify, .indicate])
    stage.pair(1)
    stage.wait(.milliseconds(5))
    stage.subscribe(1)
    stage.disconnect(1)
    stage.run(.host(stage.centrals[0].adapter, .unpair(PhoneStage.phone)))
    stage.connect(1)
    _ = stage.takeEvents()
    stage.subscribe(1, value)
    #expect(stage.takeEvents() == ["1 subscribed to 0x0102"])
    #expect(stage.phone { $0.subscribers(of: PhoneStage.value).map(\.id) } == [PhoneStage.first])
  }

  @Test(
    "With its identity a phone keeps bonds, and what bonded centrals are subscribed to, connected or not",
    arguments: LinkLayerKind.allCases)
  func identity(layer: LinkLayerKind) throws {
    let new = PhoneIdentity(address: "\(PhoneStage.phone)", key: PhoneIdentity(seed: 1).key)
    let first = PhoneStage(identity: new, on: layer)
    first.begin([.notify, .indicate], connecting: 2)
    first.subscribe(1, 2)
    first.subscribe(2)
    #expect(first.phone { $0.identity } == new)
    first.pair(1)
    first.wait(.milliseconds(5))
    let kept = try #require(first.phone { $0.identity })
    #expect(kept.address == new.address && kept.key == new.key)
    #expect(kept.bonds.map(\.central) == [PhoneStage.first])
    #expect(kept.bonds[0].subscriptions == [.init(characteristic: PhoneStage.value, configuration: 2)])
    let keys = kept.bonds[0].keys
    #expect(keys.isSecureConnections && keys.asPeripheral != nil)
    first.disconnect(1)
    #expect(first.phone { $0.identity } == kept)

    let second = PhoneStage(identity: kept, on: layer)
    second.begin([.notify, .indicate], connecting: 2)
    #expect(second.phone { $0.identity } == kept)
    #expect(second.phone { $0.subscribers(of: PhoneStage.value) } == [])
    #expect(second.phone { $0.retainedSubscribers(of: PhoneStage.value).map(\.id) } == [PhoneStage.first])
    second.pair(1)
    second.pair(2)
    second.wait(.milliseconds(5))
    #expect(second.takeEvents() == ["1 bonded, true", "1 subscribed to 0x0102", "2 bonded, true"])
    #expect(second.phone { $0.identity }?.bonds.map(\.subscriptions.count) == [1, 0])
    _ = second.takeResults()
    second.phone { _ = $0.update(PhoneStage.value, [3], to: [PhoneStage.first]) }
    second.wait(.milliseconds(2))
    // An indication, as the central has asked for.
    #expect(second.takeResults() == ["1 receives [3]"])
    #expect(second.takeEvents() == ["confirmed 0x0102"])
    second.phone { $0.remove(service: 0x100) }
    #expect(second.phone { $0.identity }?.bonds.map(\.subscriptions.count) == [0, 0])
  }

  @Test("An update is uncarried until the central has received it, or has left", arguments: LinkLayerKind.allCases)
  func uncarried(layer: LinkLayerKind) {
    let stage = PhoneStage(conditions: AirConditions(latency: .milliseconds(10), interval: .zero), on: layer)
    stage.begin(.notify)
    stage.subscribe(1)
    stage.wait(.milliseconds(100))
    _ = (stage.takeEvents(), stage.takeResults())
    var uncarried: Int { stage.phone { $0.uncarriedUpdates(to: PhoneStage.first) } }
    for number in UInt8(0)..<3 { stage.phone { _ = $0.update(PhoneStage.value, [number], to: [PhoneStage.first]) } }
    #expect(uncarried == 3)
    // The radio's latency over a controller is zero.
    stage.wait(.milliseconds(layer == .air ? 10 : 9))
    #expect(uncarried == 3)
    stage.wait(.milliseconds(1))
    #expect(uncarried == 0)
    #expect(stage.takeResults() == (0..<3).map { "1 receives [\($0)]" })
    stage.phone { _ = $0.update(PhoneStage.value, [3], to: [PhoneStage.first]) }
    stage.wait(.milliseconds(2))
    #expect(uncarried == 1)
    stage.phone { $0.disconnect(PhoneStage.first) }
    stage.wait(.milliseconds(11))
    #expect(uncarried == 0)
  }

  static let pairings: [(PairingMode, [String])] = [
    (.justWorks, ["1 bonded, true"]), (.refuse, ["1 refused: the phone refuses every pairing"]),
    (.passkey, ["passkey for 1", "1 bonded, true"]),
  ]

  @Test("Pairing goes as the mode says", arguments: LinkLayerKind.allCases, pairings)
  func pairing(layer: LinkLayerKind, of expected: (mode: PairingMode, events: [String])) {
    let stage = PhoneStage(pairing: expected.mode, on: layer)
    stage.begin(.read)
    stage.pair(1)
    stage.wait(.milliseconds(5))
    #expect(stage.takeEvents() == expected.events)
  }

  @Test("What needs encryption pairs first", arguments: LinkLayerKind.allCases)
  func encryption(layer: LinkLayerKind) {
    let stage = PhoneStage(on: layer)
    stage.phone { $0.publish([PhoneStage.service(.read, permissions: .readEncryptionRequired)]) }
    stage.phone { $0.advertise(PhoneStage.advertisement("phone")) }
    stage.connect(1)
    _ = stage.takeEvents()
    stage.perform(1, .read(PhoneStage.value))
    stage.wait(.milliseconds(5))
    #expect(stage.takeEvents() == ["1 bonded, true", "#1 1 reads 0x0102 from 0"])
  }

  @Test(
    "A removed service has no subscribers when the call returns, and leaves the air a millisecond later",
    arguments: LinkLayerKind.allCases)
  func removal(layer: LinkLayerKind) {
    let stage = PhoneStage(on: layer)
    stage.begin(.notify)
    stage.subscribe(1)
    _ = stage.takeEvents()
    let subscribers = stage.phone { radio in
      radio.remove(service: 0x100)
      return radio.subscribers(of: PhoneStage.value)
    }
    #expect(subscribers == [])
    #expect(stage.takeEvents() == ["1 unsubscribed from 0x0102"])
    stage.phone { $0.publish([PhoneStage.service(.notify)]) }
    stage.wait(.milliseconds(1))
    #expect(stage.takeEvents() == ["published 0x0100"])
  }

  @Test(
    "A service is published after those it includes, whatever the order, in the same call or later",
    arguments: LinkLayerKind.allCases)
  func includes(layer: LinkLayerKind) {
    let stage = PhoneStage(on: layer)
    let inner = PhoneStage.service()
    let outer = PhoneStage.service(uuid: 0x180F, including: [0x180D], at: 0x120)
    let other = PhoneStage.service(uuid: 0x1822, including: [0x180F], at: 0x140)
    stage.phone { $0.publish([outer, inner]) }
    stage.phone { $0.publish([other]) }
    stage.wait(.milliseconds(1))
    #expect(stage.takeEvents() == ["on hci0", "published 0x0100", "published 0x0120", "published 0x0140"])
    stage.phone { $0.publish([PhoneStage.service(uuid: 0x1823, including: [0x1824], at: 0x160)]) }
    stage.wait(.milliseconds(1))
    #expect(stage.takeEvents() == ["0x0160 failed 1: the included service 1824 is not published"])
  }

  @Test("Handles that are taken are refused, and given when they are free", arguments: LinkLayerKind.allCases)
  func taken(layer: LinkLayerKind) {
    let stage = PhoneStage(on: layer)
    stage.phone { $0.publish([PhoneStage.service(), PhoneStage.service(uuid: 0x180F, at: 0x102)]) }
    stage.wait(.milliseconds(1))
    stage.phone { $0.remove(service: 0x100) }
    stage.wait(.milliseconds(1))
    #expect(
      stage.takeEvents() == [
        "on hci0", "published 0x0100",
        "0x0102 failed 1: the handles are taken, or an included service is not there", "published 0x0102",
      ])
  }
}
