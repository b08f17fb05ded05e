import BleperaBluetooth
import BleperaHCIProtocol

/// Follows the HCI traffic of a host that met the phone: the advertising reports, and the links with the phone.
struct HostLog: Sendable {
  /// Whether the controller reports each advertisement only once.
  private(set) var filtersDuplicates = false
  private var links = LoggedLinks()
  /// The handles of links with the phone.
  private var handles: Set<UInt16> = []

  init() { links.isOfPeer = true }

  mutating func beginCapture() {
    (handles, filtersDuplicates) = ([], false)
    links.beginCapture()
  }

  /// - Returns: the reported advertisements and scan responses.
  ///
  /// - Parameter air: the advertisements reported before, by which the phone is recognized.
  mutating func add(_ packet: HCIPacket, at time: Int64, _ air: SniffedAir) -> [CapturedPacket] {
    let bytes = packet.bytes[...]
    switch packet.kind {
    case .command:
      // Both commands begin with the same two octets.
      let scan = HCIExtendedScanEnable(logged: bytes.from(3), atLeast: 2)
      if [.leSetScanEnable, .leSetExtendedScanEnable].contains(packet.opcode), let scan, scan.isOn {
        filtersDuplicates = scan.duplicates > 0
      }
    case .acl:
      guard let word = bytes.number(at: 0), handles.contains(UInt16(word & 0xFFF)) else { return [] }
      links.data(bytes, isReceived: packet.isReceived.map { !$0 }, at: time)
    case .event:
      if let event = LinkEvent(bytes) { self.event(event, at: time, air) }
      return Self.reports(bytes, at: time)
    case .synchronous, .isochronous: break
    }
    return []
  }

  private mutating func event(_ event: LinkEvent, at time: Int64, _ air: SniffedAir) {
    if case .connected(let link) = event {
      // The peer's private address is the address on the air, if the controller has resolved it.
      let isOfPhone = [link.peer, link.peerPrivate].contains { $0.map { air.isOfPhone($0.bits) } ?? false }
      guard isOfPhone else { return _ = handles.remove(link.handle) }
      handles.insert(link.handle)
    }
    guard handles.contains(event.handle) else { return }
    links.event(event, at: time)
    if case .ended(let handle) = event { handles.remove(handle) }
  }

  /// The PDU that each type of report stands for (Core Specification, Vol 4, Part E, 7.7.65.2).
  private static let types: [UInt8] = [0, 1, 6, 2, 4]

  /// The PDU that an extended report stands for, by the bits of its type.
  private static let extendedTypes: [HCIExtendedReport.Kind: UInt8] = [
    [.connectable, .scannable, .legacy]: 0, [.scannable, .legacy]: 6, .legacy: 2,
    [.scannable, .response, .legacy]: 4, [.connectable, .scannable, .response, .legacy]: 4,
  ]

  private static func reports(_ event: ArraySlice<UInt8>, at time: Int64) -> [CapturedPacket] {
    let legacy = HCIAdvertisingReports(loggedEvent: event, atLeast: 1)?.reports ?? []
    let extended = HCIExtendedReports(loggedEvent: event, atLeast: 1)?.reports ?? []
    return legacy.compactMap { report in
      guard types.indices.contains(Int(report.type)) else { return nil }
      return packet(report.data, type: types[Int(report.type)], of: report.address, signal: report.rssi, at: time)
    }
      + extended.compactMap { report in
        extendedTypes[report.kind.intersection(HCIExtendedReport.Kind(rawValue: 0x1F))].map {
          packet(report.data, type: $0, of: report.address, signal: report.rssi, at: time)
        }
      }
  }

  private static func packet(
    _ data: [UInt8], type: UInt8, of address: DeviceAddress, signal: Int8, at time: Int64
  ) -> CapturedPacket {
    CapturedPacket(
      advertisement: data, type: type, of: address.bits, signal: signal == unknown ? nil : Int(signal), at: time)
  }

  /// The signal that a controller reports if it does not measure it.
  private static let unknown: Int8 = 127

  var observations: [Observation] { links.observations }

  var measurements: [Measurement] { links.measurements }
}
