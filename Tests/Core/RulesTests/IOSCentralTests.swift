import BleperaBluetooth
import Testing

@testable import BleperaRules

@Suite("R16: a central's app on an iPhone")
struct IOSCentralTests {
  private static let phone = PeripheralID(rawValue: "phone")
  private static let other = PeripheralID(rawValue: "other")
  private static let heartRate = BluetoothUUID(0x180D as UInt16)
  /// Has the bit of 180D.
  private static let rival = BluetoothUUID(0x00A3 as UInt16)
  private static let battery = BluetoothUUID(0x180F as UInt16)

  private static func list(_ uuids: [BluetoothUUID]) -> ADStructure {
    .serviceUUIDs(UUIDList(uuids, width: .bits16)!, complete: true)
  }

  private static let front = ReceivedAdvertisement(
    AdvertisingData([list([heartRate])]), scanResponse: AdvertisingData([.completeLocalName("Heart")]))
  private static let listed = ReceivedAdvertisement(AdvertisingData([list([heartRate])]))
  private static let back = ReceivedAdvertisement(AdvertisingData([OverflowArea([heartRate]).structure]))
  /// The advertisement of later iPhones, with the area in the scan response and another item in the advertisement.
  private static let backInResponse = ReceivedAdvertisement(
    AdvertisingData([.manufacturerData(companyIdentifier: 0x004C, data: [0x10, 1, 0])]),
    scanResponse: AdvertisingData([OverflowArea([heartRate]).structure]))
  private static let inResponse = ReceivedAdvertisement(
    AdvertisingData([]), scanResponse: AdvertisingData([list([heartRate])]))
  private static let both = ReceivedAdvertisement(
    AdvertisingData([list([heartRate])]), scanResponse: AdvertisingData([OverflowArea([battery]).structure]))
  private static let stranger = ReceivedAdvertisement(
    AdvertisingData([
      list([battery]), .manufacturerData(companyIdentifier: 0x0059, data: [1]), .txPowerLevel(-3),
      .serviceData(battery, data: [9]),
    ]), isConnectable: false, rssi: -70)

  @Test("A scan remembers a bounded number of peripherals, and each that still advertises")
  func manyPeripherals() {
    var central = Self.central(.front, [Self.heartRate])
    let number = 20_000
    var reports = 0
    for index in 0..<number {
      for peripheral in [PeripheralID(rawValue: "\(index)"), Self.phone] {
        let actions = central.handle(.received(peripheral, Self.front), at: .zero)
        reports += actions.count { if case .discovered(peripheral, _) = $0 { true } else { false } }
      }
    }
    #expect(reports == number + 1)
    var reported = ReportedPeripherals()
    let areNew = (0..<number).map {
      reported.insert(PeripheralID(rawValue: "\($0)"), withResponse: true, isWhole: true)
    }
    #expect(!areNew.contains(false))
    #expect(reported.count <= 2 * ReportedPeripherals.limit)
    let late = PeripheralID(rawValue: "\(number - ReportedPeripherals.limit)")
    let isLateNew = reported.insert(late, withResponse: true, isWhole: true)
    let isEarlyNew = reported.insert(PeripheralID(rawValue: "0"), withResponse: true, isWhole: true)
    #expect(!isLateNew && isEarlyNew)
  }

  private enum Place { case front, background, screenOff }

  private static func central(
    _ place: Place = .front, _ services: [BluetoothUUID], ios: IOSVersion = .newest, allowsDuplicates: Bool = false
  ) -> IOSCentral {
    var central = IOSCentral(RuleSet(ios), isFrontmost: place != .background, isScreenOn: place != .screenOff)
    _ = central.handle(.scan(ScanRequest(services: services, allowsDuplicates: allowsDuplicates)), at: .zero)
    return central
  }

  private static func match(_ uuid: BluetoothUUID, _ rivals: [BluetoothUUID] = []) -> OverflowMatch {
    OverflowMatch(uuid: uuid, bit: OverflowArea.bit(of: uuid), rivals: rivals)
  }

