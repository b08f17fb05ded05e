import BleperaAir
import BleperaBluetooth
import BleperaHost
import Testing

@testable import BleperaVirtualBlueZ

@Suite("The bytes of an advertisement")
struct AdvertisementEncoderTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    var behavior = DaemonBehavior()
    var isDiscoverable = false
    let change: @Sendable (inout AdvertisementProperties) -> Void
    let expected: Result<String, AdvertisementRefusal>

    var testDescription: String { name }
  }

  private static let heartRate = BluetoothUUID(0x180D as UInt16)
  private static let long = BluetoothUUID("E20A39F4-73F5-4BC4-A12F-17D1AD07A961") ?? heartRate
  private static let new = DaemonBehavior(minor: 82)
  private static let experimental = DaemonBehavior(minor: 66, isExperimental: true)

  static let cases: [Case] = [
    Case(
      name: "a discoverable service", change: { $0.serviceUUIDs = [heartRate] }, expected: .success("03030d18020106|")),
    Case(
      name: "the name in the scan response", change: { $0.localName = "ab" }, expected: .success("020106|03096162")),
    Case(name: "an empty name is none", change: { $0.localName = "" }, expected: .success("020106|")),
    Case(
      name: "a long name cut to 29 bytes", change: { $0.localName = String(repeating: "x", count: 40) },
      expected: .success("020106|1e08" + String(repeating: "78", count: 29))),
    Case(
      name: "services of each width, shortest first", change: { $0.serviceUUIDs = [long, heartRate] },
      expected: .success("03030d18110761a907add1172fa1c44bf573f4390ae2020106|")),
    Case(
      name: "manufacturer data before service data",
      change: {
        $0.serviceData = [.init(uuid: heartRate, data: [1])]
        $0.manufacturerData = [.init(companyIdentifier: 0x004C, data: [1, 2])]
      },
      expected: .success("05ff4c000102" + "04160d1801" + "020106|")),
    Case(name: "the appearance", change: { $0.appearance = 0x0340 }, expected: .success("03194003020106|")),
    Case(
      name: "solicited services", change: { $0.solicitUUIDs = [heartRate] }, expected: .success("03140d18020106|")),
    Case(name: "raw data", change: { $0.data = [.init(type: 0x26, data: [9])] }, expected: .success("022609020106|")),
    Case(name: "raw Flags", change: { $0.data = [.init(type: 0x01, data: [0x1A])] }, expected: .failure(.notParsed)),
    Case(name: "the power at the end", change: { $0.includes = ["tx-power"] }, expected: .success("020106020a00|")),
    Case(name: "an unknown include", change: { $0.includes = ["what"] }, expected: .success("020106|")),
    Case(name: "the adapter's name", change: { $0.includes = ["local-name"] }, expected: .success("020106|0409626f78")),
    Case(
      name: "two names",
      change: {
        $0.includes = ["local-name"]
        $0.localName = "x"
      }, expected: .failure(.notParsed)),
    Case(name: "the broken include", change: { $0.includes = ["appearance"] }, expected: .failure(.notRegistered)),
    Case(name: "no Discoverable", change: { $0.isDiscoverable = nil }, expected: .success("|")),
    Case(
      name: "no Discoverable, an adapter that is", isDiscoverable: true, change: { $0.isDiscoverable = nil },
      expected: .success("020106|")),
    Case(
      name: "Discoverable with an adapter that is", isDiscoverable: true, change: { _ in },
      expected: .success("020102|")),
    Case(name: "not Discoverable", change: { $0.isDiscoverable = false }, expected: .success("|")),
    Case(
      name: "not Discoverable on 5.82", behavior: new, change: { $0.isDiscoverable = false },
      expected: .success("020104|")),
    Case(name: "a limited time", change: { $0.discoverableTimeout = 9 }, expected: .success("020105|")),
    Case(
      name: "no time at all", change: { $0.discoverableTimeout = 0 }, expected: .failure(.neverAnswered)),
    Case(
      name: "no time at all on 5.82", behavior: new, change: { $0.discoverableTimeout = 0 },
      expected: .success("020106|")),
    Case(
      name: "31 bytes",
      change: { $0.manufacturerData = [.init(companyIdentifier: 1, data: Array(repeating: 0, count: 24))] },
      expected: .success("1bff0100" + String(repeating: "00", count: 24) + "020106|")),
    Case(
      name: "32 bytes",
      change: { $0.manufacturerData = [.init(companyIdentifier: 1, data: Array(repeating: 0, count: 25))] },
      expected: .failure(.notRegistered)),
    Case(
      name: "32 bytes on 5.82", behavior: new,
      change: { $0.manufacturerData = [.init(companyIdentifier: 1, data: Array(repeating: 0, count: 25))] },
      expected: .success("1cff0100" + String(repeating: "00", count: 25) + "020106|")),
    Case(name: "a discoverable broadcast", change: { $0.kind = .broadcast }, expected: .failure(.notParsed)),
    Case(name: "an unknown channel", change: { $0.secondaryChannel = "3M" }, expected: .failure(.notParsed)),
    Case(
      name: "one interval, ignored", change: { $0.minimumInterval = 100 }, expected: .success("020106|")),
    Case(
      name: "one interval, honored", behavior: experimental, change: { $0.minimumInterval = 100 },
      expected: .failure(.notParsed)),
    Case(
      name: "the scan response before 5.80", behavior: DaemonBehavior(minor: 79, isExperimental: true),
      change: { $0.scanResponseServiceUUIDs = [heartRate] }, expected: .success("020106|")),
    Case(
      name: "the scan response of 5.82", behavior: new,
      change: { $0.scanResponseServiceUUIDs = [heartRate] }, expected: .success("020106|03030d18")),
  ]

  @Test("An advertisement has the bytes that bluetoothd gives it", arguments: cases)
  func bytes(of example: Case) {
    var content = AdvertisementProperties(kind: .peripheral)
    content.isDiscoverable = true
    example.change(&content)
    let encoder = AdvertisementEncoder(
      behavior: example.behavior, alias: "box", isAdapterDiscoverable: example.isDiscoverable)
    let result = Result { () throws(AdvertisementRefusal) in
      let encoded = try encoder.encode(content)
      return Hex.string(encoded.data, uppercase: false) + "|" + Hex.string(encoded.scanResponse, uppercase: false)
    }
    #expect(result == example.expected)
  }

  @Test(
    "Intervals count where the release or -E says so",
    arguments: [(66, false, 1280), (76, false, 1280), (66, true, 100), (77, false, 100), (82, false, 100)])
  func interval(minor: Int, isExperimental: Bool, milliseconds: Int) throws {
    var content = AdvertisementProperties(kind: .peripheral)
    (content.minimumInterval, content.maximumInterval) = (100, 150)
    let encoder = AdvertisementEncoder(
      behavior: DaemonBehavior(minor: minor, isExperimental: isExperimental), alias: "",
      isAdapterDiscoverable: false)
    #expect(try encoder.encode(content).interval == .milliseconds(milliseconds))
  }

  @Test("A broadcast can be connected to only where the adapter is discoverable", arguments: [false, true])
  func broadcast(isDiscoverable: Bool) throws {
    let encoder = AdvertisementEncoder(
      behavior: DaemonBehavior(), alias: "", isAdapterDiscoverable: isDiscoverable)
    #expect(try encoder.encode(AdvertisementProperties()).isConnectable == isDiscoverable)
  }
}
