import BleperaBluetooth

/// Follows the HCI traffic of a host that met the phone: the advertising reports, and the links with the phone.
struct HostLog: Sendable {
  /// Whether the controller reports each advertisement only once.
  private(set) var filtersDuplicates = false
  private var links = LoggedLinks()
  /// The handles of links with the phone.
  private var handles: Set<Int> = []

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
      if [.leSetScanEnable, .leSetExtendedScanEnable].contains(packet.opcode), bytes[at: 3] == 1 {
        filtersDuplicates = bytes[at: 4] != 0
      }
    case .acl:
      guard let word = bytes.number(at: 0), handles.contains(word & 0xFFF) else { return [] }
      links.data(bytes, isReceived: packet.isReceived.map { !$0 }, at: time)
    case .event:
      if bytes[at: 0] == 0x3E, bytes[at: 2] == 0x02 { return Self.reports(bytes.from(3), at: time) }
      if bytes[at: 0] == 0x3E, bytes[at: 2] == 0x0D { return Self.extendedReports(bytes.from(3), at: time) }
      event(bytes, at: time, air)
    case .synchronous, .isochronous: break
    }
    return []
  }

  private mutating func event(_ bytes: ArraySlice<UInt8>, at time: Int64, _ air: SniffedAir) {
    let isMeta = bytes[at: 0] == 0x3E
    guard let handle = bytes.number(at: isMeta && bytes[at: 2] == 0x07 ? 3 : isMeta ? 4 : 3) else { return }
    if isMeta, bytes[at: 3] == 0, let event = bytes[at: 2], [0x01, 0x0A, 0x29].contains(event) {
      // The enhanced events also have the address on the air, if the controller has resolved it.
      let addresses = [bytes.address(at: 8), event == 0x01 ? nil : bytes.address(at: 20)]
      guard addresses.contains(where: { $0.map(air.isOfPhone) ?? false }) else {
        handles.remove(handle)
        return
      }
      handles.insert(handle)
    }
    guard handles.contains(handle) else { return }
    links.event(bytes, at: time)
    if bytes[at: 0] == 0x05 { handles.remove(handle) }
  }

  /// The PDU that each type of report stands for (Core Specification, Vol 4, Part E, 7.7.65.2).
  private static let types: [UInt8] = [0, 1, 6, 2, 4]

  private static func reports(_ bytes: ArraySlice<UInt8>, at time: Int64) -> [CapturedPacket] {
    var (found, rest) = ([CapturedPacket](), bytes.from(1))
    while let type = rest.first, let address = rest.address(at: 2), let length = rest[at: 8].map(Int.init),
      let signal = rest[at: 9 + length]
    {
      if let type = types.indices.contains(Int(type)) ? types[Int(type)] : nil {
        found.append(packet(rest.from(9).prefix(length), type: type, of: address, signal: signal, at: time))
      }
      rest = rest.from(10 + length)
    }
    return found
  }

  private static func extendedReports(_ bytes: ArraySlice<UInt8>, at time: Int64) -> [CapturedPacket] {
    var (found, rest) = ([CapturedPacket](), bytes.from(1))
    while let properties = rest.number(at: 0), let address = rest.address(at: 3), let signal = rest[at: 13],
      let length = rest[at: 23].map(Int.init), rest.count >= 24 + length
    {
      // The bits, from the lowest: connectable, scannable, directed, a scan response, legacy.
      let type: UInt8? =
        switch properties & 0x1F {
        case 0x13: 0
        case 0x12: 6
        case 0x10: 2
        case 0x1A, 0x1B: 4
        default: nil
        }
      if let type {
        found.append(packet(rest.from(24).prefix(length), type: type, of: address, signal: signal, at: time))
      }
      rest = rest.from(24 + length)
    }
    return found
  }

  private static func packet(
    _ data: ArraySlice<UInt8>, type: UInt8, of address: UInt64, signal: UInt8, at time: Int64
  ) -> CapturedPacket {
    let signal = Int8(bitPattern: signal)
    return CapturedPacket(
      advertisement: data, type: type, of: address, signal: signal == unknown ? nil : Int(signal), at: time)
  }

  /// The signal that a controller reports if it does not measure it.
  private static let unknown: Int8 = 127

  var observations: [Observation] { links.observations }

  var measurements: [Measurement] { links.measurements }
}
