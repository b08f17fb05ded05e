package import BleperaBluetooth

/// How long one side waits for the other, and what happens then: all such timers of hosts and link layers.
/// `docs/timers.md` has the same table.
package struct ProcedureTimeout: Hashable, Sendable {
  /// The procedure, with what is waited for.
  package let name: String
  package let phone: Duration
  package let bluetoothd: Duration
  /// The time of an accessory, and of a central of a story.
  package let other: Duration
  package let result: String
  /// The section of the Core Specification, and what decides within it.
  package let source: String

  private init(
    _ name: String, _ duration: Duration, phone: Duration? = nil, bluetoothd: Duration? = nil, result: String,
    source: String
  ) {
    (self.name, self.phone, self.bluetoothd, other) = (name, phone ?? duration, bluetoothd ?? duration, duration)
    (self.result, self.source) = (result, source)
  }

  package func duration(for client: StackBehavior.Client) -> Duration {
    switch client {
    case .phone: phone
    case .bluetoothd: bluetoothd
    case .discovering: other
    }
  }

  package static let all = [
    opening, disconnection, closing, request, indication, application, pairing, securityRequest, encryption, parameters,
    exchange, supervision,
  ]

  static let opening = Self(
    "L2CAP: the response to an LE Credit Based Connection Request", .seconds(30), bluetoothd: .seconds(40),
    result: "The channel is not opened.", source: signaling)
  static let disconnection = Self(
    "L2CAP: the response to a Disconnection Request", .seconds(30), bluetoothd: .seconds(40),
    result: "The channel is closed, and its number is free.", source: signaling)
  private static let signaling = "Vol 3, Part A, 6.2.1: 1 to 60 s; Linux: `L2CAP_CONN_TIMEOUT`; else ours"
  static let closing = Self(
    "L2CAP: credits for the data of a channel that was closed", .seconds(30),
    result: "The data is dropped, and a Disconnection Request is sent.", source: "ours")
  static let request = Self(
    "ATT: the response to a request", .seconds(30), result: "The connection ends (0x13).", source: transaction)
  static let indication = Self(
    "ATT: the confirmation of an indication", .seconds(30), result: "The connection ends (0x13).", source: transaction)
  private static let transaction =
    "Vol 3, Part F, 3.3.3; bluetoothd: `ATT_TIMEOUT_INTERVAL`; an iPhone's link ended after 33 s (bleno issue 74)"
  package static let application = Self(
    "ATT: the response of a server's own application", .seconds(30), bluetoothd: .seconds(5),
    result: "The connection ends (0x13); bluetoothd: the error is 0x0E.",
    source: "Vol 3, Part F, 3.3.3; bluetoothd: `ATTRIBUTE_TIMEOUT`")
  static let pairing = Self(
    "SMP: the next command of a pairing", .seconds(30), result: "The pairing fails, and the connection ends (0x05).",
    source: "Vol 3, Part H, 3.4; Linux: `smp_timeout`")
  static let securityRequest = Self(
    "SMP: pairing or encryption after a Security Request", .seconds(30),
    result: "The pairing fails, and the connection ends (0x05).", source: "Vol 3, Part H, 3.4; Linux: `smp_timeout`")
  package static let encryption = link("the start of encryption")
  package static let parameters = link("the response to a request for other parameters")
  package static let exchange = link("the response to a request for features, version or data length")
  package static let supervision = Self(
    "Link layer: any packet", .milliseconds(420), phone: .milliseconds(720),
    result: "The connection ends (0x08; within its first six intervals 0x3E).",
    source: "Vol 6, Part B, 4.5.2; the central of the connection decides: Linux's default, an iPhone's connections")

  private static func link(_ name: String) -> Self {
    Self(
      "Link layer: \(name)", .seconds(40), result: "The connection ends (0x22).", source: "Vol 6, Part B, 5.2")
  }
}

/// The timers of a host.
package enum HostTimer: Hashable, Sendable {
  case requestTimesOut(AttributeRequestID)
  /// The peer has not sent the next command of a pairing.
  case pairingTimesOut(ConnectionID, turn: Int)
  /// A peripheral begins to discover the central's services.
  case discoveryBegins(ConnectionID)
  /// The peer has not answered a request.
  case answerTimesOut(ConnectionID, turn: Int)
  case indicationTimesOut(ConnectionID, turn: Int)
  /// The peer has not answered a request to open or to close a channel, or gives no credit for the rest of its data.
  case channelTimesOut(ChannelEnd, turn: Int)
}
