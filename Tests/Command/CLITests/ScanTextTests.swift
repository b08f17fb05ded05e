import BleperaAppLink
import BleperaBlueZ
import BleperaBluetooth
import BleperaDBus
import BleperaRecording
import BleperaRules
import Testing

@testable import BleperaCLI
@testable import BleperaSessions

@Suite struct ScanTextTests {
  private static let heartRate = BluetoothUUID(0x180D as UInt16)
  private static let rival = BluetoothUUID(0x00A3 as UInt16)

  private static func device(_ name: String?, _ uuids: [BluetoothUUID], bits: OverflowArea? = nil) -> FoundDevice {
    var device = FoundDevice(path: "/org/bluez/hci0/dev_00_AA_01_00_00_01")
    device.rssi = -50
    device.advertised.name = name
    device.advertised.serviceUUIDs = uuids
    if let bits { device.advertised.manufacturerData = [OverflowArea.companyIdentifier: [1] + bits.bytes] }
    return device
  }

  private static let front = device("Heart Rate", [heartRate])
  private static let back = device(nil, [], bits: OverflowArea([heartRate]))

  private static func record(
    _ device: FoundDevice, asking services: [BluetoothUUID], in place: ScanRecord.Place = .foreground,
    past: FoundDevice? = nil
  ) -> ScanRecord {
    var central = IOSCentral(.newest, isFrontmost: place == .foreground, isScreenOn: place != .screenOff)
    _ = central.handle(.scan(ScanRequest(services: services)), at: .zero)
    let outcome = central.reception(of: ReceivedAdvertisement(device.advertised.packet, rssi: device.rssi))
    return ScanRecord(discovered: device, outcome, past: (past ?? device).advertised)
  }

  private static func lines(_ record: ScanRecord) -> [String] {
    ScanText(terminal: .plain).lines(record, at: Timestamp(seconds: 0, milliseconds: 0)).map {
      String($0.dropFirst(14))
    }
  }

  private static let mask = "004C 0100000000000000200000000000000000"

  @Test func `what is listed is found, and all see the same`() {
    #expect(
      Self.lines(Self.record(Self.front, asking: [Self.heartRate])) == [
        "discovered      00:AA:01:00:00:01  -50 dBm",
        #"iOS             discovered  "Heart Rate"  180D Heart Rate"#,
        #"Android, BlueZ  "Heart Rate"  180D Heart Rate"#,
      ])
  }

  @Test func `a bit is printed with the services that share it`() {
    #expect(
      Self.lines(Self.record(Self.back, asking: [Self.heartRate, Self.rival])) == [
        "discovered      00:AA:01:00:00:01  -50 dBm  overflow area: bit 61",
        "iOS             discovered  no name  180D Heart Rate or 00A3 by bit 61, which another UUID may have set",
        "Android, BlueZ  no name  no services  manufacturer data \(Self.mask)",
        "Android 16      the same behind Apple's data of the advertisement, if any, which BlueZ does not report",
      ])
    let json = Self.record(Self.back, asking: [Self.heartRate, Self.rival]).json
    #expect(
      json.contains(
        #""overflowServiceUUIDs":[{"ambiguous":true,"bit":61,"sharedWith":["00A3"],"uuid":"180D"},{"ambiguous":true,"bit":61,"#
      ))
    #expect(
      Self.record(Self.back, asking: [Self.rival]).json.contains(
        #"[{"ambiguous":true,"bit":61,"uuid":"00A3"}]"#))
  }

  @Test func `BlueZ takes nothing back`() {
    #expect(
      Self.lines(Self.record(Self.back, asking: [Self.heartRate], in: .screenOff, past: Self.front)) == [
        "discovered      00:AA:01:00:00:01  -50 dBm  overflow area: bit 61",
        "iOS             not discovered: the bit is set, but the overflow area is not read while the screen is off",
        "Android         no name  no services  manufacturer data \(Self.mask)",
        "Android 16      the same behind Apple's data of the advertisement, if any, which BlueZ does not report",
        #"BlueZ           "Heart Rate"  180D Heart Rate  manufacturer data \#(Self.mask)"#,
      ])
  }

  private static let reading: [([ADStructure], [ADStructure], [String])] = [
    (
      [.manufacturerData(companyIdentifier: OverflowArea.companyIdentifier, data: [0x10, 0x01, 0x00])],
      [OverflowArea([heartRate]).structure],
      [
        "discovered      5A:01:02:03:04:05  -60 dBm  overflow area: bit 61",
        "iOS             discovered  no name  180D Heart Rate by bit 61, which another UUID may have set",
        "Android         no name  no services  manufacturer data \(mask)",
        "Android 16      no name  no services  manufacturer data 004C 1001000100000000000000200000000000000000",
      ]
    ),
    (
      UUIDList.lists(of: [heartRate]).map { .serviceUUIDs($0, complete: true) }, [.completeLocalName("Heart Rate")],
      [
        "discovered      5A:01:02:03:04:05  -60 dBm",
        "iOS             discovered  no name  180D Heart Rate",
        #"Android         "Heart Rate"  180D Heart Rate"#,
      ]
    ),
  ]

  @Test(arguments: reading)
  func `a controller reads both packets, and there is no BlueZ`(
    data: [ADStructure], response: [ADStructure], lines: [String]
  ) {
    var central = IOSCentral(.newest)
    _ = central.handle(.scan(ScanRequest(services: [Self.heartRate])), at: .zero)
    let received = ReceivedAdvertisement(AdvertisingData(data), scanResponse: AdvertisingData(response), rssi: -60)
    let record = ScanRecord(
      discovered: PeripheralID(rawValue: "5A:01:02:03:04:05"), received, central.reception(of: received))
    #expect(Self.lines(record) == lines)
    #expect(record.json.contains(#""central":"android16""#) && !record.json.contains(#""central":"bluez""#))
  }

  @Test func `a device that is known already is printed with its cached properties`() {
    var device = Self.front
    device.isPaired = true
    #expect(
      Self.lines(Self.record(device, asking: [])).last
        == "                bluetoothd merges earlier data of this device, including all of its services")
    #expect(Self.record(device, asking: []).json.contains(#""merged":true"#))
  }

  @Test func `a name beside nothing but an overflow area is doubted`() {
    var device = Self.back
    device.advertised.name = "Heart Rate"
    #expect(
      Self.lines(Self.record(device, asking: [])).last
        == "                the name may be an old one from bluetoothd's cache")
    #expect(Self.record(device, asking: []).json.contains(#""nameMayBeCached":true"#))
    #expect(!Self.record(Self.front, asking: []).json.contains("nameMayBeCached"))
  }

  @Test(arguments: IgnoreReason.allCases)
  func `every reason is printed as text and as JSON`(reason: IgnoreReason) {
    let record = ScanRecord(discovered: Self.front, .ignored(reason), past: Self.front.advertised)
    let line = Self.lines(record)[1]
    let isFound = reason == .reported
    #expect(line.hasPrefix(isFound ? "iOS             already" : "iOS             not discovered: "))
    #expect(record.json.contains(#""central":"ios","discovered":\#(isFound),"reason":"\#(reason.rawValue)""#))
  }

  @Test func `color changes nothing but the color`() {
    let record = Self.record(Self.back, asking: [Self.heartRate])
    let time = Timestamp(seconds: 0, milliseconds: 0)
    let colored = ScanText(terminal: .colored).lines(record, at: time)
    #expect(colored.contains { $0.contains("\u{1B}[32mdiscovered\u{1B}[0m") })
    #expect(colored.map(\.withoutColor) == ScanText(terminal: .plain).lines(record, at: time))
  }
}