  /// A discovery before iOS 16, with the scan response.
  private static let named = Discovery(localName: "Heart", serviceUUIDs: [heartRate])
  private static let unnamed = Discovery(serviceUUIDs: [heartRate])

  /// The app's state, the scanned services, the received packet, and the result.
  private static let receptions: [(Place, [BluetoothUUID], ReceivedAdvertisement, ScanReception)] = [
    (.front, [], front, .discovered(unnamed)),
    (.front, [heartRate], front, .discovered(unnamed)),
    (.front, [battery], front, .ignored(.noSuchService)),
    (.background, [heartRate], front, .discovered(unnamed)),
    (.background, [], front, .ignored(.needsServices)),
    (.screenOff, [], front, .ignored(.needsServices)),
    // No overflow match is reported without a requested service.
    (.front, [], back, .discovered(Discovery())),
    (.front, [heartRate], back, .discovered(Discovery(overflowServiceUUIDs: [match(heartRate)]))),
    (.front, [battery], back, .ignored(.noSuchService)),
    // A bit is all that is looked at.
    (.front, [rival], back, .discovered(Discovery(overflowServiceUUIDs: [match(rival)]))),
    (
      .front, [battery, rival, heartRate], back,
      .discovered(Discovery(overflowServiceUUIDs: [match(rival, [heartRate]), match(heartRate, [rival])]))
    ),
    (.background, [heartRate], back, .discovered(Discovery(overflowServiceUUIDs: [match(heartRate)]))),
    (.screenOff, [heartRate], back, .ignored(.overflowUnread)),
    (.screenOff, [battery], back, .ignored(.noSuchService)),
    (.screenOff, [heartRate], front, .discovered(Discovery(serviceUUIDs: [heartRate]))),
    (.front, [heartRate], backInResponse, .discovered(Discovery(overflowServiceUUIDs: [match(heartRate)]))),
    (.background, [heartRate], backInResponse, .discovered(Discovery(overflowServiceUUIDs: [match(heartRate)]))),
    (.screenOff, [heartRate], backInResponse, .ignored(.overflowUnread)),
    // A filter finds a service of the scan response in the foreground alone.
    (.front, [], inResponse, .discovered(Discovery())),
    (.front, [heartRate], inResponse, .discovered(unnamed)),
    (.background, [heartRate], inResponse, .ignored(.inScanResponse)),
    (.screenOff, [heartRate], inResponse, .ignored(.inScanResponse)),
    (.screenOff, [battery], inResponse, .ignored(.noSuchService)),
    // One is listed, one is in the overflow area of the scan response.
    (.front, [battery, heartRate], both, .discovered(unnamed)),
    (.front, [battery], both, .discovered(Discovery(overflowServiceUUIDs: [match(battery)]))),
    (.background, [battery], both, .discovered(Discovery(overflowServiceUUIDs: [match(battery)]))),
    (
      .front, [], stranger,
      .discovered(
        Discovery(
          serviceUUIDs: [battery], manufacturerData: [0x0059: [1]], serviceData: [battery: [9]], txPowerLevel: -3,
          isConnectable: false, rssi: -70))
    ),
  ]

  @Test("Each advertisement is discovered or ignored for a reason", arguments: receptions.indices)
  func reception(index: Int) {
    let (place, services, received, expected) = Self.receptions[index]
    #expect(Self.central(place, services).reception(of: received) == expected)
  }

  /// UUIDs fill the advertisement, and the name is in the scan response.
  private static let split = ReceivedAdvertisement(
    AdvertisingData([list([heartRate]), .manufacturerData(companyIdentifier: 0x0059, data: [1])]),
    scanResponse: AdvertisingData([
      .completeLocalName("A name of 16 let"), .manufacturerData(companyIdentifier: 0x0058, data: [2]),
    ]))

