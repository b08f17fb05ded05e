import BleperaBluetooth

/// A connection between a central and a peripheral.
package struct AirConnection: Sendable {
  package let id: ConnectionID
  package let central: AdapterID
  package let peripheral: AdapterID
  package internal(set) var mtu: Int
  package internal(set) var security: LinkSecurity
  /// As the central knows them.
  package internal(set) var services: [RemoteService] = []
  package internal(set) var isResolved = false

  /// Of the central: what it does now, and what it does then.
  var active: ClientProcedure?
  var waiting: [ClientProcedure] = []
  /// The active one waits for the link to be secured.
  var isSecuring = false
  var isRediscovering = false

  /// Of the peripheral.
  var prepared = PrepareQueue()
  var pending: PendingRequest?
  /// The indication that is to be confirmed, and those behind it.
  var indicating: AttributeHandle?
  var indications: [(handle: AttributeHandle, value: [UInt8])] = []

  var pairing: AirPairing?
  /// Nothing gets through any more, as long as it lasts.
  var isCut = false
  /// Nothing gets through, for the time being or for ever; the number distinguishes this silence from an earlier one.
  var silence: Int?
  /// One side wants to disconnect, and the packet cannot get through now.
  var isLeaving = false
  /// What could not get through, in order.
  var held: [LinkPacket] = []
  /// The discovery that could not be finished.
  var discovery: AirTimer?
  /// Bytes of values on their way to the central.
  var queued = 0
  /// The last request of the central.
  var request: ATTOpcode?
  /// When the last packet of each direction arrives; none overtakes another.
  var lastArrivals: (up: Duration, down: Duration) = (.zero, .zero)

  init(id: ConnectionID, central: AdapterID, peripheral: AdapterID, mtu: Int, security: LinkSecurity) {
    self.id = id
    self.central = central
    self.peripheral = peripheral
    self.mtu = mtu
    self.security = security
  }

  package func has(_ adapter: AdapterID) -> Bool { central == adapter || peripheral == adapter }
}

/// What a server waits for the application for, before it answers a central.
struct PendingRequest: Hashable, Sendable {
  /// What the answer is for.
  enum Purpose: Hashable, Sendable {
    case read
    case write
    /// The application decides whether the write may be prepared.
    case prepare(AttributeHandle, offset: Int, [UInt8])
    /// Writes of the same execution that follow.
    case execute(rest: [PreparedWrite])
  }

  let id: RequestID
  let object: ApplicationObject
  let purpose: Purpose
}
