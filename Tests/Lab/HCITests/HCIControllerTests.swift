import BleperaBluetooth
import BleperaHCIProtocol
import BleperaHost
import Testing

@testable import BleperaAir
@testable import BleperaHCI

@Suite("The commands of the controller at the air's edge")
struct HCIControllerTests {
  private static let address: [UInt8] = [0x05, 0, 0, 0x01, 0xAA, 0]
  private static let random: [UInt8] = [1, 2, 3, 4, 5, 0xC6]

  /// An advertising set of legacy packets, from parameters to enable.
  private static func set(
    _ handle: UInt8, properties: UInt16 = 0x13, ownType: UInt8 = 0, interval: Int = 160
  ) -> [UInt8] {
    [handle] + LittleEndian.bytes(properties) + LittleEndian.bytes(interval, count: 3)
      + LittleEndian.bytes(interval, count: 3)
      + [7, ownType, 0] + [UInt8](repeating: 0, count: 6) + [0, 0x7F, 1, 0, 1, 0, 0]
  }

  /// Parameters of legacy advertising.
  private static func legacy(type: UInt8 = 0, ownType: UInt8 = 0, interval: UInt16 = 160) -> [UInt8] {
    LittleEndian.bytes(interval) + LittleEndian.bytes(interval) + [type, ownType, 0] + [UInt8](repeating: 0, count: 6)
      + [7, 0]
  }