  @Test(
    "From iOS 16 on a scan response is never in the one discovery, and a discovery of its own with duplicates",
    arguments: [IOSVersion.ios10, .ios15, .ios16, .ios17, .ios18, .ios26, .ios27], [[], [heartRate]])
  func separate(version: IOSVersion, services: [BluetoothUUID]) {
    let received = IOSCentral.Event.received(Self.phone, Self.split)
    func discoveries(_ central: inout IOSCentral) -> [Discovery] {
      central.handle(received, at: .zero).compactMap { if case .discovered(_, let found) = $0 { found } else { nil } }
    }
    let advertised = Discovery(serviceUUIDs: [Self.heartRate], manufacturerData: [0x0059: [1]])
    let answered = Discovery(localName: "A name of 16 let", manufacturerData: [0x0058: [2]])
    var joined = advertised
    joined.localName = answered.localName
    let isJoined = version < .ios16
    var once = Self.central(.front, services, ios: version)
    #expect(discoveries(&once) == [isJoined ? joined : advertised])
    for _ in 0..<3 { #expect(discoveries(&once).isEmpty) }
    var each = Self.central(.front, services, ios: version, allowsDuplicates: true)
    for _ in 0..<3 { #expect(discoveries(&each) == (isJoined ? [joined] : [advertised, answered])) }
  }

  @Test(
    "A filter finds a service that only the scan response has in the foreground, and not in the background",
    arguments: IOSVersion.allCases)
  func serviceInResponse(version: IOSVersion) {
    let received = ReceivedAdvertisement(
      AdvertisingData([.completeLocalName("Board")]), scanResponse: Self.inResponse.scanResponse)
    let found = version < .ios16 ? Discovery(localName: "Board", serviceUUIDs: [Self.heartRate]) : Self.unnamed
    for (place, expected) in [
      (Place.front, ScanReception.discovered(found)), (.background, .ignored(.inScanResponse)),
      (.screenOff, .ignored(.inScanResponse)),
    ] {
      #expect(Self.central(place, [Self.heartRate], ios: version).reception(of: received) == expected)
      // The overflow area there is found, while the screen is on.
      let area = Self.central(place, [Self.heartRate], ios: version).reception(of: Self.backInResponse)
      #expect((area == .ignored(.overflowUnread)) == (place == .screenOff))
    }
  }

  @Test("Solicited services are looked for beside the services; the scan response does not change the company data")
  func solicited() {
    let received = ReceivedAdvertisement(
      AdvertisingData([
        .serviceSolicitation(UUIDList([Self.battery], width: .bits16)!),
        .manufacturerData(companyIdentifier: 0x0059, data: [1]),
      ]), scanResponse: AdvertisingData([.manufacturerData(companyIdentifier: 0x0058, data: [2])]))
    let discovered = ScanReception.discovered(
      Discovery(solicitedServiceUUIDs: [Self.battery], manufacturerData: [0x0059: [1]]))
    let requests = [
      (ScanRequest(services: [Self.heartRate], solicitedServices: [Self.battery]), discovered),
      (ScanRequest(solicitedServices: [Self.battery]), discovered),
      (ScanRequest(services: [Self.battery], solicitedServices: [Self.heartRate]), .ignored(.noSuchService)),
    ]
    for (request, expected) in requests {
      var central = IOSCentral(.newest)
      _ = central.handle(.scan(request), at: .zero)
      #expect(central.reception(of: received) == expected)
    }
  }

  @Test("A scan that is passive in the background misses an overflow area in a scan response, screen on or off")
  func passive() {
    var central = IOSCentral(.newest.with(backgroundScanResponses: .never), isFrontmost: false)
    _ = central.handle(.scan(ScanRequest(services: [Self.heartRate])), at: .zero)
    #expect(central.reception(of: Self.backInResponse) == .ignored(.inScanResponse))
    _ = central.handle(.foreground, at: .zero)
    #expect(
      central.reception(of: Self.backInResponse)
        == .discovered(Discovery(overflowServiceUUIDs: [Self.match(Self.heartRate)])))
  }

  @Test("Without a scan advertisements are ignored")
  func idle() {
    var central = IOSCentral(.newest)
    #expect(central.handle(.received(Self.phone, Self.front), at: .zero) == [.ignored(Self.phone, .notScanning)])
  }

  @Test("A peripheral is reported once, and again by another scan, a new one or after a connection")
  func coalesces() {
    var central = Self.central(.front, [Self.heartRate])
    let discovered = IOSCentral.Action.discovered(Self.phone, Self.unnamed)
    let received = IOSCentral.Event.received(Self.phone, Self.front)
    #expect(central.handle(received, at: .zero) == [discovered])
    #expect(central.handle(received, at: .zero) == [.ignored(Self.phone, .reported)])
    #expect(central.handle(.received(Self.phone, Self.back), at: .zero) == [.ignored(Self.phone, .reported)])
    #expect(central.handle(.received(Self.other, Self.front), at: .zero) == [.discovered(Self.other, Self.unnamed)])
    let request = ScanRequest(services: [Self.heartRate])
    #expect(central.handle(.scan(request), at: .zero) == [])
    #expect(central.handle(received, at: .zero) == [.ignored(Self.phone, .reported)])
    #expect(central.handle(.scan(ScanRequest(services: [Self.heartRate, Self.battery])), at: .zero) == [])
    #expect(central.handle(received, at: .zero) == [discovered])
    for event in [IOSCentral.Event.stopScan, .scan(request)] { _ = central.handle(event, at: .zero) }
    #expect(central.handle(received, at: .zero) == [discovered])
    _ = central.handle(.connect(Self.phone), at: .zero)
    #expect(central.handle(received, at: .zero) == [.ignored(Self.phone, .reported), .connect(Self.phone)])
    _ = central.handle(.connected(Self.phone), at: .zero)
    _ = central.handle(.disconnected(Self.phone), at: .zero)
    #expect(central.handle(received, at: .zero) == [discovered])
  }

  @Test(
    "A scan that is stopped and begun again reports each peripheral again, but not on iOS 11",
    arguments: IOSVersion.allCases)
  func restarts(version: IOSVersion) {
    var central = IOSCentral(RuleSet(version))
    let request = ScanRequest(services: [Self.heartRate])
    let received = IOSCentral.Event.received(Self.phone, Self.listed)
    let discovered = IOSCentral.Action.discovered(Self.phone, Self.unnamed)
    _ = central.handle(.scan(request), at: .zero)
    #expect(central.handle(received, at: .zero) == [discovered])
    for event in [IOSCentral.Event.stopScan, .scan(request)] { _ = central.handle(event, at: .zero) }
    let expected = version == .ios11 ? .ignored(Self.phone, .reported) : discovered
    #expect(central.handle(received, at: .zero) == [expected])
  }

  @Test(
    "A peripheral that was reported without its scan response is reported once more with it, before iOS 16",
    arguments: [IOSVersion.ios15, .ios16], [Place.screenOff, .background])
  private func response(version: IOSVersion, place: Place) {
    var central = Self.central(place, [Self.heartRate], ios: version)
    let received = IOSCentral.Event.received(Self.phone, Self.front)
    let reported = [IOSCentral.Action.ignored(Self.phone, .reported)]
    #expect(central.handle(received, at: .zero) == [.discovered(Self.phone, Self.unnamed)])
    #expect(central.handle(received, at: .zero) == reported)
    _ = central.handle(.screen(isOn: true), at: .zero)
    _ = central.handle(.foreground, at: .zero)
    #expect(central.handle(.received(Self.phone, Self.listed), at: .zero) == reported)
    let second = version < .ios16 ? [IOSCentral.Action.discovered(Self.phone, Self.named)] : reported
    #expect(central.handle(received, at: .zero) == second)
    #expect(central.handle(received, at: .zero) == reported)
  }

  @Test("Exposure Notification is not reported") func exposureNotification() {
    let uuid = BluetoothUUID(0xFD6F as UInt16)
    let received = ReceivedAdvertisement(AdvertisingData([Self.list([uuid]), .serviceData(uuid, data: [1])]))
    for services in [[], [uuid]] {
      #expect(Self.central(.front, services).reception(of: received) == .ignored(.noSuchService))
    }
  }

  @Test("Duplicates are reported in the foreground only")
  func duplicates() {
    var central = IOSCentral(.newest)
    _ = central.handle(.scan(ScanRequest(services: [Self.heartRate], allowsDuplicates: true)), at: .zero)
    let received = IOSCentral.Event.received(Self.phone, Self.front)
    let response = IOSCentral.Action.discovered(Self.phone, Discovery(localName: "Heart"))
    for _ in 0..<3 {
      #expect(central.handle(received, at: .zero) == [.discovered(Self.phone, Self.unnamed), response])
    }
    _ = central.handle(.background, at: .zero)
    #expect(central.handle(received, at: .zero) == [.ignored(Self.phone, .reported)])
  }

  /// The version, whether the screen is on, and what an app does with a Live Activity started in the foreground.
  @Test(
    "With a Live Activity an app scans in the background without services and with duplicates, from iOS 26 on",
    arguments: IOSVersion.allCases, [true, false])
  func liveActivity(version: IOSVersion, isScreenOn: Bool) {
    var central = IOSCentral(RuleSet(version))
    let isFree = version >= .ios26
    let received = IOSCentral.Event.received(Self.phone, Self.listed)
    let discovered = IOSCentral.Action.discovered(Self.phone, Discovery(serviceUUIDs: [Self.heartRate]))
    _ = central.handle(.liveActivity(isOn: true), at: .zero)
    _ = central.handle(.background, at: .zero)
    _ = central.handle(.screen(isOn: isScreenOn), at: .zero)
    let timing = isScreenOn ? central.rules.backgroundScan : central.rules.sleepScan
    let listening = IOSCentral.Listening(timing: timing.value, isActive: isScreenOn)
    #expect(
      central.handle(.scan(ScanRequest(allowsDuplicates: true)), at: .zero) == (isFree ? [.listen(listening)] : []))
    for _ in 0..<2 {
      #expect(central.handle(received, at: .zero) == [isFree ? discovered : .ignored(Self.phone, .needsServices)])
    }
    #expect(central.handle(.liveActivity(isOn: false), at: .zero) == (isFree ? [.listen(nil)] : []))
    #expect(central.handle(received, at: .zero) == [.ignored(Self.phone, .needsServices)])
    // Apple: before it goes to the background.
    _ = central.handle(.liveActivity(isOn: true), at: .zero)
    #expect(central.handle(received, at: .zero) == [.ignored(Self.phone, .needsServices)])
  }

