import BleperaBluetooth
import BleperaHCIProtocol
import BleperaHost

/// A packet of an advertiser as either of the two events reports it.
struct ReceivedPacket: Sendable {
  var address: DeviceAddress
  var isConnectable: Bool
  var isScannable: Bool
  var isResponse: Bool
  var isExtended = false
  /// Whether more data of this packet follows.
  var isIncomplete = false
  /// 255 without a set.
  var set: UInt8 = 0xFF
  var rssi: Int8
  var data: [UInt8]

  init(_ report: HCIAdvertisingReport) {
    (address, rssi, data) = (report.address, report.rssi, report.data)
    (isConnectable, isScannable) = (report.type <= 1, report.type == 0 || report.type == 2)
    isResponse = report.type == 4
  }

  init(_ report: HCIExtendedReport) {
    (address, set, rssi, data) = (report.address, report.set, report.rssi, report.data)
    (isConnectable, isScannable) = (report.kind.contains(.connectable), report.kind.contains(.scannable))
    (isResponse, isExtended) = (report.kind.contains(.response), !report.kind.contains(.legacy))
    isIncomplete = report.kind.contains(.incomplete)
  }

  fileprivate func report(response: [UInt8] = []) -> AdvertisementReport {
    AdvertisementReport(
      address: address, isConnectable: isConnectable, isExtended: isExtended, isScannable: isScannable,
      rssi: Int(rssi), data: data, scanResponse: response)
  }
}

/// Joins the fragments of extended data, and a packet with its scan response, which are events of their own.
struct ReportJoiner: Sendable {
  /// Packets that wait for their scan responses, in order.
  private var held: [(packet: ReceivedPacket, end: Duration)] = []
  /// Packets of which more data follows.
  private var fragments: [ReceivedPacket] = []

  /// How long a packet waits for its scan response, which follows within 1 ms on the air; ours.
  private static let time = Duration.milliseconds(10)
  /// How many packets wait at most; ours.
  private static let room = 64
  /// The longest data of an extended advertisement (Core Specification, Vol 4, Part E, 7.8.57).
  private static let longestData = 1650

  var deadline: Duration? { held.first?.end }

  /// Returns the reports that are complete with this packet.
  mutating func add(_ packet: ReceivedPacket, isActive: Bool, at now: Duration) -> [AdvertisementReport] {
    guard let packet = join(packet) else { return [] }
    let former = held.firstIndex { $0.packet.address == packet.address && $0.packet.isExtended == packet.isExtended }
      .map { held.remove(at: $0).packet }
    if packet.isResponse { return former.map { [$0.report(response: packet.data)] } ?? [] }
    var complete = former.map { [$0.report()] } ?? []
    guard isActive, packet.isScannable else { return complete + [packet.report()] }
    if held.count == Self.room { complete.insert(held.removeFirst().packet.report(), at: 0) }
    held.append((packet, now + Self.time))
    return complete
  }

  /// Returns the reports without scan responses whose time is over.
  mutating func expire(at now: Duration) -> [AdvertisementReport] {
    let count = held.prefix { $0.end <= now }.count
    defer { held.removeFirst(count) }
    return held.prefix(count).map { $0.packet.report() }
  }

  mutating func flush() -> [AdvertisementReport] {
    defer { (held, fragments) = ([], []) }
    return held.map { $0.packet.report() }
  }

  /// The packet with the fragments before it; nil where more follow.
  private mutating func join(_ packet: ReceivedPacket) -> ReceivedPacket? {
    guard packet.isExtended else { return packet }
    var packet = packet
    let index = fragments.firstIndex {
      $0.address == packet.address && $0.set == packet.set && $0.isResponse == packet.isResponse
    }
    if let index { packet.data = Array((fragments.remove(at: index).data + packet.data).prefix(Self.longestData)) }
    guard packet.isIncomplete else { return packet }
    if fragments.count == Self.room { fragments.removeFirst() }
    fragments.append(packet)
    return nil
  }
}
