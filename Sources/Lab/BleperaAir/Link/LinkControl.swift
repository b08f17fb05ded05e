import BleperaBluetooth
import BleperaHost

/// The LL control PDUs of a connection (Core Specification, Vol 6, Part B, 2.4.2).
enum LinkControl: Hashable, Sendable {
  case update(LinkParameters)
  case terminate(LinkEnd)
  case featureRequest(byCentral: Bool)
  case featureResponse
  case version(isAnswer: Bool)
  case rejectParameters(reason: UInt8)
  case parameterRequest(LinkParameterRequest)
  case lengthRequest(Int)
  case lengthResponse(Int)
  case encryption(EncryptionControl)

  var bytes: [UInt8] {
    switch self {
    // A window of 1.25 ms without offset; the instant is a number of events that is not kept.
    case .update(let parameters): [0x00, 1, 0, 0] + parameters.bytes + [0, 0]
    case .terminate(let reason): [0x02, reason.rawValue]
    case .featureRequest(let byCentral): [byCentral ? 0x08 : 0x0E] + LittleEndian.bytes(LinkVersion.features)
    case .featureResponse: [0x09] + LittleEndian.bytes(LinkVersion.features)
    case .version: [0x0C, LinkVersion.number] + LittleEndian.bytes(LinkVersion.company) + [0, 0]
    case .rejectParameters(let reason): [0x11, 0x0F, reason]
    case .parameterRequest(let request):
      [0x0F] + LittleEndian.bytes(request.intervals.lowerBound) + LittleEndian.bytes(request.intervals.upperBound)
        + LittleEndian.bytes(request.latency) + LittleEndian.bytes(request.timeout)
        + [0, 0, 0] + [UInt8](repeating: 0xFF, count: 12)
    case .lengthRequest(let length): [0x14] + Self.lengths(length)
    case .lengthResponse(let length): [0x15] + Self.lengths(length)
    case .encryption(let control): control.bytes
    }
  }

  /// Received octets and time, sent octets and time.
  private static func lengths(_ sent: Int) -> [UInt8] {
    [LinkEvents.longestPDU, sent].flatMap { length in
      LittleEndian.bytes(UInt16(length)) + LittleEndian.bytes(UInt16(DataLength.airTime(of: length)))
    }
  }
}

/// The version and the features of every controller of the air: Bluetooth 5.4 (Assigned Numbers, 2.1), and the company
/// of specifications that have none (7.1).
package enum LinkVersion {
  package static let number: UInt8 = 0x0D
  package static let company: UInt16 = 0xFFFF
  /// Encryption, parameter request, extended reject, requests of features by the peripheral, ping, data length,
  /// privacy, extended advertising (Core Specification, Vol 6, Part B, 4.6).
  package static let features: UInt64 =
    1 << 0 | 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5 | 1 << 6 | extendedAdvertising
  package static let extendedAdvertising: UInt64 = 1 << 12
}