  @Test("A Live Activity does not read the overflow area with the screen off")
  func liveActivityOverflow() {
    var central = Self.central(.front, [Self.heartRate])
    _ = central.handle(.liveActivity(isOn: true), at: .zero)
    _ = central.handle(.screen(isOn: false), at: .zero)
    #expect(central.reception(of: Self.back) == .ignored(.overflowUnread))
  }

  private static let active = IOSCentral.Listening(timing: RuleSet.newest.foregroundScan.value, isActive: true)
  private static let slow = IOSCentral.Listening(timing: RuleSet.newest.backgroundScan.value, isActive: true)
  private static let lit = IOSCentral.Listening(timing: RuleSet.newest.litScan.value.timing, isActive: true)
  private static let asleep = IOSCentral.Listening(timing: RuleSet.newest.sleepScan.value, isActive: false)
  private static let dark = IOSCentral.Listening(timing: RuleSet.newest.backgroundScan.value, isActive: false)

  @Test("A background scan has its own timing, and needs services")
  func timings() {
    var central = IOSCentral(.newest)
    #expect(central.handle(.scan(ScanRequest(services: [Self.heartRate])), at: .zero) == [.listen(Self.active)])
    #expect(central.handle(.background, at: .zero) == [.listen(Self.slow)])
    #expect(central.handle(.screen(isOn: false), at: .zero) == [.listen(Self.asleep)])
    #expect(central.handle(.foreground, at: .zero) == [])
    #expect(central.handle(.screen(isOn: true), at: .zero) == [.listen(Self.active)])
    #expect(central.handle(.scan(ScanRequest()), at: .zero) == [])
    #expect(central.handle(.screen(isOn: false), at: .zero) == [.listen(nil)])
    #expect(central.handle(.screen(isOn: true), at: .zero) == [.listen(Self.active)])
    #expect(central.handle(.stopScan, at: .zero) == [.listen(nil)])
  }

