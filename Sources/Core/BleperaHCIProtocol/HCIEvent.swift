import BleperaBluetooth

/// The code of an event, the code of an LE event, and the bit of the event's mask.
package struct HCIEventCode: Hashable, Sendable {
  package static let leMeta: UInt8 = 0x3E
  /// The bit of LE Meta in Set Event Mask.
  package static let leMetaBit = 61

  package let code: UInt8
  /// Nil for an event that is no LE event.
  package let subevent: UInt8?
  /// The bit in the mask of events, or of LE events; nil for an event that no mask hides.
  package let bit: Int?
  /// The code of version 2, or its code of an LE event: it has more fields after those of version 1.
  package let version2: UInt8?

  init(_ code: UInt8, bit: Int?, version2: UInt8? = nil) {
    (self.code, subevent, self.bit, self.version2) = (code, nil, bit, version2)
  }
  init(le subevent: UInt8, version2: UInt8? = nil) {
    (code, self.subevent, bit, self.version2) = (Self.leMeta, subevent, Int(subevent) - 1, version2)
  }

  /// Whether an event, without the octet of H4, has the code of either version.
  package func isCode(of event: ArraySlice<UInt8>) -> Bool {
    guard let subevent else { return event.first == code || event.first != nil && event.first == version2 }
    guard event.count > 2, event.first == code else { return false }
    return event[event.startIndex + 2] == subevent || event[event.startIndex + 2] == version2
  }
}

/// The parameters of an event, after the code of an LE event.
package protocol HCIEventParameters: HCIParameters {
  static var code: HCIEventCode { get }
}

extension HCIEventParameters {
  /// Reads an event of a log, without the octet of H4 and of any length; nil for another event.
  package init?(loggedEvent event: ArraySlice<UInt8>, atLeast count: Int) {
    guard Self.code.isCode(of: event) else { return nil }
    self.init(logged: event.dropFirst(Self.code.subevent == nil ? 2 : 3), atLeast: count)
  }

  /// The event as it is sent, with the octet of H4.
  package var packet: [UInt8] {
    let body = (Self.code.subevent.map { [$0] } ?? []) + bytes
    return [HCIPacketKind.event.rawValue, Self.code.code, UInt8(clamping: body.count)] + body
  }
}

/// An event of a controller that a host uses (Core Specification, Vol 4, Part E, 7.7).
package enum HCIEvent: Hashable, Sendable {
  case commandComplete(HCICommandComplete)
  case commandStatus(HCICommandStatus)
  case completedPackets(HCICompletedPackets)
  case disconnectionComplete(HCIDisconnectionComplete)
  case encryptionChange(HCIEncryptionChange)
  case encryptionKeyRefresh(HCIEncryptionKeyRefresh)
  case hardwareError(HCIHardwareError)
  case dataBufferOverflow
  case connectionComplete(HCIConnectionComplete)
  case connectionUpdate(HCIConnectionUpdateComplete)
  case advertisingReports([HCIAdvertisingReport])
  case extendedReports([HCIExtendedReport])
  case longTermKeyRequest(HCILongTermKeyRequest)
  case parameterRequest(HCIParameterRequest)
  case dataLengthChange(HCIDataLengthChange)
  case setTerminated(HCISetTerminated)
  /// Any other event, by its code and the code of an LE event.
  case other(code: UInt8, subevent: UInt8?)

  /// - Parameter bytes: the event without the octet of H4.
  /// - Throws: `HCIError.invalidParameters` for an event that is cut or outside the specification.
  package init(_ bytes: [UInt8]) throws(HCIError) {
    guard bytes.count >= 2, bytes.count == 2 + Int(bytes[1]) else { throw .invalidParameters }
    let rest = bytes.dropFirst(2)
    switch bytes[0] {
    case HCICommandComplete.code.code: self = .commandComplete(try HCICommandComplete(rest))
    case HCICommandStatus.code.code: self = .commandStatus(try HCICommandStatus(rest))
    case HCICompletedPackets.code.code: self = .completedPackets(try HCICompletedPackets(rest))
    case HCIDisconnectionComplete.code.code: self = .disconnectionComplete(try HCIDisconnectionComplete(rest))
    case HCIEncryptionChange.code.code, HCIEncryptionChange.code.version2:
      self = .encryptionChange(try HCIEncryptionChange(rest))
    case HCIEncryptionKeyRefresh.code.code: self = .encryptionKeyRefresh(try HCIEncryptionKeyRefresh(rest))
    case HCIHardwareError.code.code: self = .hardwareError(try HCIHardwareError(rest))
    case HCIDataBufferOverflow.code.code:
      _ = try HCIDataBufferOverflow(rest)
      self = .dataBufferOverflow
    case HCIEventCode.leMeta:
      guard let subevent = rest.first else { throw .invalidParameters }
      self = try Self.le(subevent, rest.dropFirst())
    default: self = .other(code: bytes[0], subevent: nil)
    }
  }

  private static func le(_ subevent: UInt8, _ rest: ArraySlice<UInt8>) throws(HCIError) -> HCIEvent {
    switch subevent {
    case HCILEConnectionComplete.code.subevent: .connectionComplete(try HCILEConnectionComplete(rest).complete)
    case HCIEnhancedConnectionComplete.code.subevent, HCIEnhancedConnectionComplete.code.version2:
      .connectionComplete(try HCIEnhancedConnectionComplete(rest).complete)
    case HCIAdvertisingReports.code.subevent: .advertisingReports(try HCIAdvertisingReports(rest).reports)
    case HCIExtendedReports.code.subevent: .extendedReports(try HCIExtendedReports(rest).reports)
    case HCIConnectionUpdateComplete.code.subevent: .connectionUpdate(try HCIConnectionUpdateComplete(rest))
    case HCILongTermKeyRequest.code.subevent: .longTermKeyRequest(try HCILongTermKeyRequest(rest))
    case HCIParameterRequest.code.subevent: .parameterRequest(try HCIParameterRequest(rest))
    case HCIDataLengthChange.code.subevent: .dataLengthChange(try HCIDataLengthChange(rest))
    case HCISetTerminated.code.subevent: .setTerminated(try HCISetTerminated(rest))
    default: .other(code: HCIEventCode.leMeta, subevent: subevent)
    }
  }
}

