import BleperaAppLink
import BleperaBluetooth
import BleperaHost
import BleperaRecording
import FoundationEssentials
import TestSupport
import Testing

@testable import BleperaAir
@testable import BleperaCLI
@testable import BleperaLabCLI
@testable import BleperaSessions

@Suite struct CentralTextTests {
  private static let time = Timestamp(seconds: 1_795_269_839, milliseconds: 42)
  private static let lock = BluetoothUUID(bits: 0xC8B6_F0B5_7A37_4B4E_9F0C_6B2B_5D1E_8A01)

  private static func heard(
    _ name: String?, _ uuids: [BluetoothUUID] = [], _ data: [UInt16: [UInt8]] = [:], known: [BluetoothUUID] = []
  ) -> DemoCentralEvent {
    var structures = UUIDList.lists(of: uuids).map { ADStructure.serviceUUIDs($0, complete: true) }
    if let name { structures.append(.completeLocalName(name)) }
    structures += data.map { .manufacturerData(companyIdentifier: $0.key, data: $0.value) }
    let report = AdvertisementReport(
      address: DeviceAddress(bits: 0x00AA_0100_0000), isConnectable: true, isExtended: false, isScannable: true,
      rssi: -50,
      data: AdvertisingData(structures).bytes, scanResponse: [])
    return DemoCentralEvent(discovered: report, AdvertisedContent(structures), known: known)
  }

  private static func record(
    _ event: DemoCentralEvent.Kind, _ change: (inout DemoCentralEvent) -> Void = { _ in }
  ) -> DemoCentralEvent {
    var record = DemoCentralEvent(event)
    change(&record)
    return record
  }

  private static let heartRate = BluetoothUUID(0x180D as UInt16)
  private static let area = OverflowArea([heartRate, lock])

  struct Sample: CustomTestStringConvertible, Sendable {
    let record: DemoCentralEvent
    /// The line of JSON, with the time `T`.
    let json: String
    /// The text after the time.
    let text: String

    var testDescription: String { text }
  }

