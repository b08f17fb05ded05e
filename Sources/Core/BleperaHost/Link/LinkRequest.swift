/// Data of one connection, as a controller and its host exchange it: a whole L2CAP frame or a fragment of one.
package struct LinkData: Hashable, Sendable {
  /// Whether a frame begins with this data.
  package let isStart: Bool
  package let bytes: [UInt8]

  package init(isStart: Bool, _ bytes: [UInt8]) { (self.isStart, self.bytes) = (isStart, bytes) }
}

/// A request of the host above a controller for a connection.
package enum LinkRequest: Hashable, Sendable {
  /// Completes with `LinkNotice.sent`.
  case data(LinkData)
  case readFeatures
  case readVersion
  /// Sent by a central only; a peripheral requests parameters.
  case update(LinkParameters)
  case requestParameters(LinkParameterRequest)
  case refuseParameters(reason: UInt8)
  /// The payload of data PDUs, in bytes.
  case setDataLength(Int)
  /// Sent by a central only.
  case encrypt(LinkKey)
  /// A peripheral's answer to `LinkNotice.keyRequested`; nil without a key.
  case key(UInt128?)
  case disconnect(LinkEnd)
  /// Stops sending; the other side notices at the supervision timeout.
  case abandon
}

/// A controller's notice to its host.
package enum LinkNotice: Hashable, Sendable {
  case data(LinkData)
  /// The other side has acknowledged data.
  case sent
  /// The other side has answered; all controllers of an air are alike.
  case features
  case version
  case parametersRequested(LinkParameterRequest)
  case parametersChanged(LinkParameters)
  /// The central has refused the request for other parameters.
  case parametersRefused(reason: UInt8)
  /// The payload of the data PDUs that it sends and receives, in bytes.
  case dataLength(sent: Int, received: Int)
  /// The other side has answered `LinkRequest.setDataLength`, whether a length has changed or not.
  case dataLengthAnswered
  /// Answered with `LinkRequest.key`.
  case keyRequested(random: UInt64, diversifier: UInt16)
  /// With the first key of the connection, or with another one.
  case encrypted(isRefresh: Bool)
  case encryptionRefused(LinkEnd)
  case ended(LinkEnd)
}

/// The key with which a central's host encrypts a connection (Core Specification, Vol 4, Part E, 7.8.24), and its name
/// for the peripheral, which is 0 for a key of LE Secure Connections.
package struct LinkKey: Hashable, Sendable {
  package let value: UInt128
  package let random: UInt64
  package let diversifier: UInt16

  package init(_ value: UInt128, random: UInt64, diversifier: UInt16) {
    (self.value, self.random, self.diversifier) = (value, random, diversifier)
  }
}

/// Why a connection has ended: an error code of controllers (Core Specification, Vol 1, Part F, 1.3).
package struct LinkEnd: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let authenticationFailure = Self(rawValue: 0x05)
  package static let missingKey = Self(rawValue: 0x06)
  package static let connectionTimeout = Self(rawValue: 0x08)
  package static let userTerminated = Self(rawValue: 0x13)
  package static let poweredOff = Self(rawValue: 0x15)
  package static let hostTerminated = Self(rawValue: 0x16)
  package static let responseTimeout = Self(rawValue: 0x22)
  package static let integrityFailure = Self(rawValue: 0x3D)
  /// No packet has arrived in the first six intervals.
  package static let notEstablished = Self(rawValue: 0x3E)
}
