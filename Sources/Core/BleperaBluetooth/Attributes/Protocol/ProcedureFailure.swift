/// Why a GATT procedure, a pairing or the opening of a channel failed.
package enum ProcedureFailure: Error, Hashable, Sendable {
  case att(ATTError)
  /// There is no connection.
  case notConnected
  /// The connection has ended before the response.
  case disconnected
  /// Pairing was required and has failed.
  case pairing(PairingFailure)
  /// The peer has not opened the L2CAP channel.
  case channel(ChannelRefusal)
}

extension ProcedureFailure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .att(let error): "\(error)"
    case .notConnected: "not connected"
    case .disconnected: "the connection has ended"
    case .pairing: "not paired, and the link has to be encrypted"
    case .channel(let refusal): "\(refusal)"
    }
  }
}

/// Why two devices could not pair, with the cases of Device1.Pair.
package enum PairingFailure: Error, Hashable, Sendable {
  case failed, cancelled, rejected, inProgress, alreadyPaired
}

/// Why a channel is not opened.
package enum ChannelRefusal: Error, Hashable, Sendable {
  /// Nothing is published with that PSM.
  case unknownPSM
  /// The channel requires encryption, and the devices are not paired.
  case notEncrypted
  /// Another result of an LE Credit Based Connection Response (Core Specification, Vol 3, Part A, 4.23).
  case other(UInt16)
  /// The peer has rejected the request as unknown, by a Command Reject (4.1), or has not answered it.
  case unanswered

  package init(code: UInt16) {
    switch code {
    case 0x0002: self = .unknownPSM
    case 0x0005, 0x0008: self = .notEncrypted
    default: self = .other(code)
    }
  }
}
