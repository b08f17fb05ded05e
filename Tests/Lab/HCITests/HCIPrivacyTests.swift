import BleperaBluetooth
import BleperaHCIProtocol
import BleperaHost
import Testing

@testable import BleperaAir
@testable import BleperaHCI

@Suite("Private addresses of the controller at the air's edge")
struct HCIPrivacyTests {
  private static let identity = DeviceAddress(bits: 0x0001_0203_0405)
  private static let address: [UInt8] = [0, 5, 4, 3, 2, 1, 0]
  private static let key = [UInt8](1...16)
  private static let ownKey = [UInt8](21...36)
  private static let zeros = [UInt8](repeating: 0, count: 16)
  private static let peerKey = IdentityResolvingKey(key.reversed())

  private var host = Host()

  init() {
    host.unmask()
    _ = host.send(0x2005, [1, 2, 3, 4, 5, 0xC6])
  }

  private func peerAddress() throws -> DeviceAddress {
    DeviceAddress(bits: try #require(Self.peerKey).address(prand: 0x41_0203), isRandom: true)
  }

  private mutating func add(peer: [UInt8] = key, own: [UInt8] = ownKey, isEnabled: Bool = true) {
    #expect(host.send(0x2027, Self.address + peer + own).status == 0)
    if isEnabled { #expect(host.send(0x202D, [1]).status == 0) }
  }

  private func report(from address: DeviceAddress) -> AdvertisementReport {
    AdvertisementReport(
      address: address, isConnectable: true, isExtended: false, isScannable: true, rssi: -50, data: [1],
      scanResponse: [])
  }

  @Test("The list has room for 16 devices, each once, and can be changed while it is not in use")
  func list() {
    var host = host
    #expect(host.send(0x202A).rest == [16])
    let entry = Self.address + Self.key + Self.zeros
    #expect(host.send(0x2027, entry).status == 0)
    #expect(host.send(0x2027, entry).status == HCIError.invalidParameters.rawValue)
    #expect(host.send(0x204E, Self.address + [1]).status == 0)
    #expect(host.send(0x2028, Self.address).status == 0)
    for opcode in [0x2028, 0x204E] as [UInt16] {
      #expect(host.send(opcode, Self.address + [1]).status == HCIError.unknownConnection.rawValue)
    }
    for number in 0..<16 as Range<UInt8> {
      #expect(host.send(0x2027, [0, number, 0, 0, 0, 0, 0] + Self.key + Self.zeros).status == 0)
    }
    #expect(host.send(0x2027, entry).status == HCIError.memoryCapacityExceeded.rawValue)
    #expect(host.send(0x2029).status == 0 && host.send(0x202D, [1]).status == 0)
    _ = host.send(0x200C, [1, 0])
    for (opcode, rest) in [(0x2027, entry), (0x2029, []), (0x202D, [0])] as [(UInt16, [UInt8])] {
      #expect(host.send(opcode, rest).status == HCIError.commandDisallowed.rawValue)
    }
    #expect(host.send(0x202E, [0, 0]).status == HCIError.invalidParameters.rawValue)
  }

  @Test("A private address is reported as the identity, which counts in the accept list and for duplicates")
  func reports() throws {
    var test = self
    test.add()
    _ = test.host.send(0x2011, Self.address)
    #expect(test.host.send(0x200B, [1, 16, 0, 16, 0, 3, 1]).status == 0)
    _ = test.host.send(0x200C, [1, 1])
    let private1 = try peerAddress()
    let events = test.host.controller.received(report(from: private1), at: .zero).events
    #expect(events.first?[4...].prefix(8) == [0, 2] + Self.address.dropFirst())
    let private2 = DeviceAddress(bits: try #require(Self.peerKey).address(prand: 0x55_0203), isRandom: true)
    #expect(test.host.controller.received(report(from: private2), at: .zero).events == [])
  }

  @Test("The identity itself is not received, except in device mode or without a key", arguments: [0, 1, 2])
  func mode(way: Int) {
    var test = self
    test.add(peer: way == 2 ? Self.zeros : Self.key, isEnabled: false)
    if way == 1 { _ = test.host.send(0x204E, Self.address + [1]) }
    _ = test.host.send(0x202D, [1])
    _ = test.host.send(0x200C, [1, 0])
    let events = test.host.controller.received(report(from: Self.identity), at: .zero).events
    #expect(events.isEmpty == (way == 0))
    guard case .attempt(let attempt?)? = test.host.send(0x200D, create(own: 0)).outputs.last else {
      return #expect(Bool(false), "there is no attempt")
    }
    #expect(attempt.accepts(Self.identity) == (way > 0))
  }

  private func create(own: UInt8) -> [UInt8] {
    [0x60, 0, 0x60, 0, 0] + Self.address + [own, 24, 0, 40, 0, 0, 0, 72, 0, 0, 0, 0, 0]
  }

  @Test("A connection to the identity is made with private addresses, which its event has")
  func connection() throws {
    var test = self
    test.add()
    let peer = try peerAddress()
    guard case .attempt(let attempt?)? = test.host.send(0x200D, create(own: 2)).outputs.first else {
      return #expect(Bool(false), "there is no attempt")
    }
    #expect(attempt.accepts(peer))
    let own = attempt.address
    #expect(try #require(IdentityResolvingKey(Self.ownKey.reversed())).resolves(own.bits))
    let event = test.host.controller.connected(
      ConnectionID(7), to: peer, from: own, attempt.parameters, set: nil, at: .zero
    ).events[0]
    let private1 = LittleEndian.bytes(own.bits, count: 6) + LittleEndian.bytes(peer.bits, count: 6)
    #expect(
      event == [0x3E, 31, 0x0A, 0, 0x40, 0, 0, 2] + Self.address.dropFirst() + private1 + [24, 0, 0, 0, 72, 0, 0])
  }

  @Test("A set with a private address has another one after the timeout; without a key the public one")
  func advertising() throws {
    var test = self
    test.add()
    _ = test.host.send(0x202E, [60, 0])
    let parameters: [UInt8] = [160, 0, 160, 0, 0, 2] + Self.address + [7, 0]
    #expect(test.host.send(0x2006, parameters).status == 0)
    let key = try #require(IdentityResolvingKey(Self.ownKey.reversed()))
    let first = try #require(test.host.send(0x200A, [1]).outputs.advertised.first?.packets.address)
    #expect(test.host.controller.deadline == .seconds(60))
    let second = try #require(test.host.controller.tick(at: .seconds(60)).replaced.first?.address)
    #expect(first != second)
    for address in [first, second] {
      guard case .fixed(let address) = address else { return #expect(Bool(false), "no address of its own") }
      #expect(key.resolves(address.bits))
    }
    var other = self
    other.add(own: Self.zeros)
    _ = other.host.send(0x2006, parameters)
    #expect(
      other.host.send(0x200A, [1]).outputs.advertised.first?.packets.address == .fixed(other.host.controller.address))
  }
}
