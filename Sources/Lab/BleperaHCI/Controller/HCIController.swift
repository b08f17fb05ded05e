import BleperaAir
package import BleperaBluetooth
package import BleperaHCIProtocol
package import BleperaHost

/// An LE controller between a host and the air, on any clock: it advertises, scans, connects and encrypts. With BR/EDR,
/// where it has that, it reaches nobody.
///
/// Whether a command is performed, its parameters and its results are those of the Core Specification, Vol 4, Part E.
package struct HCIController: Sendable {
  /// An action that a packet or a report causes; actions are in order.
  package enum Output: Hashable, Sendable {
    /// A packet to the host, with its octet of H4.
    case send([UInt8])
    case advertise(UInt8, AdvertisingPackets, lifetime: Duration?, events: Int?)
    /// Changes what a set sends from its next event on.
    case replacePackets(UInt8, AdvertisingPackets)
    case withdraw(UInt8)
    case scan(ScanWindow?)
    /// Nil ends the attempt to connect.
    case attempt(ConnectionAttempt?)
    case link(ConnectionID, LinkRequest)
    /// The payload of data PDUs with which connections begin.
    case dataLength(Int)
  }

  /// The public device address.
  package let address: DeviceAddress
  /// Without extended advertising, as controllers before Bluetooth 5.
  package let isLegacy: Bool
  /// With BR/EDR.
  package let isDual: Bool

  /// The first command of either kind since Reset excludes the other kind.
  private var usedKind: HCICommand.Kind = .common
  private var eventMask = Self.defaultEventMask
  private var leEventMask = Self.defaultLEEventMask
  var randomAddress: DeviceAddress?
  var advertiser = HCIAdvertiser()
  var scanner = HCIScanner()
  /// The addresses of the filter accept list.
  var acceptList: Set<DeviceAddress> = []
  var links = HCILinks()
  var resolver = HCIResolver()
  var classic = HCIClassic()
  var random: SplitMix64
  var now = Duration.zero
  private var outputs: [Output] = []

  /// Page 1 at Reset (7.3.1); it has no bit for LE Meta.
  private static let defaultEventMask: UInt64 = 0x1FFF_FFFF_FFFF
  /// At Reset (7.8.1).
  private static let defaultLEEventMask: UInt64 = 0x1F

  package init(address: DeviceAddress, isLegacy: Bool = false, isDual: Bool = false, seed: UInt64 = 0) {
    self.address = address
    self.isLegacy = isLegacy
    self.isDual = isDual
    random = SplitMix64(seed: seed ^ SplitMix64.number(at: 2, seed: address.bits))
  }

  /// When `tick` is due; nil for never. Inlined, because a call would copy the controller.
  @inline(__always)
  package var deadline: Duration? {
    if scanner.deadline == nil, classic.deadline == nil { return resolver.deadline }
    return [scanner.deadline, resolver.deadline, classic.deadline].compactMap(\.self).min()
  }

  package mutating func tick(at now: Duration) -> [Output] {
    turn(at: now) { controller in
      controller.scanTick()
      controller.resolverTick()
      controller.classicTick()
    }
  }

  /// Performs a command, or sends data.
  package mutating func receive(_ packet: H4Reader.Packet, at now: Duration) -> [Output] {
    turn(at: now) { controller in
      if packet.kind == .acl { return controller.transmit(packet.bytes) }
      guard packet.kind == .command else { return }
      let opcode: UInt16 = LittleEndian.number(packet.bytes[..<2])
      controller.perform(opcode, Array(packet.bytes.dropFirst(3)))
    }
  }

  package mutating func received(_ report: AdvertisementReport, at now: Duration) -> [Output] {
    turn(at: now) { $0.report(report) }
  }

  /// The air has ended an advertisement, whose time or number of events is over.
  ///
  /// - Parameter events: how many events there were.
  package mutating func released(_ set: UInt8, after events: Int, at now: Duration) -> [Output] {
    turn(at: now) { $0.setEnded(set, after: events) }
  }

  /// The host's data can no longer be understood, or the host does not read.
  package mutating func fail(at now: Duration) -> [Output] {
    turn(at: now) { controller in
      controller.send(HCIHardwareError(1))
      controller.reset(ending: .disconnect(.poweredOff))
    }
  }

  mutating func turn(at now: Duration, _ body: (inout HCIController) -> Void) -> [Output] {
    self.now = now
    body(&self)
    defer { outputs = [] }
    return outputs
  }

  private mutating func perform(_ opcode: UInt16, _ parameters: [UInt8]) {
    guard let command = HCICommand.find(opcode), command.isKnown(to: self) else {
      return send(HCICommandComplete(opcode, [HCIError.unknownCommand.rawValue]))
    }
    let answer: [UInt8]
    do throws(HCIError) {
      if command.isExclusive {
        guard usedKind == .common || usedKind == command.kind else { throw .commandDisallowed }
        usedKind = command.kind
      }
      answer = [0] + (try command.perform(&self, parameters))
    } catch {
      answer = [error.rawValue] + [UInt8](repeating: 0, count: command.returns)
    }
    // The answer comes first: an action may bring events while it is performed.
    let caused = outputs
    outputs = []
    command.isStatus ? send(HCICommandStatus(opcode, status: answer[0])) : send(HCICommandComplete(opcode, answer))
    outputs += caused
  }

  mutating func act(_ output: Output) { outputs.append(output) }

  /// Whether the masks let an event through.
  func passes(_ code: HCIEventCode) -> Bool {
    guard let bit = code.bit else { return true }
    guard code.subevent != nil else { return eventMask & 1 << bit != 0 }
    return eventMask & 1 << HCIEventCode.leMetaBit != 0 && leEventMask & 1 << bit != 0
  }

  /// Sends an event that the masks let through.
  mutating func send<Event: HCIEventParameters>(_ event: Event) { if passes(Event.code) { act(.send(event.packet)) } }

  mutating func set(eventMask: UInt64) { self.eventMask = eventMask }
  mutating func set(leEventMask: UInt64) { self.leEventMask = leEventMask }

  /// As after power on, with nothing on the air.
  ///
  /// - Parameter end: how connections end for their other sides.
  mutating func reset(ending end: LinkRequest = .abandon) {
    for (handle, set) in advertiser.sets where set.isEnabled { act(.withdraw(handle)) }
    if scanner.isOn { act(.scan(nil)) }
    if links.attempt != nil { act(.attempt(nil)) }
    for link in links.links.values { act(.link(link.connection, end)) }
    if links.suggested.octets != LinkEvents.shortestPDU { act(.dataLength(LinkEvents.shortestPDU)) }
    links = HCILinks()
    usedKind = .common
    (eventMask, leEventMask) = (Self.defaultEventMask, Self.defaultLEEventMask)
    randomAddress = nil
    advertiser = HCIAdvertiser()
    scanner = HCIScanner()
    acceptList = []
    resolver = HCIResolver()
    classic = HCIClassic()
  }

  /// The address of that own address type (7.8.5): 0 public, 1 random; 2 and 3 the private one towards the peer, or
  /// else public or random.
  mutating func ownAddress(
    _ type: UInt8, _ random: DeviceAddress?, towards peer: DeviceAddress?
  ) throws(HCIError) -> DeviceAddress {
    if type > 1, let peer, let own = resolver.ownAddress(towards: peer, at: now, using: &self.random) { return own }
    guard type & 1 == 1 else { return address }
    guard let random else { throw .invalidParameters }
    return random
  }
}
