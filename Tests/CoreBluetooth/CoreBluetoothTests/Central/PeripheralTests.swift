import BleperaAppLink
import BleperaBluetooth
import Testing

@testable import CoreBluetooth

@Suite("A peripheral of a central manager")
struct PeripheralTests {
  @Test("has the services that were discovered, each with one object for its handle")
  func services() throws {
    let scanner = Scanner()
    let peripheral = scanner.connect()
    #expect(peripheral.services == nil)
    peripheral.discoverServices([CBUUID(string: "180D")])
    peripheral.discoverServices(nil)
    #expect(scanner.takePeripheralCalls() == [.discoverServices([BluetoothUUID("180D")!]), .discoverServices(nil)])
    scanner.deliver(.didDiscoverServices([Scanner.service], error: nil))
    let service = try #require(peripheral.services?.first)
    let battery = RemoteServiceDescription(handle: 0x01, uuid: BluetoothUUID("180F")!, isPrimary: true)
    scanner.deliver(.didDiscoverServices([Scanner.service, battery], error: nil))
    #expect(peripheral.services?.map(\.uuid.uuidString) == ["180F", "180D"])
    #expect(peripheral.services?.last === service)
    scanner.deliver(.didDiscoverServices([], error: nil))
    #expect(peripheral.services?.count == 2)
    #expect(service.peripheral === peripheral)
    #expect(service.characteristics == nil)
    #expect(service.includedServices == nil)
    scanner.deliver(.didDiscoverServices([], error: .code(.unknown)))
    #expect(peripheral.services == nil)
    #expect(scanner.takeLines() == ["services -", "services -", "services -", "services CBErrorDomain 0"])
  }

