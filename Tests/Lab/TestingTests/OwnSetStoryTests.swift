import BleperaAppLink
import BleperaBluetooth
import BleperaHost
import BleperaLoop
import BleperaTesting
import Testing

@testable import BleperaAir
@testable import BleperaSimulation

@Suite("A phone that is merely there", .traced, .timeLimit(.minutes(5)))
struct OwnSetStoryTests {
  private static let target = ScanTarget.localName("Lock")

  @Test("A locked phone without an app is found by its key, under another address after Bluetooth was off")
  func tracker() async throws {
    let air = Air()
    let phone = Phone(on: air)
    let tracker = Central(on: air)
    let key = try #require(phone.irk)
    phone.lock()
    var addresses: Set<String> = []
    for _ in 1...3 {
      let found = try #require(await tracker.discover(.anything, within: .seconds(2)))
      #expect(found.hasNearbyInfo && found.localName == nil && found.serviceUUIDs.isEmpty)
      #expect(key.resolves(found.address) && found.overflowArea == nil)
      addresses.insert(found.address)
      phone.switchBluetooth(on: false)
      #expect(await !tracker.discovers(.anything, within: .seconds(5)))
      phone.switchBluetooth(on: true)
    }
    #expect(addresses.count == 3)
  }

  @Test("Without items, before iOS 12 and before the first unlock nothing is found")
  func nothing() async {
    let air = Air()
    let phones = [
      Phone(on: air, named: "a", backgroundAppleItems: []), Phone(on: air, named: "b", ios: 11),
      Phone(on: air, named: "c"),
    ]
    phones[2].reboot()
    let tracker = Central(on: air)
    #expect(await !tracker.discovers(.anything, within: .seconds(10)))
    phones[2].unlock()
    #expect(await tracker.discover(.anything, within: .seconds(2))?.address == phones[2].address)
  }

  @Test("An app's end is reported once, and the phone is still there")
  func events() async throws {
    let records = Record<String>()
    let air = Air(
      on: .virtual,
      record: { record in
        if record.event.rawValue.hasPrefix("advertising") { records.add(record.event.rawValue) }
      }, onFailure: { _ in })
    let phone = Phone(on: air)
    let central = Central(on: air)
    phone.lock()
    phone.unlock()
    let app = phone.launch(TestLock.app())
    #expect(await central.discovers(Self.target, within: .seconds(2)))
    phone.forceQuit(app)
    phone.lock()
    phone.switchBluetooth(on: false)
    phone.switchBluetooth(on: true)
    #expect(await central.discover(.anything, within: .seconds(2))?.hasNearbyInfo == true)
    #expect(await !central.discovers(Self.target, within: .seconds(2)))
    #expect(records.elements == ["advertising", "advertisingStopped"])
  }

  @Test("The event after a change of the address has the Nearby Info that is on the air")
  func tag() async throws {
    let records = Record<String>()
    let air = Air(
      on: .virtual,
      record: { record in
        if record.event == .advertising, let data = record.bytes(.advertisingData) { records.add(Hex.string(data)) }
      }, onFailure: { _ in })
    let virtual = try #require(air.backend.virtual)
    let phone = Phone(on: air)
    phone.launch(TestLock.app())
    for _ in 1...2 {
      phone.moveToBackground()
      let sent = virtual.virtualLoop.perform { virtual.air.assumeIsolated { $0.air } }
      let adapter = try #require(sent.adapters.values.first)
      let packets = try #require(sent.advertised(by: adapter.id).first?.sent(by: adapter.privacy))
      #expect(records.elements.last == Hex.string(packets.data))
      phone.moveToForeground()
      await air.advance(by: .seconds(900))
    }
    #expect(Set(records.elements.filter { $0.contains("4C0010") }).count == 2)
  }
}
