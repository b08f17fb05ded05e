import BleperaBluetooth
import BleperaHCIProtocol
import BleperaHost

/// The half of a controller with BR/EDR: what its host writes, and the pages and inquiries that nobody answers.
struct HCIClassic: Sendable {
  /// LE Supported and BR/EDR Not Supported (Core Specification, Vol 2, Part C, 3.3).
  static let featuresOfLE: UInt64 = 0x60 << 32
  /// LE Supported, Secure Simple Pairing and Extended Features.
  static let features: UInt64 = 0x40 << 32 | 0x08 << 48 | 0x80 << 56
  /// The host's packets of BR/EDR, which no link carries; ours.
  static let buffers = HCIClassicBufferSize(length: 512, packets: 8)

  /// The device that is paged, and when the page times out.
  var page: (peer: DeviceAddress, end: Duration)?
  var inquiryEnd: Duration?
  /// In units of 0.625 ms.
  var pageTimeout: UInt16 = 0x2000
  var name = [UInt8](repeating: 0, count: 248)
  /// The octet that asks for FEC, and the response.
  var inquiryResponse = [UInt8](repeating: 0, count: 241)
  var deviceClass: [UInt8] = [0, 0, 0]
  var scans: UInt8 = 0
  /// Interval and window of the page scan, in units of 0.625 ms.
  var pageScan: [UInt8] = [0, 0x08, 0x12, 0]
  var pageScanType: UInt8 = 0
  /// The general inquiry access code.
  var accessCode: [UInt8] = [0x33, 0x8B, 0x9E]
  var hasSimplePairing = false
  var hostHasLE = false

  var deadline: Duration? { [page?.end, inquiryEnd].compactMap(\.self).min() }

  /// The features of a page: those of the controller, and those of its host.
  func features(page: UInt8) -> UInt64 {
    page == 0 ? Self.features : (hasSimplePairing ? 1 : 0) | (hostHasLE ? 2 : 0)
  }
}

extension HCIController {
  /// Pages a device, which no phone answers: phones of the air have no BR/EDR.
  mutating func page(_ peer: DeviceAddress) throws(HCIError) {
    guard classic.page == nil else { throw .commandDisallowed }
    classic.page = (peer, now + .microseconds(625) * Int(classic.pageTimeout))
  }

  /// Ends the page of that device, if there is one, with a Connection Complete of this status.
  mutating func endPage(of peer: DeviceAddress, _ status: HCIError) throws(HCIError) {
    guard classic.page?.peer == peer else { throw .unknownConnection }
    classic.page = nil
    send(HCIClassicComplete(peer, status: status.rawValue))
  }

  mutating func classicTick() {
    if let page = classic.page, now >= page.end { try? endPage(of: page.peer, .pageTimeout) }
    if let end = classic.inquiryEnd, now >= end {
      classic.inquiryEnd = nil
      send(HCIInquiryComplete())
    }
  }
}