  private static func data(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8(bytes.count)] + bytes + [UInt8](repeating: 0, count: 31 - bytes.count)
  }

  // MARK: Information about the controller

  @Test(
    "Each command that the mask names works, and every other one is unknown", arguments: [false, true], [false, true])
  func mask(isLegacy: Bool, isDual: Bool) {
    var host = Host(isLegacy: isLegacy, isDual: isDual)
    let mask = host.send(0x1002).rest
    #expect(mask.count == 64)
    for opcode in [UInt16](0x0401...0x041F) + [UInt16](0x0C01...0x0C7F) + [UInt16](0x1001...0x1010)
      + [UInt16](0x2001...0x209F)
    {
      let command = HCICommand.find(opcode)
      let isNamed = command?.place.map { mask[$0.octet] & 1 << $0.bit != 0 } ?? (opcode == 0x1002)
      // Most commands fail without parameters, but none of them is unknown.
      #expect((host.send(opcode).status != HCIError.unknownCommand.rawValue) == isNamed, "\(opcode)")
    }
    #expect(
      mask.map(\.nonzeroBitCount).reduce(0, +)
        == HCICommand.all.count {
          $0.place != nil && (!isLegacy || $0.kind != .extended) && (isDual || $0.kind != .classic)
        })
  }

  @Test("Places in the mask are unique")
  func places() {
    let places = HCICommand.all.compactMap(\.place).map { $0.octet * 8 + $0.bit }
    #expect(Set(places).count == places.count)
  }

  @Test("Features, version and address")
  func start() {
    var host = Host()
    #expect(host.send(0x1001).rest == [0x0D, 0, 0, 0x0D, 0xFF, 0xFF, 0, 0])
    #expect(host.send(0x1003).rest == [0, 0, 0, 0, 0x60, 0, 0, 0])
    #expect(host.send(0x1009).rest == Self.address)
    #expect(host.send(0x2003).rest == [0x7F, 0x10, 0, 0, 0, 0, 0, 0])
    #expect(host.send(0x2002).rest == [251, 0, 8])
    // All states and pairs of them but those with directed advertising.
    #expect(host.send(0x201C).rest == [0xF7, 0x77, 0xFF, 0x1F, 0x49, 0x02, 0, 0])
    #expect(host.send(0x203A).rest == [229, 0])
    #expect(host.send(0x203B).rest == [16])
    // Of page 2 the controller has no event; channels are all used.
    #expect(host.send(0x0C63, [UInt8](repeating: 0xFF, count: 8)).status == 0)
    #expect(host.send(0x2014, [1, 0, 0, 0, 0]).status == 0)
    #expect(host.send(0x2014, [0, 0, 0, 0, 0]).status == HCIError.invalidParameters.rawValue)
    var legacy = Host(isLegacy: true)
    #expect(legacy.send(0x2007).rest == [0])
    #expect(legacy.send(0x2003).rest == [0x7F, 0, 0, 0, 0, 0, 0, 0])
  }

  @Test("LE Encrypt is AES with the least significant octet first (the example of Vol 6, Part C, 1, in that order)")
  func encrypt() {
    var host = Host()
    let key: [UInt8] = [0xBF, 0x01, 0xFB, 0x9D, 0x4E, 0xF3, 0xBC, 0x36, 0xD8, 0x74, 0xF5, 0x39, 0x41, 0x38, 0x68, 0x4C]
    let data: [UInt8] = [
      0x13, 0x02, 0xF1, 0xE0, 0xDF, 0xCE, 0xBD, 0xAC, 0x79, 0x68, 0x57, 0x46, 0x35, 0x24, 0x13, 0x02,
    ]
    let result: [UInt8] = [
      0x66, 0xC6, 0xC2, 0x27, 0x8E, 0x3B, 0x8E, 0x05, 0x3E, 0x7E, 0xA3, 0x26, 0x52, 0x1B, 0xAD, 0x99,
    ]
    #expect(host.send(0x2017, key + data).rest == result)
  }

  @Test("LE Rand differs each time, and a run with the same seed has the same numbers")
  func rand() {
    var (first, second) = (Host(), Host())
    let numbers = [first.send(0x2018).rest, first.send(0x2018).rest]
    #expect(numbers[0].count == 8 && numbers[0] != numbers[1])
    #expect([second.send(0x2018).rest, second.send(0x2018).rest] == numbers)
  }

  @Test("A command whose parameters are cut is invalid, and returns its whole length")
  func cut() {
    var host = Host(isDual: true)
    for command in HCICommand.all where command.opcode != .readLocalSupportedCommands {
      let (status, rest, _) = host.send(command.opcode.rawValue)
      #expect(rest.count == command.returns, "\(command.opcode)")
      #expect(
        status == 0 || status == HCIError.invalidParameters.rawValue || status == HCIError.commandDisallowed.rawValue,
        "\(command.opcode)")
    }
  }

  // MARK: Legacy and extended commands

  @Test("The first kind that a host uses excludes the other until Reset")
  func kinds() {
    var host = Host()
    #expect(host.send(0x2006, Self.legacy()).status == 0)
    #expect(host.send(0x2036, Self.set(1)).status == HCIError.commandDisallowed.rawValue)
    // The address of a set is of neither kind.
    #expect(host.send(0x2035, [1] + Self.random).status == HCIError.unknownAdvertisingSet.rawValue)
    #expect(host.send(0x0C03).status == 0)
    #expect(host.send(0x2035, [1] + Self.random).status == HCIError.unknownAdvertisingSet.rawValue)
    #expect(host.send(0x2006, Self.legacy()).status == 0)
    #expect(host.send(0x0C03).status == 0)
    #expect(host.send(0x2036, Self.set(1)).status == 0)
    #expect(host.send(0x2006, Self.legacy()).status == HCIError.commandDisallowed.rawValue)
  }

  // MARK: Advertising

  @Test("Legacy advertising is on the air as it was set, and new data does not begin it again")
  func legacyAdvertising() throws {
    var host = Host()
    #expect(host.send(0x2006, Self.legacy(interval: 320)).status == 0)
    #expect(host.send(0x2008, Self.data([2, 1, 6])).status == 0)
    #expect(host.send(0x2009, Self.data([2, 0x0A, 0])).status == 0)
    let enabled = host.send(0x200A, [1])
    let sent = try #require(enabled.outputs.advertised.first?.packets)
    #expect(sent.data == [2, 1, 6] && sent.scanResponse == [2, 0x0A, 0] && sent.isConnectable && !sent.isExtended)
    #expect(sent.interval == .milliseconds(200))
    #expect(sent.address == .fixed(DeviceAddress(bits: 0x00AA_0100_0005)))
    #expect(host.send(0x2006, Self.legacy()).status == HCIError.commandDisallowed.rawValue)
    for (opcode, data) in [(0x2008, [2, 1, 4]), (0x2009, [2, 0x0A, 9])] as [(UInt16, [UInt8])] {
      let changed = host.send(opcode, Self.data(data)).outputs
      let packets = try #require(changed.replaced.first)
      #expect(changed.count == 1 && [packets.data, packets.scanResponse].contains(data))
    }
    #expect(host.send(0x200A, [1]).outputs.replaced.count == 1)
    #expect(host.send(0x200A, [0]).outputs == [.withdraw(0xFF)])
    #expect(host.send(0x200A, [0]).outputs.isEmpty)
  }

  @Test("Advertising under a random address needs that address")
  func randomAddress() throws {
    var host = Host()
    #expect(host.send(0x2006, Self.legacy(type: 3, ownType: 1)).status == 0)
    #expect(host.send(0x200A, [1]).status == HCIError.invalidParameters.rawValue)
    #expect(host.send(0x2005, Self.random).status == 0)
    let sent = try #require(host.send(0x200A, [1]).outputs.advertised.first?.packets)
    #expect(sent.address == .fixed(DeviceAddress(bits: 0xC605_0403_0201, isRandom: true)) && !sent.isConnectable)
    #expect(host.send(0x2005, Self.random).status == HCIError.commandDisallowed.rawValue)
  }

  @Test("Each set has its own address, data and interval")
  func sets() throws {
    var host = Host()
    for handle in [UInt8(0), 7] {
      #expect(host.send(0x2036, Self.set(handle, ownType: 1, interval: 160 + Int(handle))).rest == [0])
      #expect(host.send(0x2035, [handle] + Self.random.dropLast() + [0xC0 + handle]).status == 0)
      #expect(host.send(0x2037, [handle, 3, 1, 2, handle, 0]).status == 0)
      #expect(host.send(0x2038, [handle, 3, 1, 1, handle]).status == 0)
    }
    let outputs = host.send(0x2039, [1, 2, 0, 0, 0, 0, 7, 0x64, 0, 0]).outputs
    #expect(outputs.advertised.map(\.set) == [0, 7])
    #expect(outputs.advertised.map(\.packets.data) == [[0, 0], [7, 0]])
    #expect(outputs.advertised.map(\.packets.scanResponse) == [[0], [7]])
    #expect(
      outputs.advertised.map(\.packets.address)
        == [0xC005_0403_0201, 0xC705_0403_0201].map { .fixed(DeviceAddress(bits: $0, isRandom: true)) })
    guard case .advertise(_, _, .seconds(1), nil) = outputs[1] else {
      Issue.record("no time limit: \(outputs[1])")
      return
    }
    #expect(host.send(0x203C, [7]).status == HCIError.commandDisallowed.rawValue)
    #expect(host.send(0x203D).status == HCIError.commandDisallowed.rawValue)
    #expect(host.send(0x2039, [0, 0]).outputs == [.withdraw(0), .withdraw(7)])
    #expect(host.send(0x203C, [7]).status == 0)
    #expect(host.send(0x2039, [1, 1, 7, 0, 0, 0]).status == HCIError.unknownAdvertisingSet.rawValue)
    #expect(host.send(0x203D).status == 0)
  }

  @Test(
    "A set that has ended is reported with its reason and its events",
    arguments: [(UInt8(0), 300, HCIError.advertisingTimeout), (5, 4, .advertisingTimeout), (5, 5, .limitReached)])
  func ended(limit: UInt8, events: Int, reason: HCIError) {
    var host = Host()
    host.unmask()
    _ = host.send(0x2036, Self.set(2))
    _ = host.send(0x2039, [1, 1, 2, 10, 0, limit])
    #expect(
      host.controller.released(2, after: events, at: .seconds(1)).events
        == [[0x3E, 6, 0x12, reason.rawValue, 2, 0, 0, UInt8(clamping: events)]])
    #expect(host.send(0x2039, [0, 1, 2, 0, 0, 0]).outputs.isEmpty)
  }

  @Test("There is room for sixteen sets, of 31 octets or 229 of extended packets")
  func limits() {
    var host = Host()
    for handle in 0..<16 { #expect(host.send(0x2036, Self.set(UInt8(handle))).status == 0) }
    #expect(host.send(0x2036, Self.set(16)).status == HCIError.memoryCapacityExceeded.rawValue)
    #expect(
      host.send(0x2037, [0, 3, 1, 32] + [UInt8](repeating: 0, count: 32)).status == HCIError.invalidParameters.rawValue)
    #expect(host.send(0x2036, Self.set(0, properties: 0)).status == 0)
    #expect(host.send(0x2037, [0, 1, 1, 200] + [UInt8](repeating: 1, count: 200)).status == 0)
    #expect(host.send(0x2037, [0, 2, 1, 29] + [UInt8](repeating: 2, count: 29)).status == 0)
    #expect(host.send(0x2037, [0, 2, 1, 1, 3]).status == HCIError.invalidParameters.rawValue)
    #expect(host.send(0x2039, [1, 1, 0, 0, 0, 0]).outputs.advertised.first?.packets.data.count == 229)
  }

  @Test(
    "What is not emulated is refused, and what is invalid too",
    arguments: [
      (UInt16(0x15), 0x11), (0x1D, 0x11), (0x20, 0x11), (0x40, 0x11), (0x03, 0x12), (0x11, 0x12), (0x10, 0), (0x12, 0),
      (0x01, 0), (0x02, 0),
    ] as [(UInt16, UInt8)])
  func properties(_ properties: UInt16, status: UInt8) {
    var host = Host()
    #expect(host.send(0x2036, Self.set(0, properties: properties)).status == status)
  }

  @Test(
    "Parameters whose packets cannot have the data of the set are invalid, and so is the data after the parameters",
    arguments: [
      (UInt16(0x2037), 32, UInt16(0x13), UInt8(0x12)), (0x2037, 31, 0x13, 0), (0x2037, 201, 0x10, 0x12),
      (0x2038, 32, 0x12, 0x12), (0x2038, 31, 0x12, 0), (0x2037, 1, 0x02, 0x12), (0x2038, 201, 0x02, 0),
      (0x2037, 201, 0x01, 0),
    ] as [(UInt16, Int, UInt16, UInt8)])
  func dataOfParameters(command: UInt16, length: Int, properties: UInt16, status: UInt8) {
    let data = [0, 3, 1, UInt8(length)] + [UInt8](repeating: 7, count: length)
    var (dataFirst, parametersFirst) = (Host(), Host())
    _ = dataFirst.send(0x2036, Self.set(0, properties: command == 0x2037 ? 0x00 : 0x02))
    #expect(dataFirst.send(command, data).status == 0)
    #expect(dataFirst.send(0x2036, Self.set(0, properties: properties)).status == status)
    // What was there is there still.
    #expect(dataFirst.send(0x2039, [1, 1, 0, 0, 0, 0]).status == 0)
    _ = parametersFirst.send(0x2036, Self.set(0, properties: properties))
    #expect(parametersFirst.send(command, data).status == status)
  }

  // MARK: Scanning

  private static let phone = DeviceAddress(bits: 0x5A01_0203_0405)

  private static func report(
    _ data: [UInt8] = [2, 1, 6], _ response: [UInt8] = [2, 0x0A, 0], isExtended: Bool = false,
    isConnectable: Bool = true
  ) -> AdvertisementReport {
    AdvertisementReport(
      address: phone, isConnectable: isConnectable, isExtended: isExtended, isScannable: !isExtended && isConnectable,
      rssi: -50, data: data, scanResponse: response)
  }

  @Test("A legacy scan reports an advertisement and its response")
  func legacyScan() {
    var host = Host()
    host.unmask()
    #expect(host.send(0x200B, [1, 0x90, 0, 0x12, 0, 0, 0]).status == 0)
    #expect(
      host.send(0x200C, [1, 0]).outputs
        == [.scan(ScanWindow(interval: .milliseconds(90), window: .microseconds(11250), isActive: true))])
    let address: [UInt8] = [1, 5, 4, 3, 2, 1, 0x5A]
    #expect(
      host.controller.received(Self.report(), at: .zero).events == [
        [0x3E, 15, 0x02, 1, 0] + address + [3, 2, 1, 6, 0xCE],
        [0x3E, 15, 0x02, 1, 4] + address + [3, 2, 0x0A, 0, 0xCE],
      ])
    // Extended packets have no legacy report.
    #expect(host.controller.received(Self.report(isExtended: true), at: .zero).isEmpty)
    #expect(host.send(0x200B, [1, 0x90, 0, 0x12, 0, 0, 0]).status == HCIError.commandDisallowed.rawValue)
    #expect(host.send(0x200C, [0, 0]).outputs == [.scan(nil)])
    #expect(host.controller.received(Self.report(), at: .zero).isEmpty)
  }

  @Test("An extended scan reports legacy packets by their types, and long data in parts")
  func extendedScan() {
    var host = Host()
    host.unmask()
    #expect(host.send(0x2041, [0, 0, 1, 0, 0x10, 0, 0x10, 0]).status == 0)
    #expect(
      host.send(0x2042, [1, 0, 0, 0, 0, 0]).outputs == [
        .scan(ScanWindow(interval: .milliseconds(10), window: .milliseconds(10), isActive: false))
      ])
    let tail: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0]
    #expect(
      host.controller.received(Self.report([2, 1, 6], []), at: .zero).events == [
        [0x3E, 29, 0x0D, 1, 0x13, 0, 1, 5, 4, 3, 2, 1, 0x5A, 1, 0, 0xFF, 0x7F, 0xCE] + tail + [3, 2, 1, 6]
      ])
    let long = host.controller.received(
      Self.report([UInt8](repeating: 7, count: 240), [], isExtended: true, isConnectable: false), at: .zero
    ).events
    #expect(long.map { $0[4] } == [0x20, 0x00] && long.map { $0[27] } == [229, 11])
  }

  @Test("No event is sent that a mask hides")
  func masks() {
    var host = Host()
    _ = host.send(0x200B, [0, 0x10, 0, 0x10, 0, 0, 0])
    _ = host.send(0x200C, [1, 0])
    // The LE meta event is masked after a Reset.
    #expect(host.controller.received(Self.report([2, 1, 6], []), at: .zero).isEmpty)
    _ = host.send(0x0C01, LittleEndian.bytes(UInt64.max))
    #expect(host.controller.received(Self.report([2, 1, 6], []), at: .zero).count == 1)
    _ = host.send(0x2001, LittleEndian.bytes(UInt64(1)))
    #expect(host.controller.received(Self.report([2, 1, 6], []), at: .zero).isEmpty)
  }

  @Test("Duplicates are filtered, in each period again where the host asks for that")
  func duplicates() {
    var host = Host()
    host.unmask()
    _ = host.send(0x2041, [0, 0, 1, 0, 0x10, 0, 0x10, 0])
    #expect(host.send(0x2042, [1, 2, 10, 0, 1, 0]).status == 0)
    #expect(host.controller.received(Self.report([2, 1, 6], []), at: .zero).count == 1)
    #expect(host.controller.received(Self.report([2, 1, 6], []), at: .zero).isEmpty)
    #expect(host.controller.deadline == .milliseconds(100))
    #expect(host.controller.tick(at: .milliseconds(100)) == [.scan(nil)])
    #expect(host.controller.deadline == .milliseconds(1280))
    #expect(host.controller.tick(at: .milliseconds(1280)).count == 1)
    #expect(host.controller.received(Self.report([2, 1, 6], []), at: .milliseconds(1281)).count == 1)
  }

  @Test("A scan with a duration ends with LE Scan Timeout")
  func scanTimeout() {
    var host = Host()
    host.unmask()
    _ = host.send(0x2041, [0, 0, 1, 0, 0x10, 0, 0x10, 0])
    _ = host.send(0x2042, [1, 0, 100, 0, 0, 0])
    let outputs = host.controller.tick(at: .seconds(1))
    #expect(outputs.first == .scan(nil) && outputs.events == [[0x3E, 1, 0x11]])
    #expect(host.controller.deadline == nil)
  }

  @Test("With the accept list only its devices are reported, and it is not changed meanwhile")
  func acceptList() {
    var host = Host()
    host.unmask()
    let entry: [UInt8] = [1, 5, 4, 3, 2, 1, 0x5A]
    #expect(host.send(0x200F).rest == [16])
    _ = host.send(0x200B, [0, 0x10, 0, 0x10, 0, 0, 1])
    _ = host.send(0x200C, [1, 0])
    #expect(host.controller.received(Self.report([2, 1, 6], []), at: .zero).isEmpty)
    #expect(host.send(0x2011, entry).status == HCIError.commandDisallowed.rawValue)
    _ = host.send(0x200C, [0, 0])
    #expect(host.send(0x2011, entry).status == 0)
    _ = host.send(0x200C, [1, 0])
    #expect(host.controller.received(Self.report([2, 1, 6], []), at: .zero).count == 1)
    _ = host.send(0x200C, [0, 0])
    #expect(host.send(0x2012, entry).status == 0)
    for number in 0..<16 { #expect(host.send(0x2011, [0, UInt8(number), 0, 0, 0, 0, 0]).status == 0) }
    #expect(host.send(0x2011, entry).status == HCIError.memoryCapacityExceeded.rawValue)
    #expect(host.send(0x2010).status == 0)
    #expect(host.send(0x2011, entry).status == 0)
  }

  // MARK: Ends

  @Test("Reset and a fault of the transport take everything off the air")
  func reset() {
    for ends in [false, true] {
      var host = Host()
      _ = host.send(0x2036, Self.set(1))
      _ = host.send(0x2039, [1, 1, 1, 0, 0, 0])
      _ = host.send(0x2041, [0, 0, 1, 0, 0x10, 0, 0x10, 0])
      _ = host.send(0x2042, [1, 0, 0, 0, 0, 0])
      let outputs = ends ? host.controller.fail(at: .zero) : host.send(0x0C03).outputs
      #expect(outputs.filter { if case .send = $0 { false } else { true } } == [.withdraw(1), .scan(nil)])
      #expect(outputs.events == (ends ? [[0x10, 1, 1]] : []))
    }
  }
}
