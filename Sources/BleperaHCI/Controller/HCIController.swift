package import BleperaAir
import BleperaBluetooth

/// An LE controller between a host and the air, on any clock: it advertises and scans. It has no BR/EDR, and names no
/// command for connections.
///
/// Whether a command is performed, its parameters and its results are those of the Core Specification, Vol 4, Part E.
package struct HCIController: Sendable {
  /// What the controller does for a packet or a report, in order.
  package enum Output: Hashable, Sendable {
    /// A packet to the host, with its octet of H4.
    case send([UInt8])
    case advertise(UInt8, AdvertisingPackets, lifetime: Duration?, events: Int?)
    case withdraw(UInt8)
    case scan(ScanWindow?)
  }

  /// The public device address.
  package let address: DeviceAddress
  /// Without extended advertising, as controllers before Bluetooth 5.
  package let isLegacy: Bool

  /// The first command of either kind since Reset excludes the other kind.
  private var usedKind: HCICommand.Kind = .common
  private var eventMask = Self.defaultEventMask
  private var leEventMask = Self.defaultLEEventMask
  var randomAddress: DeviceAddress?
  var advertiser = HCIAdvertiser()
  var scanner = HCIScanner()
  /// The addresses of the filter accept list.
  var acceptList: Set<DeviceAddress> = []
  var random: SplitMix64
  var now = Duration.zero
  private var outputs: [Output] = []

  /// Page 1 at Reset (7.3.1); it has no bit for LE Meta.
  private static let defaultEventMask: UInt64 = 0x1FFF_FFFF_FFFF
  /// At Reset (7.8.1).
  private static let defaultLEEventMask: UInt64 = 0x1F
  private static let leMeta: UInt64 = 1 << 61
  private static let hardwareError: UInt64 = 1 << 15

  package init(address: DeviceAddress, isLegacy: Bool = false, seed: UInt64 = 0) {
    self.address = address
    self.isLegacy = isLegacy
    random = SplitMix64(seed: seed ^ SplitMix64.number(at: 2, seed: address.bits))
  }

  /// When `tick` is due; nil for never.
  package var deadline: Duration? { scanner.deadline }

  package mutating func tick(at now: Duration) -> [Output] {
    turn(at: now) { $0.scanTick() }
  }

  /// Performs a command. Data for connections is dropped, because there are none.
  package mutating func receive(_ packet: H4Reader.Packet, at now: Duration) -> [Output] {
    turn(at: now) { controller in
      guard packet.kind == .command else { return }
      let opcode = UInt16(packet.bytes[0]) | UInt16(packet.bytes[1]) << 8
      controller.perform(opcode, Array(packet.bytes.dropFirst(3)))
    }
  }

  package mutating func received(_ report: AdvertisementReport, at now: Duration) -> [Output] {
    turn(at: now) { $0.report(report) }
  }

  /// The air has ended an advertisement, whose time or number of events is over.
  package mutating func released(_ set: UInt8, at now: Duration) -> [Output] {
    turn(at: now) { $0.setEnded(set) }
  }

  /// What the host sends can no longer be understood, or it does not read what it is sent.
  package mutating func fail(at now: Duration) -> [Output] {
    turn(at: now) { controller in
      // The code is the vendor's.
      if controller.eventMask & Self.hardwareError != 0 { controller.send(event: 0x10, [0x01]) }
      controller.reset()
    }
  }

  private mutating func turn(at now: Duration, _ body: (inout HCIController) -> Void) -> [Output] {
    self.now = now
    body(&self)
    defer { outputs = [] }
    return outputs
  }

  private mutating func perform(_ opcode: UInt16, _ parameters: [UInt8]) {
    guard let command = HCICommand.find(opcode), !isLegacy || command.kind != .extended else {
      return complete(opcode, [HCIError.unknownCommand.rawValue])
    }
    var fields = HCIFields(parameters)
    do throws(HCIError) {
      if command.kind != .common {
        guard usedKind == .common || usedKind == command.kind else { throw .commandDisallowed }
        usedKind = command.kind
      }
      let returned = try command.perform(&self, &fields)
      complete(opcode, [0] + returned)
    } catch {
      complete(opcode, [error.rawValue] + [UInt8](repeating: 0, count: command.returns))
    }
  }

  mutating func act(_ output: Output) { outputs.append(output) }

  /// Command Complete, which no mask hides; the host may send one command ahead.
  private mutating func complete(_ opcode: UInt16, _ parameters: [UInt8]) {
    send(event: 0x0E, [1] + HCIOctets.of(opcode) + parameters)
  }

  private mutating func send(event: UInt8, _ parameters: [UInt8]) {
    act(.send([HCIPacketKind.event.rawValue, event, UInt8(clamping: parameters.count)] + parameters))
  }

  /// Sends an LE Meta event that the masks let through.
  mutating func send(subevent: UInt8, _ parameters: [UInt8]) {
    guard eventMask & Self.leMeta != 0, leEventMask & 1 << (subevent - 1) != 0 else { return }
    send(event: 0x3E, [subevent] + parameters)
  }

  mutating func set(eventMask: UInt64) { self.eventMask = eventMask }
  mutating func set(leEventMask: UInt64) { self.leEventMask = leEventMask }

  /// As after power on, with nothing on the air.
  mutating func reset() {
    for (handle, set) in advertiser.sets where set.isEnabled { act(.withdraw(handle)) }
    if scanner.isOn { act(.scan(nil)) }
    usedKind = .common
    (eventMask, leEventMask) = (Self.defaultEventMask, Self.defaultLEEventMask)
    randomAddress = nil
    advertiser = HCIAdvertiser()
    scanner = HCIScanner()
    acceptList = []
  }

  /// The address of that own address type (7.8.5): 0 public, 1 random.
  func ownAddress(_ type: UInt8, _ random: DeviceAddress?) throws(HCIError) -> DeviceAddress {
    guard type == 1 else { return address }
    guard let random else { throw .invalidParameters }
    return random
  }
}
