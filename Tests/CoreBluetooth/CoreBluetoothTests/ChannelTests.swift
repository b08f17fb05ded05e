// swift-format-ignore-file: AlwaysUseLowerCamelCase

import BleperaTesting
import CoreBluetooth
import Testing

extension StoryTests {
  @Test(
    "publishes an L2CAP channel, and sends back by its streams what a central sends", arguments: ["main", "serial"])
  func channels(_ name: String) async throws {
    let air = Air()
    let phone = Phone(on: air)
    let central = Central(on: air)
    let launches = Launches<EchoApp>()
    let queue = name == "main" ? nil : DispatchQueue(label: "app")
    phone.launch("org.example.echo") { launches.keep(EchoApp(queue: queue)) }
    let app = launches.last
    try await central.connect(to: phone)
    let number = try await central.read(BluetoothUUID(CBUUIDL2CAPPSMCharacteristicString)!)
    #expect(number == [0x80, 0])
    let channel = try await central.openChannel(UInt16(number[0]))
    let sent = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    #expect(try await channel.exchange(sent, receiving: sent.count) == sent)
    #expect(app.channel?.psm == 0x80)
    #expect(app.channel?.peer is CBCentral)
    #expect(app.channel?.inputStream.streamStatus == .open)
    await channel.close()
    await air.advance(by: .seconds(1))
    #expect(app.lines == ["published 128", "open 128", "end"])
    app.lines = []
    // A channel ends with its object, or with its streams.
    let next = try await central.openChannel(0x80)
    app.channel = nil
    #expect(try await next.receive(1) == [])
    app.manager.unpublishL2CAPChannel(0x80)
    app.manager.unpublishL2CAPChannel(0x99)
    await air.advance(by: .seconds(1))
    #expect(app.lines == ["open 128", "unpublished 128", "unpublished 153 with an error"])
    await #expect(throws: StoryFailure.noChannel) { _ = try await central.openChannel(0x80) }
  }

  @Test("opens a channel as a central, which ends with the connection")
  func centralChannel() async throws {
    let air = Air()
    let (host, guest) = (Phone(on: air, named: "host"), Phone(on: air, named: "guest"))
    host.launch("org.example.echo") { EchoApp(queue: nil) }
    let launches = Launches<Explorer>()
    guest.launch { launches.keep(Explorer()) }
    await air.advance(by: .seconds(3))
    let explorer = launches.last
    explorer.lines = []
    for number: CBL2CAPPSM in [0x81, 0x80] { explorer.peripherals[0].openL2CAPChannel(number) }
    await air.advance(by: .seconds(1))
    #expect(explorer.lines == ["channel 0 CBErrorDomain 10", "channel 128"])
    let channel = try #require(explorer.channel)
    #expect(channel.peer === explorer.peripherals[0])
    #expect(unsafe channel.outputStream.write([1, 2, 3], maxLength: 3) == 3)
    await air.advance(by: .seconds(1))
    var bytes = [UInt8](repeating: 0, count: 9)
    #expect(unsafe channel.inputStream.read(&bytes, maxLength: 9) == 3)
    #expect(bytes.prefix(3) == [1, 2, 3])
    try air.link(host, guest).drop()
    await air.advance(by: .seconds(1))
    #expect(unsafe channel.inputStream.read(&bytes, maxLength: 9) == 0)
  }

  @Test("a channel that is asked for as Bluetooth is switched off has no callback")
  func lateChannel() async throws {
    let air = Air()
    let (host, guest) = (Phone(on: air, named: "host"), Phone(on: air, named: "guest"))
    host.launch("org.example.echo") { EchoApp(queue: nil) }
    let launches = Launches<Explorer>()
    guest.launch { launches.keep(Explorer()) }
    await air.advance(by: .seconds(3))
    let explorer = launches.last
    explorer.lines = []
    explorer.peripherals[0].openL2CAPChannel(0x80)
    guest.switchBluetooth(on: false)
    await air.advance(by: .seconds(1))
    #expect(explorer.lines == ["state 4"])
  }
}

/// An app with one channel, which sends back what it receives.
///
/// @unchecked: the story waits for each callback, so the test and the callbacks never run at the same time.
private final class EchoApp: NSObject, CBPeripheralManagerDelegate, StreamDelegate, @unchecked Sendable {
  var manager: CBPeripheralManager!
  var lines: [String] = []
  var channel: CBL2CAPChannel?
  private var pending: [UInt8] = []

  init(queue: DispatchQueue?) {
    super.init()
    manager = CBPeripheralManager(delegate: self, queue: queue)
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    if peripheral.state == .poweredOn { peripheral.publishL2CAPChannel(withEncryption: false) }
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) {
    lines.append("published \(PSM)")
    let service = CBMutableService(type: CBUUID(string: "FFF0"), primary: true)
    service.characteristics = [
      CBMutableCharacteristic(
        type: CBUUID(string: CBUUIDL2CAPPSMCharacteristicString), properties: [.read],
        value: Data([UInt8(PSM & 0xFF), UInt8(PSM >> 8)]), permissions: [.readable])
    ]
    peripheral.add(service)
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) {
    lines.append("unpublished \(PSM)" + (error == nil ? "" : " with an error"))
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: "Echo"])
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
    guard let channel else { return }
    lines.append("open \(channel.psm)")
    self.channel = channel
    for stream in [channel.inputStream!, channel.outputStream!] as [Stream] {
      stream.delegate = self
      stream.schedule(in: .main, forMode: .default)
      stream.open()
    }
  }

  func stream(_ stream: Stream, handle event: Stream.Event) {
    switch event {
    case .hasBytesAvailable:
      guard let input = stream as? InputStream else { return }
      var bytes = [UInt8](repeating: 0, count: 3000)
      let count = unsafe input.read(&bytes, maxLength: bytes.count)
      pending += bytes.prefix(max(0, count))
      send()
    case .hasSpaceAvailable: send()
    case .endEncountered: lines.append("end")
    default: break
    }
  }

  private func send() {
    guard let output = channel?.outputStream, output.hasSpaceAvailable, !pending.isEmpty else { return }
    let count = unsafe output.write(pending, maxLength: pending.count)
    pending.removeFirst(max(0, count))
  }
}