package struct HCICommandComplete: HCIEventParameters {
  package static let code = HCIEventCode(0x0E, bit: nil)
  /// How many commands the host may send now.
  package var credits: UInt8 = 1
  /// 0 where only the credits have changed.
  package var opcode: UInt16 = 0
  /// The status and the values that the command returns.
  package var returned: [UInt8] = []

  package init() {}
  package init(_ opcode: UInt16, _ returned: [UInt8]) { (self.opcode, self.returned) = (opcode, returned) }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.number(&credits)
    try coder.number(&opcode)
    coder.rest(&returned)
  }
}

package struct HCICommandStatus: HCIEventParameters {
  package static let code = HCIEventCode(0x0F, bit: nil)
  package var status: UInt8 = 0
  package var credits: UInt8 = 1
  package var opcode: UInt16 = 0

  package init() {}
  package init(_ opcode: UInt16, status: UInt8) { (self.opcode, self.status) = (opcode, status) }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.number(&status)
    try coder.number(&credits)
    try coder.number(&opcode)
  }
}

/// Number Of Completed Packets: the connections with their numbers.
package struct HCICompletedPackets: HCIEventParameters {
  package static let code = HCIEventCode(0x13, bit: nil)
  package var entries: [HCIOfLink<HCINumber<UInt16>>] = []

  package init() {}
  package init(_ entries: [HCIOfLink<HCINumber<UInt16>>]) { self.entries = entries }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) { try coder.list(&entries) }
}

package struct HCIDisconnectionComplete: HCIEventParameters {
  package static let code = HCIEventCode(0x05, bit: 4)
  package var status: UInt8 = 0
  package var handle: UInt16 = 0
  package var reason: UInt8 = 0

  package init() {}
  package init(_ handle: UInt16, reason: UInt8) { (self.handle, self.reason) = (handle, reason) }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.number(&status)
    try coder.number(&handle)
    try coder.number(&reason)
  }
}

package struct HCIEncryptionChange: HCIEventParameters {
  package static let code = HCIEventCode(0x08, bit: 7, version2: 0x59)
  package var status: UInt8 = 0
  package var handle: UInt16 = 0
  package var isOn: UInt8 = 0

  package init() {}
  package init(_ handle: UInt16, status: UInt8, isOn: Bool) {
    (self.handle, self.status, self.isOn) = (handle, status, isOn ? 1 : 0)
  }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.number(&status)
    try coder.number(&handle)
    try coder.number(&isOn)
  }
}

package struct HCIEncryptionKeyRefresh: HCIEventParameters {
  package static let code = HCIEventCode(0x30, bit: 47)
  package var status: UInt8 = 0
  package var handle: UInt16 = 0

  package init() {}
  package init(_ handle: UInt16) { self.handle = handle }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.number(&status)
    try coder.number(&handle)
  }
}

package struct HCIHardwareError: HCIEventParameters {
  package static let code = HCIEventCode(0x10, bit: 15)
  /// The vendor's.
  package var error: UInt8 = 0

  package init() {}
  package init(_ error: UInt8) { self.error = error }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) { try coder.number(&error) }
}

package struct HCIDataBufferOverflow: HCIEventParameters {
  package static let code = HCIEventCode(0x1A, bit: 25)
  /// 1 for ACL data.
  package var kind: UInt8 = 1

  package init() {}
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) { try coder.number(&kind) }
}

/// Read Remote Version Information Complete.
package struct HCIRemoteVersion: HCIEventParameters {
  package static let code = HCIEventCode(0x0C, bit: 11)
  package var status: UInt8 = 0
  package var handle: UInt16 = 0
  package var version: UInt8 = 0
  package var company: UInt16 = 0
  package var subversion: UInt16 = 0

  package init() {}
  package init(_ handle: UInt16, version: UInt8, company: UInt16) {
    (self.handle, self.version, self.company) = (handle, version, company)
  }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.number(&status)
    try coder.number(&handle)
    try coder.number(&version)
    try coder.number(&company)
    try coder.number(&subversion)
  }
}