  @Test("has included services, characteristics and descriptors once they are discovered")
  func tree() throws {
    let scanner = Scanner()
    let peripheral = scanner.connect()
    scanner.deliver(.didDiscoverServices([Scanner.service], error: nil))
    let service = try #require(peripheral.services?.first)
    peripheral.discoverIncludedServices(nil, for: service)
    peripheral.discoverCharacteristics([CBUUID(string: "2A37")], for: service)
    #expect(
      scanner.takePeripheralCalls() == [
        .discoverIncludedServices(nil, service: 0x10),
        .discoverCharacteristics([BluetoothUUID("2A37")!], service: 0x10),
      ])
    let secondary = RemoteServiceDescription(handle: 0x20, uuid: BluetoothUUID("180F")!, isPrimary: false)
    scanner.deliver(
      .didDiscoverIncludedServices([secondary], service: 0x10, error: nil),
      .didDiscoverCharacteristics([Scanner.characteristics[0]], service: 0x10, error: nil),
      .didDiscoverCharacteristics(Scanner.characteristics, service: 0x10, error: nil))
    #expect(service.includedServices?.map(\.isPrimary) == [false])
    #expect(peripheral.services?.count == 1)
    let rate = try #require(service.characteristics?.first)
    #expect(service.characteristics?.map(\.uuid.uuidString) == ["2A37", "2A39"])
    #expect(rate.service === service)
    #expect(rate.properties == [.read, .notify])
    #expect(rate.value == nil)
    #expect(!rate.isNotifying)
    #expect(rate.descriptors == nil)
    peripheral.discoverDescriptors(for: rate)
    #expect(scanner.takePeripheralCalls() == [.discoverDescriptors(characteristic: 0x12)])
    let descriptor = RemoteDescriptorDescription(handle: 0x13, uuid: BluetoothUUID("2902")!)
    scanner.deliver(.didDiscoverDescriptors([descriptor], characteristic: 0x12, error: nil))
    #expect(rate.descriptors?.first?.characteristic === rate)
    #expect(
      scanner.takeLines() == ["services -", "included -", "characteristics -", "characteristics -", "descriptors -"])
  }

  @Test("has the value of a characteristic before the callback, and keeps the value after an error")
  func values() throws {
    let scanner = Scanner()
    let peripheral = scanner.connectAndDiscover()
    let service = try #require(peripheral.services?.first)
    let (rate, control) = (service.characteristics![0], service.characteristics![1])
    peripheral.readValue(for: rate)
    peripheral.setNotifyValue(true, for: rate)
    peripheral.writeValue(Data([1, 2]), for: control, type: .withResponse)
    #expect(
      scanner.takePeripheralCalls() == [
        .readValue(0x12), .setNotifyValue(true, characteristic: 0x12),
        .writeValue(0x15, value: [1, 2], withResponse: true),
      ])
    scanner.deliver(
      .didUpdateValue(0x12, value: [60], error: nil),
      .didUpdateNotificationState(characteristic: 0x12, isNotifying: true, error: nil),
      .didUpdateValue(0x12, value: [], error: .att(.insufficientEncryption)),
      .didWriteValue(0x15, error: .att(ATTError(rawValue: 0x80))), .didWriteValue(0x15, error: nil),
      .didUpdateValue(0x99, value: [1], error: nil))
    #expect(rate.isNotifying)
    #expect(
      scanner.takeLines() == [
        "value [60] -", "notifying true -", "value [60] CBATTErrorDomain 15", "wrote CBATTErrorDomain 128", "wrote -",
      ])
  }

  @Test(
    "gives the value of a descriptor the type that Apple documents",
    arguments: [
      ("2900", [1, 0], "1"), ("2901", [0x41, 0xC3, 0xA4], "Aä"), ("2902", [2, 1], "258"), ("2903", [1], "1"),
      ("00002902-0000-1000-8000-00805F9B34FB", [1, 0], "1"), ("2904", [4, 0, 0, 0x27, 1, 0, 0], "7 bytes"),
    ] as [(String, [UInt8], String)])
  func descriptor(_ type: String, _ bytes: [UInt8], _ text: String) throws {
    let scanner = Scanner()
    let peripheral = scanner.connectAndDiscover()
    let characteristic = try #require(peripheral.services?.first?.characteristics?.last)
    let description = RemoteDescriptorDescription(handle: 0x16, uuid: BluetoothUUID(type)!)
    scanner.deliver(.didDiscoverDescriptors([description], characteristic: 0x15, error: nil))
    let descriptor = try #require(characteristic.descriptors?.first)
    #expect(descriptor.value == nil)
    peripheral.readValue(for: descriptor)
    scanner.deliver(.didUpdateValue(0x16, value: bytes, error: nil))
    #expect(scanner.takeLines() == ["descriptors -", "descriptor \(text) -"])
    guard type != "2902", type.count == 4 else { return }
    peripheral.writeValue(Data([9]), for: descriptor)
    scanner.deliver(.didWriteValue(0x16, error: nil))
    #expect(scanner.takeLines() == ["wrote descriptor -"])
    #expect(scanner.takePeripheralCalls() == [.readValue(0x16), .writeValue(0x16, value: [9], withResponse: true)])
  }

  @Test("has twenty places for writes without response, and is ready once one is free again")
  func writes() throws {
    let scanner = Scanner()
    let peripheral = scanner.connectAndDiscover()
    let control = try #require(peripheral.services?.first?.characteristics?.last)
    for number in 1...20 {
      #expect(peripheral.canSendWriteWithoutResponse)
      peripheral.writeValue(Data([UInt8(number)]), for: control, type: .withoutResponse)
    }
    #expect(!peripheral.canSendWriteWithoutResponse)
    #expect(scanner.takePeripheralCalls().last == .writeValue(0x15, value: [20], withResponse: false))
    scanner.deliver(.didSendWritesWithoutResponse(4), .didSendWritesWithoutResponse(4))
    #expect(peripheral.canSendWriteWithoutResponse)
    #expect(scanner.takeLines() == ["ready"])
    // One more than there is room for, which the phone drops.
    for _ in 1...9 { peripheral.writeValue(Data(), for: control, type: .withoutResponse) }
    scanner.deliver(.didSendWritesWithoutResponse(1))
    #expect(!peripheral.canSendWriteWithoutResponse)
    scanner.deliver(.didSendWritesWithoutResponse(20))
    #expect(scanner.takeLines() == ["ready"])
    scanner.deliver(.didDisconnectPeripheral(Scanner.id, timestamp: .now, isReconnecting: false, error: nil))
    #expect(!peripheral.canSendWriteWithoutResponse)
  }

  @Test("writes no more than its ATT_MTU allows in a packet, and 512 bytes in several")
  func lengths() {
    let scanner = Scanner()
    scanner.deliver(.didDiscover(Scanner.description, DiscoveredAdvertisement()))
    let peripheral = scanner.peripherals[0]
    func lengths() -> [Int] {
      [.withoutResponse, .withResponse].map { peripheral.maximumWriteValueLength(for: $0) }
    }
    #expect(lengths() == [20, 20])
    scanner.manager.connect(peripheral)
    scanner.deliver(.didConnect(PeripheralDescription(id: Scanner.id, name: "Lamp", mtu: 23)))
    #expect(lengths() == [20, 512])
    scanner.deliver(.didUpdate(PeripheralDescription(id: Scanner.id, name: "Lamp", mtu: 185, isConnected: true)))
    #expect(lengths() == [182, 512])
    #expect(scanner.takeLines() == ["discovered Lamp 127", "connected"])
  }

  @Test("reports a new name, and its signal strength")
  func name() {
    let scanner = Scanner()
    let peripheral = scanner.connect()
    peripheral.readRSSI()
    #expect(scanner.takePeripheralCalls() == [.readRSSI])
    scanner.deliver(
      .didReadRSSI(-60, error: nil),
      .didUpdate(PeripheralDescription(id: Scanner.id, name: "Night Lamp", mtu: 185, isConnected: true)))
    #expect(scanner.takeLines() == ["rssi -60", "name Night Lamp"])
    #expect(peripheral.description.hasSuffix(" name = Night Lamp, mtu = 185, state = connected>"))
    #expect("\(peripheral.state)" == ".connected")
  }

  @Test("loses the services that the device has changed, and reports requests for them as invalid")
  func modification() throws {
    let scanner = Scanner()
    let peripheral = scanner.connectAndDiscover()
    let service = try #require(peripheral.services?.first)
    let rate = try #require(service.characteristics?.first)
    let battery = RemoteServiceDescription(handle: 0x01, uuid: BluetoothUUID("180F")!, isPrimary: true)
    scanner.deliver(.didDiscoverServices([battery], error: nil), .didModifyServices([0x10, 0x30]))
    #expect(peripheral.services?.map(\.uuid.uuidString) == ["180F"])
    peripheral.discoverCharacteristics(nil, for: service)
    peripheral.readValue(for: rate)
    peripheral.setNotifyValue(true, for: rate)
    peripheral.readValue(for: rate.descriptors![0])
    let own = CBMutableCharacteristic(type: rate.uuid, properties: .write, value: nil, permissions: .writeable)
    peripheral.writeValue(Data(), for: own, type: .withResponse)
    scanner.port.runCallbacks()
    #expect(scanner.takePeripheralCalls() == [])
    #expect(
      scanner.takeLines() == [
        "services -", #"modified ["180D"]"#, "characteristics CBErrorDomain 2", "value - CBErrorDomain 2",
        "notifying false CBErrorDomain 2", "descriptor - CBErrorDomain 2", "wrote CBErrorDomain 2",
      ])
  }

  @Test(
    "loses its services when the connection ends and when Bluetooth is off, without another callback",
    arguments: [true, false])
  func invalidation(isOff: Bool) throws {
    let scanner = Scanner()
    let peripheral = scanner.connectAndDiscover()
    let service = try #require(peripheral.services?.first)
    if isOff {
      scanner.deliver(.didUpdateState(.poweredOff), .didUpdateState(.poweredOn))
      #expect(scanner.takeLines() == ["state 4", "state 5"])
    } else {
      scanner.deliver(.didDisconnectPeripheral(Scanner.id, timestamp: .now, isReconnecting: false, error: nil))
      #expect(scanner.takeLines() == ["disconnected -"])
    }
    #expect(peripheral.state == .disconnected)
    #expect(peripheral.services == nil)
    scanner.manager.connect(peripheral)
    scanner.deliver(.didConnect(Scanner.description))
    scanner.deliver(.didDiscoverServices([Scanner.service], error: nil))
    #expect(peripheral.services?.first !== service)
    #expect(peripheral.services?.first?.uuid == service.uuid)
  }

  @Test("is no longer valid after Bluetooth was reset: another object is discovered")
  func reset() {
    let scanner = Scanner()
    let peripheral = scanner.connect()
    // The phone is lost, and the next one is on, while the app's queue is blocked.
    for state in [.resetting, .poweredOn] as [ManagerState] {
      scanner.port.deliver(.central(.number(0), .didUpdateState(state)))
    }
    #expect(scanner.manager.state == .resetting)
    scanner.port.runCallbacks()
    #expect(scanner.manager.state == .poweredOn)
    #expect(peripheral.state == .disconnected)
    scanner.manager.connect(peripheral)
    #expect(scanner.takeCalls() == [])
    scanner.deliver(.didDiscover(Scanner.description, DiscoveredAdvertisement()))
    #expect(scanner.peripherals.count == 2)
    #expect(scanner.peripherals[1] == peripheral)
    scanner.manager.connect(scanner.peripherals[1])
    #expect(scanner.takeCalls() == [.connect(Scanner.id, ConnectOptions())])
  }

  @Test("is released with the app's last reference, which ends its connection")
  func release() {
    let scanner = Scanner()
    scanner.retainsPeripherals = false
    scanner.deliver(.didDiscover(Scanner.description, DiscoveredAdvertisement()))
    scanner.port.runCallbacks()
    #expect(scanner.takeCalls() == [])
    scanner.retainsPeripherals = true
    _ = scanner.connect()
    scanner.peripherals = []
    scanner.port.runCallbacks()
    #expect(scanner.takeCalls() == [.release(Scanner.id)])
    // What the phone has sent before is dropped.
    scanner.deliver(.didReadRSSI(-60, error: nil))
    scanner.deliver(.didDisconnectPeripheral(Scanner.id, timestamp: .now, isReconnecting: false, error: nil))
    #expect(scanner.takeLines() == [])
  }

  @Test("that was released and is discovered again does not lose its new connection")
  func releaseAndDiscovery() {
    let scanner = Scanner()
    _ = scanner.connect()
    scanner.peripherals = []
    scanner.port.answer([Scanner.description])
    let peripheral = scanner.manager.retrievePeripherals(withIdentifiers: [])[0]
    scanner.manager.connect(peripheral)
    scanner.port.runCallbacks()
    #expect(
      scanner.takeCalls() == [
        .retrievePeripherals([]), .release(Scanner.id), .connect(Scanner.id, ConnectOptions()),
      ])
    #expect(peripheral.state == .connecting)
  }

  @Test("opens a channel whose peer is the peripheral, and a late channel is closed")
  func channel() {
    let scanner = Scanner()
    let peripheral = scanner.connect()
    peripheral.openL2CAPChannel(0x80)
    #expect(scanner.takePeripheralCalls() == [.openL2CAPChannel(L2CAPPSM(rawValue: 0x80))])
    let stream = StreamStub()
    scanner.port.add(stream)
    scanner.deliver(
      .didOpenL2CAPChannel(id: 4, psm: L2CAPPSM(rawValue: 0x80), error: nil),
      .didOpenL2CAPChannel(id: 0, psm: L2CAPPSM(rawValue: 0x81), error: .code(.unknown)))
    #expect(scanner.takeLines() == ["channel 128 -", "channel 0 CBErrorDomain 0"])
    let late = StreamStub()
    scanner.port.add(late)
    scanner.port.deliver(
      .central(
        .number(0),
        .peripheral(
          PeripheralID(rawValue: UUID().uuidString),
          .didOpenL2CAPChannel(id: 5, psm: L2CAPPSM(rawValue: 0x80), error: nil))))
    scanner.port.runCallbacks()
    #expect(late.isClosed)
    // The app has let go of the first channel.
    #expect(stream.isClosed)
    let kept = StreamStub()
    scanner.port.add(kept)
    scanner.deliver(.didOpenL2CAPChannel(id: 6, psm: L2CAPPSM(rawValue: 0x80), error: nil))
    #expect(scanner.channel?.peer === peripheral)
    #expect(!kept.isClosed)
  }

  @Test("cannot be measured: a session ends with an error by the delegate, and is not sent to the phone")
  func channelSounding() {
    #expect(!CBCentralManager.supports(.channelSounding))
    let scanner = Scanner()
    let peripheral = scanner.connect()
    let configuration = CBChannelSoundingSessionConfiguration(role: .initiator)
    #expect(configuration.role == .initiator)
    peripheral.startChannelSoundingSession(configuration)
    peripheral.cancelChannelSoundingSession()
    scanner.port.runCallbacks()
    #expect(
      scanner.takeLines() == ["sounding CBErrorDomain \(CBError.channelSoundingConfigurationFailed.rawValue)"])
    #expect(scanner.takePeripheralCalls() == [])
  }
}

/// Apps do this for their logs; the descriptions of Core Bluetooth must not change.
extension CBPeripheralState: CustomStringConvertible {
  var description: String { self == .connected ? ".connected" : ".other" }
}
