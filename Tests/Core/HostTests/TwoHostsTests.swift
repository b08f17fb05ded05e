import BleperaBluetooth
import Testing

@testable import BleperaHost

@Suite("Two hosts above a link layer that is not the air's")
struct TwoHostsTests {
  private static let (central, peripheral) = (0, 1)
  private static let object = ApplicationObject(ApplicationID(1), 0)
  private static let value: AttributeHandle = 0x102
  private static let long = (0..<150).map { UInt8($0) }

  private var pair: TwoHosts

  private init(_ flags: AttributeFlags = [.read, .write, .notify], as client: StackBehavior.Client = .discovering) {
    var stack = StackBehavior()
    stack.client = client
    pair = TwoHosts([stack, StackBehavior()])
    let characteristic = PublishedCharacteristic(index: 0, uuid: BluetoothUUID(0x2A37 as UInt16), flags: flags)
    let service = PublishedService(
      uuid: BluetoothUUID(0x180D as UInt16), handle: .exactly(0x100), characteristics: [characteristic])
    pair.use(Self.peripheral) { $0.publish(ApplicationID(1), [service]) }
  }

  init() { self.init([.read, .write, .notify]) }

  /// The result of an operation; the peripheral's application answers a request.
  private mutating func perform(
    _ operation: GATTProcedure, answer: Result<[UInt8], ATTError> = .success([])
  ) -> Result<ProcedureAnswer, ProcedureFailure>? {
    let former = pair.actions.map(\.count)
    pair.use(Self.central) { $0.perform(OperationID(1), operation, over: TwoHosts.link) }
    for action in pair.actions[Self.peripheral].dropFirst(former[Self.peripheral]) {
      switch action {
      case .read(let id, _, _), .write(let id?, _, _, _): pair.use(Self.peripheral) { $0.answer(id, answer) }
      default: break
      }
    }
    return pair.actions[Self.central].dropFirst(former[Self.central]).lazy.compactMap { action in
      if case .completed(OperationID(1), let result) = action { result } else { nil }
    }.first
  }

  @Test("A central discovers the services and agrees on an MTU")
  func discovery() {
    var test = self
    test.pair.connect()
    let link = test.pair.hosts[Self.central].links[TwoHosts.link]
    #expect(link?.services.map(\.range) == [0x0001...0x0005, 0x0006...0x0009, 0x0100...0x0103])
    #expect(link?.mtu == 185 && link?.peerName == "host 1")
    #expect(test.pair.actions[Self.central].contains(.servicesResolved(TwoHosts.link)))
  }

  @Test("A value longer than the credits is read and written in fragments of 27 bytes, three at a time")
  func fragments() {
    var test = self
    test.pair.connect()
    #expect(test.perform(.read(Self.value), answer: .success(Self.long)) == .success(.value(Self.long)))
    let write = GATTProcedure.write(Self.value, Self.long)
    #expect(test.perform(write) == .success(.done))
    let written = test.pair.actions[Self.peripheral].compactMap { action in
      if case .write(_, Self.object, let value, _) = action { value } else { nil }
    }
    #expect(written == [Self.long])
    #expect(test.pair.longestFragment == 27 && test.pair.mostOnTheWay == TwoHosts.credits)
    #expect(test.pair.hosts.allSatisfy { $0.links[TwoHosts.link]?.frames.unsent.isEmpty == true })
  }

  @Test("A subscriber receives a notification")
  func notification() {
    var test = self
    test.pair.connect()
    let subscribe = GATTProcedure.write(0x103, [1, 0])
    #expect(test.perform(subscribe) == .success(.done))
    #expect(
      test.pair.actions[Self.peripheral].contains(
        .subscribed(Self.object, TwoHosts.link, isFirst: true, isIndication: false)))
    test.pair.use(Self.peripheral) { $0.updateValue(Self.object, Self.long, to: nil) }
    #expect(test.pair.actions[Self.central].last == .valueChanged(TwoHosts.link, Self.value, Self.long))
  }

  @Test(
    "The two pair, and an encrypted characteristic is read, also over the next connection",
    arguments: [
      (PairingCapability.noInputNoOutput, PairingCapability.noInputNoOutput, false),
      (.displayYesNo, .displayYesNo, true), (.keyboardOnly, .displayOnly, true),
    ])
  func pairing(central: PairingCapability, peripheral: PairingCapability, isAuthenticated: Bool) {
    var test = TwoHostsTests([.read, .encryptRead])
    test.pair.use(Self.central) { $0.capability = central }
    test.pair.use(Self.peripheral) { $0.capability = peripheral }
    test.pair.connect()
    #expect(test.perform(.read(Self.value)) == nil)
    // The two users accept, and type what the other side shows.
    for side in [Self.central, Self.peripheral] {
      for case .pairingRequest(_, let question) in test.pair.actions[side] {
        let shown = test.pair.hosts[1 - side].links[TwoHosts.link]?.passkey ?? 0
        switch question {
        case .show: break
        case .type: test.pair.use(side) { $0.respond(to: TwoHosts.link, .passkey(shown)) }
        case .authorize, .compare: test.pair.use(side) { $0.respond(to: TwoHosts.link, .yes) }
        }
      }
    }
    for case .read(let id, _, _) in test.pair.actions[Self.peripheral] {
      test.pair.use(Self.peripheral) { $0.answer(id, .success([7])) }
    }
    #expect(test.pair.actions[Self.central].last == .completed(OperationID(1), .success(.value([7]))))
    for (side, peer) in [(Self.central, UInt64(2)), (Self.peripheral, 1)] {
      let bond = test.pair.hosts[side].bonds[DeviceAddress(bits: peer)]
      #expect(bond?.isAuthenticated == isAuthenticated && bond?.identity?.address.bits == peer)
      #expect(test.pair.actions[side].contains(.paired(TwoHosts.link)))
    }
    // The next connection is encrypted with the key of the bond.
    test.pair.use(Self.central) { $0.outputs.append(.link(TwoHosts.link, .disconnect(.userTerminated))) }
    #expect(test.pair.hosts.allSatisfy { $0.links.isEmpty })
    test.pair.connect()
    #expect(test.pair.actions.allSatisfy { $0.contains(.secured(TwoHosts.link)) })
  }

  @Test(
    "A host tells the end of a link from its reason, and what it has decided itself from that of the peer",
    arguments: [
      (LinkEnd.hostTerminated, DisconnectionCause.byPhone), (.userTerminated, .byPeripheral),
      (LinkEnd(rawValue: 0x14), .byPeripheral), (.poweredOff, .byPeripheral), (.connectionTimeout, .timeout),
      (.notEstablished, .timeout), (.responseTimeout, .timeout), (.missingKey, .keyMissing),
      (.integrityFailure, .keyMissing), (.authenticationFailure, .byPeripheral),
    ])
  func ends(reason: LinkEnd, cause: DisconnectionCause) {
    var test = HostBench(.phone)
    #expect(test.host.disconnected(HostBench.link, because: reason) == cause)
    #expect(test.host.disconnected(HostBench.link, because: reason) == nil)
    var other = HostBench(.phone)
    other.host.end(HostBench.link, because: .keyMissing)
    #expect(other.host.disconnected(HostBench.link, because: reason) == .keyMissing)
  }
}
