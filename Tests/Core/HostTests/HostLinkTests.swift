import BleperaBluetooth
import Testing

@testable import BleperaHost

@Suite("What a host keeps of a link")
struct HostLinkTests {
  private static func service(_ range: ClosedRange<AttributeHandle>, _ uuid: UInt16 = 0x180D) -> RemoteService {
    RemoteService(range: range, uuid: BluetoothUUID(uuid), isPrimary: true)
  }

  @Test("A command is complete when the other side has its last fragment")
  func frames() {
    var frames = LinkFrames()
    frames.send(.command(OperationID(1)), in: 3)
    frames.send(.value, in: 1)
    frames.send(.command(OperationID(2)), in: 1)
    #expect(frames.unsent.count == 5 && frames.commands == [OperationID(1), OperationID(2)])
    let acknowledged = (0..<6).map { _ in frames.acknowledge()?.number }
    #expect(acknowledged == [nil, nil, 1, nil, 2, nil])
    #expect(frames.unsent.isEmpty)
  }

  @Test("A frame arrives with the fragment that completes it")
  func reassembly() {
    var frames = LinkFrames()
    let fragments: [(Bool, [UInt8])] = [(false, [9]), (true, [3, 0, 4, 0, 1]), (false, [2, 3]), (false, [4])]
    let received = fragments.map { frames.receive(LinkData(isStart: $0, $1)) }
    #expect(received == [nil, nil, L2CAPFrame(channel: 4, payload: [1, 2, 3]), nil])
  }

  @Test(
    "Service Changed has the first and the last handle of what has changed",
    arguments: [
      ("0A001400", 0x0A...0x14), ("0000FFFF", 0x01...0xFFFF), ("14000A00", nil), ("0A0014", nil), ("", nil),
    ] as [(String, ClosedRange<AttributeHandle>?)])
  func changed(value: String, range: ClosedRange<AttributeHandle>?) throws {
    var remote = RemoteServices()
    let found = remote.changed(try #require(Hex.bytes(value)))
    let search = remote.followChange(comparing: true)
    #expect(found == range && search?.range == range)
  }

  @Test("One change is followed after the other, and the services around it stay", arguments: [false, true])
  func follows(comparing: Bool) {
    var remote = RemoteServices()
    remote.know([Self.service(0x01...0x09), Self.service(0x10...0x1F), Self.service(0x20...0x2F)])
    let before = remote.followChange(comparing: comparing)
    _ = remote.changed([0x10, 0, 0x1F, 0])
    _ = remote.changed([0x30, 0, 0x3F, 0])
    let first = remote.followChange(comparing: comparing)
    #expect(before == nil && first?.range == 0x10...0x1F)
    #expect(first?.known == (comparing ? [Self.service(0x10...0x1F)] : nil))
    let second = remote.followChange(comparing: comparing)
    #expect(second == nil)
    remote.replace(0x10...0x1F, with: [Self.service(0x18...0x1F), Self.service(0x10...0x17)])
    #expect(remote.services.map(\.range.lowerBound) == [0x01, 0x10, 0x18, 0x20])
    let third = remote.followChange(comparing: comparing)
    #expect(third?.range == 0x30...0x3F)
  }

  @Test("A phone discovers services again where it has not discovered them, or they have changed")
  func known() {
    var remote = RemoteServices()
    let services = [Self.service(0x10...0x1F)]
    remote.know(services)
    #expect(remote.known == nil && remote.services == services)
    remote.know(services, isWanted: true)
    #expect(remote.known == services)
    _ = remote.changed([0x10, 0, 0x1F, 0])
    #expect(remote.known == nil)
    remote.forget()
    let search = remote.followChange(comparing: true)
    #expect(remote.known == nil && search == nil)
    remote.know(services, isWanted: true)
    #expect(remote.known == services)
  }

  @Test("Services that are known complete an operation without a request", arguments: [false, true])
  func start(isKnown: Bool) {
    let manager = SecurityManager(
      role: .initiator, own: SecurityPair.initiatorAddress, peer: SecurityPair.responderAddress,
      settings: SecuritySettings(), random: .seeded(SplitMix64(seed: 1)))
    var link = HostLink(to: DeviceAddress(bits: 2), manager)
    let services = [Self.service(0x10...0x1F)]
    link.remote.know(services, isWanted: isKnown)
    link.tasks.add(.operation(ClientProcedure(OperationID(1), .services)))
    let isBegun = link.tasks.begin()
    #expect(isBegun)
    switch link.start(offered: 100) {
    case .finish(let result)?: #expect(isKnown && result == .success(.services(services)))
    case .send(.readByGroupTypeRequest(1...AttributeHandle(rawValue: .max), _))?: #expect(!isKnown)
    default: #expect(Bool(false))
    }
  }
}