  @Test("A background scan is more frequent for ten seconds after the screen was lit, from iOS 26 on")
  func litScreen() {
    for version in [IOSVersion.ios18, .ios26] {
      var central = IOSCentral(RuleSet(version), isFrontmost: false, isScreenOn: false)
      _ = central.handle(.scan(ScanRequest(services: [Self.heartRate])), at: .zero)
      let lit = central.handle(.screen(isOn: true), at: .seconds(60))
      #expect(lit == [.listen(version >= .ios26 ? Self.lit : Self.slow)])
      let received = IOSCentral.Event.received(Self.other, Self.stranger)
      let ignored = IOSCentral.Action.ignored(Self.other, .noSuchService)
      #expect(central.handle(received, at: .milliseconds(69_999)) == [ignored])
      let later = central.handle(received, at: .seconds(70))
      #expect(later == (version >= .ios26 ? [.listen(Self.slow), ignored] : [ignored]))
      #expect(central.handle(.screen(isOn: true), at: .seconds(80)) == [])
    }
  }

  @Test("A phone that sleeps listens more in order to connect, where it scans less than that")
  func sleepingConnection() {
    let waiting = IOSCentral.Listening(timing: RuleSet.newest.sleepConnectionScan.value, isActive: false)
    var central = Self.central(.screenOff, [Self.heartRate])
    #expect(central.listening == Self.asleep)
    #expect(central.handle(.connect(Self.phone), at: .zero) == [.listen(waiting)])
    #expect(central.handle(.stopScan, at: .zero) == [])
    #expect(central.handle(.screen(isOn: true), at: .zero) == [.listen(Self.dark)])
    var earlier = IOSCentral(RuleSet(.ios18), isFrontmost: false, isScreenOn: false)
    _ = earlier.handle(.scan(ScanRequest(services: [Self.heartRate])), at: .zero)
    #expect(earlier.handle(.connect(Self.phone), at: .zero) == [])
  }