  private static let samples: [Sample] = [
    Sample(
      record: record(.scanning),
      json:
        #"{"event":"scanning","side":"central","time":"T"}"#, text: "scanning"),
    Sample(
      record: heard("Heart", [heartRate, lock]),
      json:
        #"{"event":"discovered","localName":"Heart","peripheral":"00:AA:01:00:00:00","rssi":-50,"#
        + #""serviceUUIDs":["180D","C8B6F0B5-7A37-4B4E-9F0C-6B2B5D1E8A01"],"side":"central","time":"T"}"#,
      text:
        #"discovered      00:AA:01:00:00:00  "Heart"  180D Heart Rate, C8B6F0B5-7A37-4B4E-9F0C-6B2B5D1E8A01  -50 dBm"#),
    Sample(
      record: heard(nil, [], [0x4C: [1] + area.bytes], known: [heartRate]),
      json: #"{"event":"discovered","manufacturerData":[{"company":"004C","data":"01\#(Hex.string(area.bytes))"}],"#
        + #""overflowBits":[\#(area.bits[0]),\#(area.bits[1])],"overflowServiceUUIDs":["180D"],"peripheral":"00:AA:01:00:00:00","#
        + #""rssi":-50,"serviceUUIDs":[],"side":"central","time":"T"}"#,
      text:
        "discovered      00:AA:01:00:00:00  no name  no services  manufacturer data 004C 01\(Hex.string(area.bytes))"
        + "  overflow area: bits \(area.bits[0]), \(area.bits[1]), matching 180D  -50 dBm"),
    Sample(
      record: heard(nil, [], [0x59: [1, 2]]),
      json:
        #"{"event":"discovered","manufacturerData":[{"company":"0059","data":"0102"}],"#
        + #""peripheral":"00:AA:01:00:00:00","rssi":-50,"serviceUUIDs":[],"side":"central","time":"T"}"#,
      text: "discovered      00:AA:01:00:00:00  no name  no services  manufacturer data 0059 0102  -50 dBm"),
    // 16 bytes with the header, as many as a mask has.
    Sample(
      record: heard(nil, [], [0x59: [UInt8](repeating: 1, count: 12)], known: [heartRate]),
      json:
        #"{"event":"discovered","manufacturerData":[{"company":"0059","data":"010101010101010101010101"}],"#
        + #""peripheral":"00:AA:01:00:00:00","rssi":-50,"serviceUUIDs":[],"side":"central","time":"T"}"#,
      text:
        "discovered      00:AA:01:00:00:00  no name  no services  manufacturer data 0059 010101010101010101010101  -50 dBm"
    ),
    Sample(
      record: record(.intervalMeasured) { ($0.peripheral, $0.interval) = ("A", 186.6) },
      json:
        #"{"event":"intervalMeasured","interval":186.6,"peripheral":"A","side":"central","time":"T"}"#,
      text: "interval        A  every 187 ms"),
    Sample(
      record: record(.waiting) { $0.seconds = 12 },
      json:
        #"{"event":"waiting","seconds":12,"side":"central","time":"T"}"#,
      text: "waiting         12 s until the next connection"),
    Sample(
      record: record(.lost) { $0.peripheral = "A" },
      json:
        #"{"event":"lost","peripheral":"A","side":"central","time":"T"}"#, text: "lost            A"),
    Sample(
      record: record(.found) { ($0.service, $0.characteristic, $0.properties) = ("180D", "2A37", ["read", "notify"]) },
      json:
        #"{"characteristic":"2A37","event":"found","properties":["read","notify"],"service":"180D","#
        + #""side":"central","time":"T"}"#,
      text: "found             2A37 Heart Rate Measurement  read, notify"),
    Sample(
      record: record(.received) { ($0.service, $0.characteristic, $0.value) = ("180D", "2A37", "063C") },
      json:
        #"{"characteristic":"2A37","event":"received","service":"180D","side":"central","time":"T","#
        + #""value":"063C"}"#,
      text: "received        2A37 Heart Rate Measurement  06 3C  60 beats per minute"),
    Sample(
      record: record(.written) {
        ($0.service, $0.characteristic, $0.value, $0.reason) = ("180D", "2A39", "01", "0x80")
      },
      json:
        #"{"characteristic":"2A39","event":"written","reason":"0x80","service":"180D","side":"central","time":"T","#
        + #""value":"01"}"#,
      text: "written         2A39 Heart Rate Control Point  01  0x80"),
    Sample(
      record: record(.read) { ($0.service, $0.characteristic, $0.reason) = ("180D", "2A38", "0x06") },
      json:
        #"{"characteristic":"2A38","event":"read","reason":"0x06","service":"180D","side":"central","#
        + #""time":"T"}"#,
      text: "read            2A38 Body Sensor Location  0x06"),
  ]

  @Test(arguments: samples)
  func `what the central sees is one line of text, and one of JSON`(sample: Sample) {
    #expect(CentralText(terminal: .plain).line(sample.record, at: Self.time) == "\(Self.time.clock)  \(sample.text)")
    var record = sample.record
    record.time = "T"
    #expect(record.json == sample.json)
  }

  @Test(arguments: samples)
  func `color changes nothing but the color`(sample: Sample) {
    let colored = CentralText(terminal: .colored).line(sample.record, at: Self.time)
    #expect(colored.withoutColor == CentralText(terminal: .plain).line(sample.record, at: Self.time))
  }

  @Test func `the first advertisement says how long after the start it came`() {
    var record = Self.heard("Heart")
    record.seconds = 0.054
    #expect(CentralText.details(record).hasSuffix("-50 dBm  0.05 s after the start"))
  }

  @Test func `the page lists each event of the central`() throws {
    let page = try ProjectFile.text("docs/json.md")
    let text = page.split(separator: "\n## ").first { $0.hasPrefix("Events of the central\n") } ?? ""
    for event in DemoCentralEvent.Kind.allCases { #expect(text.contains("`\(event.rawValue)`"), "\(event)") }
  }

  @Test(
    arguments: [
      ([], nil, "(empty)"), ([1], "2A38", "01  chest"), ([9], "2A38", "09"),
      ([6, 84], "2A37", "06 54  84 beats per minute"),
      ([7, 1, 1], "2A37", "07 01 01  257 beats per minute"), ([7, 1], "2A37", "07 01"), ([55], "2A19", "37  55 %"),
      ([0, 0x69, 0x01, 0, 0xFF], "2A1C", "00 69 01 00 FF  36.1 °C"),
      ([1, 3, 4, 0, 0xFF], "2A1C", "01 03 04 00 FF  102.7 °F"),
      ([0, 0xFF, 0xFF, 0x7F, 0], "2A1C", "00 FF FF 7F 00"), ([0x38, 0xFF], "2A6E", "38 FF  -2 °C"),
      ([0, 120, 0, 80, 0, 93, 0], "2A35", "00 78 00 50 00 5D 00  120/80 mmHg"), ([2], "2A06", "02  high alert"),
      ([0, 0x50, 0x46], "2A9D", "00 50 46  90 kg"),
      ([0, 97, 0, 60, 0], "2A5F", "00 61 00 3C 00  97 %, 60 beats per minute"),
      ([0xEA, 0x07, 11, 23, 4, 5, 6, 1, 0, 0], "2A2B", "EA 07 0B 17 04 05 06 01 00 00  2026-11-23 04:05:06"),
      ([0xF4], "2A07", "F4  -12 dBm"), ([0xE5, 0x08], "2A6E", "E5 08  22.77 °C"), ([1, 2], "2A19", "01 02"),
      (Array("Hello".utf8), "2A29", #"48 65 6C 6C 6F  "Hello""#), (Array("ffF@".utf8), nil, "66 66 46 40"),
      ([0x48, 0x65, 0x6C, 0x6C, 0xFF], nil, "48 65 6C 6C FF"),
      (Array(repeating: 0, count: 21), nil, "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 … (21 bytes)"),
    ] as [([UInt8], String?, String)])
  func `a value is its bytes, and what they say where that is plain`(
    value: [UInt8], characteristic: String?, text: String
  ) {
    #expect(ValueText.text(value, of: characteristic.flatMap { BluetoothUUID($0) }) == text)
  }

  @Test func `a process is as old as the kernel says, whatever its name`() {
    let fields = (4...21).map { "\($0)" }.joined(separator: " ")
    #expect(ProcessAge.seconds(stat: "1 (a) b) S \(fields) 4200 23\n", uptime: 43.5, ticks: 100) == 1.5)
    #expect(ProcessAge.seconds(stat: "1 (a) S 4", uptime: 43.5, ticks: 100) == nil)
    #expect(ProcessAge.seconds(stat: "", uptime: 43.5, ticks: 100) == nil)
    #expect(ProcessAge.seconds.map { $0 > 0 && $0 < 3600 } == true)
  }

  @Test func `c and w are for those who have a central`() {
    #expect(Key.list(hasCentral: true).contains("  c  connect the central now"))
    #expect(!Key.list(hasCentral: false).contains { $0.contains("central") })
    #expect(Key.list(hasCentral: true).count == Key.list(hasCentral: false).count + 2)
  }
}
