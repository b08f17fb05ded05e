import BleperaBluetooth

/// Data of one connection, as a controller and its host exchange it: a whole L2CAP frame or a fragment of one.
package struct LinkData: Hashable, Sendable {
  /// Whether a frame begins with it.
  package let isStart: Bool
  package let bytes: [UInt8]

  package init(isStart: Bool, _ bytes: [UInt8]) { (self.isStart, self.bytes) = (isStart, bytes) }
}

/// What the host above a controller does with a connection.
package enum LinkRequest: Hashable, Sendable {
  /// Completes with `LinkNotice.sent`.
  case data(LinkData)
  case readFeatures
  case readVersion
  /// Of a central; a peripheral requests them.
  case update(LinkParameters)
  case requestParameters(LinkParameterRequest)
  case refuseParameters(reason: UInt8)
  /// The payload of data PDUs, in bytes.
  case setDataLength(Int)
  /// Of a central.
  case encrypt(LinkKey)
  /// Of a peripheral, after `LinkNotice.keyRequested`; nil without a key.
  case key(UInt128?)
  case disconnect(LinkEnd)
  /// Nothing is sent anymore, which the other side notices at the supervision timeout.
  case abandon
}

/// What a controller reports to its host.
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

/// What a peripheral asks of its central: the interval in units of 1.25 ms, the timeout in units of 10 ms (Core
/// Specification, Vol 6, Part B, 2.4.2.16).
package struct LinkParameterRequest: Hashable, Sendable {
  package let intervals: ClosedRange<UInt16>
  package let latency: UInt16
  package let timeout: UInt16

  package init(intervals: ClosedRange<UInt16>, latency: UInt16, timeout: UInt16) {
    (self.intervals, self.latency, self.timeout) = (intervals, latency, timeout)
  }

  /// Nil for parameters outside the specification's ranges (Core Specification, Vol 4, Part E, 7.8.12).
  package init?(from least: UInt16, to most: UInt16, latency: UInt16, timeout: UInt16) {
    guard least <= most, least >= 6, most <= 3200, latency < 500, (10...3200).contains(timeout),
      Int(timeout) * 8 > (1 + Int(latency)) * Int(most) * 2
    else { return nil }
    self.init(intervals: least...most, latency: latency, timeout: timeout)
  }

  /// The parameters with the shortest of the intervals.
  package var parameters: LinkParameters {
    LinkParameters(
      interval: .microseconds(Int(intervals.lowerBound) * 1250), latency: latency,
      supervisionTimeout: .milliseconds(Int(timeout) * 10))
  }
}

/// Why a connection has ended: an error code of controllers (Core Specification, Vol 1, Part F, 1.3).
package struct LinkEnd: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  static let authenticationFailure = Self(rawValue: 0x05)
  static let missingKey = Self(rawValue: 0x06)
  static let connectionTimeout = Self(rawValue: 0x08)
  package static let userTerminated = Self(rawValue: 0x13)
  package static let poweredOff = Self(rawValue: 0x15)
  static let hostTerminated = Self(rawValue: 0x16)
  static let responseTimeout = Self(rawValue: 0x22)
  static let integrityFailure = Self(rawValue: 0x3D)
  /// Nothing has arrived in the first six intervals.
  static let notEstablished = Self(rawValue: 0x3E)
}

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
      LittleEndian.bytes(UInt16(length)) + LittleEndian.bytes(UInt16(LinkEvents.airTime(of: length)))
    }
  }
}

/// The version and the features of every controller of the air: Bluetooth 5.4 (Assigned Numbers, 2.1), and the company of
/// specifications that have none (7.1).
package enum LinkVersion {
  package static let number: UInt8 = 0x0D
  package static let company: UInt16 = 0xFFFF
  /// Encryption, parameter request, extended reject, requests of features by the peripheral, ping, data length, privacy,
  /// extended advertising (Core Specification, Vol 6, Part B, 4.6).
  package static let features: UInt64 =
    1 << 0 | 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5 | 1 << 6 | extendedAdvertising
  package static let extendedAdvertising: UInt64 = 1 << 12
}