  @Test(
    "On a radio that listens all the time, what comes between its windows is left out",
    arguments: [(true, 0, true), (true, 29, true), (true, 30, false), (true, 40, true), (false, 30, true)])
  func windows(ignoresBetweenWindows: Bool, milliseconds: Int, isReceived: Bool) {
    var central = IOSCentral(.newest, ignoresBetweenWindows: ignoresBetweenWindows)
    _ = central.handle(.scan(ScanRequest()), at: .seconds(7))
    let actions = central.handle(.received(Self.phone, Self.front), at: .seconds(7) + .milliseconds(milliseconds))
    #expect(actions == [isReceived ? .discovered(Self.phone, Self.unnamed) : .ignored(Self.phone, .betweenWindows)])
  }

  @Test("A connection request waits for its peripheral without a time limit")
  func pending() {
    var central = IOSCentral(.newest, isFrontmost: false)
    #expect(
      central.handle(.connect(Self.phone), at: .zero)
        == [.listen(.init(timing: RuleSet.newest.backgroundScan.value, isActive: false))])
    let years = Duration.seconds(1_000_000_000)
    #expect(central.handle(.received(Self.other, Self.front), at: years) == [.ignored(Self.other, .notScanning)])
    // One that takes no connection is not the trigger.
    #expect(
      central.handle(.received(Self.phone, Self.stranger), at: years) == [])
    #expect(central.handle(.received(Self.phone, Self.front), at: years) == [.connect(Self.phone), .listen(nil)])
    #expect(
      central.handle(.connectionFailed(Self.phone), at: years) == [.listen(Self.dark)])
    #expect(central.handle(.received(Self.phone, Self.front), at: years) == [.connect(Self.phone), .listen(nil)])
    #expect(central.handle(.connected(Self.phone), at: years) == [])
    #expect(central.handle(.cancelConnection(Self.phone), at: years) == [.disconnect(Self.phone)])
    #expect(central.handle(.connectionFailed(Self.phone), at: years) == [])
    _ = central.handle(.connect(Self.phone), at: years)
    #expect(central.handle(.cancelConnection(Self.phone), at: years) == [.listen(nil)])
  }
}
