import BleperaAppLink
import BleperaBluetooth
import BleperaRadio
import Testing

@testable import BleperaPhone

@Suite("What apps ask of a peripheral goes over the air where the phone does not know it")
struct CentralRequestTests {
  @Test("Requests are performed one after the other, in the order of the calls, and commands among them")
  func order() {
    var stage = RoleStage()
    stage.explore()
    stage.ask(
      .readValue(0x12), .writeValue(0x15, value: [1], withResponse: true),
      .writeValue(0x15, value: [2], withResponse: false), .readRSSI)
    #expect(stage.take() == ["read(0x0012)"])
    stage.answer()
    #expect(stage.take() == ["a 0x0012 is [60]", "write(0x0015, [1])"])
    stage.answer()
    #expect(stage.take() == ["a 0x0015 written", "command(0x0015, [2])", "rssi"])
    #expect(stage.answerAll() == ["a sent 1", "a RSSI -50"])
  }

  @Test("An error of the peripheral is the app's, and so is that of a pairing that failed")
  func errors() {
    var stage = RoleStage()
    stage.explore()
    // 0x00 is no error of ATT.
    for (failure, code) in [
      (ProcedureFailure.att(ATTError(rawValue: 0x81)), 0x81), (.att(ATTError(rawValue: 0)), 0x0E),
      (.pairing(.failed), 5),
    ] {
      stage.ask(.readValue(0x12), .writeValue(0x15, value: [], withResponse: true))
      stage.answer(failure)
      stage.answer(failure)
      #expect(
        stage.take().filter { $0.hasPrefix("a") } == ["a 0x0012 is [] ATT \(code)", "a 0x0015 written ATT \(code)"])
    }
  }

  @Test(
    "Each failure of the radio is an error of Core Bluetooth",
    arguments: [
      (.att(.readNotPermitted), .att(.readNotPermitted)), (.att(ATTError(rawValue: 0)), .att(.unlikelyError)),
      (.notConnected, .code(.notConnected)), (.disconnected, .code(.notConnected)),
      (.pairing(.rejected), .att(.insufficientAuthentication)),
      (.channel(.notEncrypted), .att(.insufficientAuthentication)), (.channel(.unknownPSM), .code(.connectionFailed)),
    ] as [(ProcedureFailure, CentralError)])
  func failures(failure: ProcedureFailure, error: CentralError) { #expect(failure.error == error) }

  @Test("The twenty-first write without response is dropped")
  func places() {
    var stage = RoleStage()
    stage.explore()
    for number in 1...21 { stage.ask(.writeValue(0x15, value: [UInt8(number)], withResponse: false)) }
    let lines = stage.take()
    #expect(lines.count { $0.hasPrefix("command") } == 20)
    #expect(lines.suffix(2) == ["a drops 0x0015: 20 writes wait", "a sent 1"])
  }

  @Test(
    "A write without response that the radio refuses is reported, with the limit of the ATT_MTU where it is too long",
    arguments: [
      (183, .att(.invalidAttributeValueLength), "183 bytes; the ATT_MTU leaves 182"),
      (182, .att(.unlikelyError), "0x0E unlikelyError"), (182, .notConnected, nil), (182, nil, nil),
    ] as [(Int, ProcedureFailure?, String?)])
  func dropped(count: Int, failure: ProcedureFailure?, reason: String?) {
    var stage = RoleStage()
    stage.explore()
    stage.ask(.writeValue(0x15, value: [UInt8](repeating: 1, count: count), withResponse: false))
    _ = stage.take()
    stage.answer(failure)
    #expect(stage.take() == (reason.map { ["a drops 0x0015: \($0)"] } ?? []) + ["a sent 1"])
  }

  // MARK: The cache

  @Test("What one app has discovered and read, another one has without a packet, but for services that apps do not see")
  func cache() {
    var stage = RoleStage()
    stage.call(.connect(RoleStage.id(), ConnectOptions()))
    stage.connect()
    _ = stage.take()
    stage.ask(.discoverServices(nil), .discoverCharacteristics(nil, service: 0x10), .readValue(0x12))
    #expect(
      stage.answerAll() == [
        "services", "a services [180D, 180F]", "characteristics of 0x0010...0x0017", "a characteristics [[], []]",
        "read(0x0012)", "a 0x0012 is [60]",
      ])
    stage.call(.connect(RoleStage.id(), ConnectOptions()), by: RoleStage.b)
    stage.ask(
      .discoverServices([RoleStage.heartRate]), .discoverCharacteristics(nil, service: 0x10), by: RoleStage.b)
    #expect(
      stage.take() == ["b connected p1", "b services [180D]", "b characteristics [[60], []]"])
    #expect(stage.role.retrieve(.retrieveConnectedPeripherals([RoleStage.heartRate]))?.count == 1)
    #expect(stage.role.retrieve(.retrieveConnectedPeripherals([BluetoothUUID(0x1809 as UInt16)]))?.count == 0)
  }

  private static let caches: [(isBonded: Bool, hasServiceChanged: Bool, isKept: Bool)] = [
    (true, true, true), (true, false, false), (false, true, false), (false, false, true),
  ]

  @Test(
    "The cache of a bonded peripheral with Service Changed is kept, and of an unbonded one without", arguments: caches)
  func kept(isBonded: Bool, hasServiceChanged: Bool, isKept: Bool) {
    var cache = GATTCache()
    #expect(!cache.isKept(isBonded: isBonded))
    // Generic Attribute may be there without it.
    let attribute = RemoteService(range: 0x01...0x05, uuid: BluetoothUUID(0x1801 as UInt16), isPrimary: true)
    cache.set(services: hasServiceChanged ? RoleStage.services : [attribute])
    #expect(cache.isKept(isBonded: isBonded) == isKept)
  }

  @Test("A kept cache is used over the next connection, and empty after power off", arguments: [true, false])
  func nextConnection(isBonded: Bool) {
    var stage = RoleStage()
    stage.explore(isBonded: isBonded)
    stage.disconnect()
    _ = stage.take()
    stage.call(.connect(RoleStage.id(), ConnectOptions()))
    stage.connect(isBonded: isBonded)
    stage.ask(.discoverServices(nil))
    let lines = stage.answerAll().suffix(2)
    #expect(lines == [isBonded ? "known services" : "services", "a services [180D, 180F]"])
    stage.switchPower()
    stage.call(.connect(RoleStage.id(), ConnectOptions()))
    stage.connect(isBonded: isBonded)
    stage.ask(.discoverServices(nil))
    #expect(stage.answerAll().contains("services"))
  }

  @Test("The peripheral changes its services: requests for these fail, and then the app learns which are not valid")
  func modified() {
    var stage = RoleStage()
    stage.explore()
    stage.ask(.readRSSI, .readValue(0x12), .discoverCharacteristics(nil, service: 0x20))
    _ = stage.take()
    stage.role.servicesChanged([0x10...0x17], of: RoleStage.address(), at: .zero)
    #expect(stage.take() == ["a 0x0012 is [] 2", "a modified [0x0010]"])
    #expect(stage.answerAll().first == "a RSSI -50")
    stage.ask(.discoverCharacteristics(nil, service: 0x10))
    #expect(stage.take().last == "a characteristics [] 2")
    stage.ask(.discoverServices(nil))
    #expect(stage.take() == ["services"])
  }

  @Test("Each connected app learns of each change, and services that have not changed stay valid")
  func added() {
    var stage = RoleStage()
    stage.explore()
    stage.call(.connect(RoleStage.id(), ConnectOptions()), by: RoleStage.b)
    _ = stage.take()
    func change(_ range: ClosedRange<AttributeHandle>) -> [String] {
      stage.role.servicesChanged([range], of: RoleStage.address(), at: .zero)
      return stage.take()
    }
    #expect(change(0x40...0x43) == ["a modified []", "b modified []"])
    stage.ask(.discoverCharacteristics(nil, service: 0x20))
    #expect(stage.answerAll().first == "characteristics of 0x0020...0x0022")
    #expect(change(0x10...0x17) == ["a modified [0x0010]", "b modified []"])
    #expect(change(0x10...0x17) == ["a modified []", "b modified []"])
    stage.ask(.discoverServices(nil))
    #expect(stage.answerAll() == ["services", "a services [180D, 180F]"])
    #expect(change(0x10...0x17) == ["a modified [0x0010]", "b modified []"])
  }

  // MARK: Subscriptions

  @Test("A subscription is written once for all apps, and ends with the last one's", arguments: [false, true])
  func subscription(cancels: Bool) {
    var stage = RoleStage()
    stage.explore()
    stage.call(.connect(RoleStage.id(), ConnectOptions()), by: RoleStage.b)
    stage.ask(.setNotifyValue(true, characteristic: 0x12))
    #expect(
      stage.answerAll().suffix(3) == [
        "descriptors of 0x0013...0x0013", "write(0x0013, [1, 0])", "a 0x0012 notifying true",
      ])
    stage.ask(.setNotifyValue(true, characteristic: 0x12))
    stage.ask(.setNotifyValue(true, characteristic: 0x12), by: RoleStage.b)
    #expect(stage.take() == ["a 0x0012 notifying true", "b 0x0012 notifying true"])
    stage.role.valueReceived(0x12, [7], of: RoleStage.address(), at: .zero)
    #expect(stage.take() == ["a 0x0012 is [7]", "b 0x0012 is [7]"])
    stage.ask(.setNotifyValue(false, characteristic: 0x12))
    #expect(stage.take() == ["a 0x0012 notifying false"])
    stage.role.valueReceived(0x12, [8], of: RoleStage.address(), at: .zero)
    #expect(stage.take() == ["b 0x0012 is [8]"])
    if cancels {
      stage.call(.cancelPeripheralConnection(RoleStage.id()), by: RoleStage.b)
      #expect(stage.answerAll() == ["b disconnected p1", "write(0x0013, [0, 0])"])
    } else {
      stage.ask(.setNotifyValue(false, characteristic: 0x12), by: RoleStage.b)
      #expect(stage.answerAll() == ["write(0x0013, [0, 0])", "b 0x0012 notifying false"])
    }
  }

  @Test("A characteristic that only indicates is asked for indications, and one that does neither for nothing")
  func indications() {
    var stage = RoleStage()
    stage.explore()
    stage.ask(.setNotifyValue(true, characteristic: 0x15))
    #expect(stage.answerAll().contains("write(0x0016, [2, 0])"))
    stage.ask(.setNotifyValue(true, characteristic: 0x21))
    #expect(stage.take() == ["a 0x0021 notifying false 2"])
  }

  @Test("A value is kept where an app has subscribed to it or read it, and the characteristic is known")
  func keptValues() {
    var stage = RoleStage()
    stage.explore()
    stage.call(.connect(RoleStage.id(), ConnectOptions()), by: RoleStage.b)
    var values: [AttributeHandle: [UInt8]]? { stage.role.known[RoleStage.id()]?.cache.values }
    for handle in UInt16(1)...0x2000 {
      stage.role.valueReceived(AttributeHandle(rawValue: handle), [9], of: RoleStage.address(), at: .zero)
    }
    #expect(values == [:])
    stage.ask(.readValue(0x99), .readValue(0x15), .setNotifyValue(true, characteristic: 0x12))
    _ = stage.answerAll()
    stage.role.valueReceived(0x12, [7], of: RoleStage.address(), at: .zero)
    #expect(values == [0x15: [60], 0x12: [7]])
    _ = stage.take()
    stage.ask(.discoverServices(nil), .discoverCharacteristics(nil, service: 0x10), by: RoleStage.b)
    #expect(stage.answerAll().last == "b characteristics [[7], [60]]")
  }

  @Test("A notification that comes before the response to its subscription is the app's, too")
  func early() {
    var stage = RoleStage()
    stage.explore()
    stage.ask(.setNotifyValue(true, characteristic: 0x12))
    _ = stage.take()
    stage.answer()
    #expect(stage.take() == ["write(0x0013, [1, 0])"])
    stage.role.valueReceived(0x12, [7], of: RoleStage.address(), at: .zero)
    #expect(stage.answerAll() == ["a 0x0012 is [7]", "a 0x0012 notifying true"])
  }

  // MARK: Scans

  @Test("The phone scans as the app does that scans most, and each manager has its own discoveries")
  func scans() {
    var stage = RoleStage()
    stage.role.appChanged(RoleStage.b.app, AppPresence(isForeground: false), at: .zero)
    stage.call(.scanForPeripherals(ScanRequest(services: [RoleStage.heartRate])), by: RoleStage.b)
    let advertised = ADStructure.serviceUUIDs(UUIDList([RoleStage.heartRate], width: .bits16)!, complete: true)
    stage.receive(1, [advertised])
    stage.call(.scanForPeripherals(ScanRequest()))
    stage.receive(1, [advertised])
    stage.call(.stopScan)
    #expect(
      stage.take() == [
        "scan 30.0 of 60.0", "b discovered p1 - 127", "scan 30.0 of 40.0", "a discovered p1 - 127", "scan 30.0 of 60.0",
      ])
    // Without the background mode an app in the background discovers nothing, and nothing waits for it.
    stage.role.appChanged(RoleStage.b.app, nil, at: .zero)
    stage.receive(2, [advertised])
    #expect(stage.take() == ["scan off"])
    stage.role.appChanged(RoleStage.b.app, AppPresence(isForeground: true), at: .zero)
    #expect(stage.take() == ["scan 30.0 of 40.0"])
    stage.switchPower()
    stage.call(.scanForPeripherals(ScanRequest(services: [RoleStage.heartRate])), by: RoleStage.b)
    stage.receive(1, [advertised])
    #expect(stage.take().last == "b discovered p1 - 127")
  }
}
