import BleperaBluetooth

/// A connection between a central and a peripheral.
package struct AirConnection: Sendable {
  package let id: ConnectionID
  package let central: AdapterID
  package let peripheral: AdapterID
  package internal(set) var mtu: Int
  package internal(set) var security: LinkSecurity
  /// The services as the central knows them.
  package internal(set) var services: [RemoteService] = []
  package internal(set) var isResolved = false

  /// The central's active procedure, followed by those that wait.
  var active: ClientProcedure?
  var waiting: [ClientProcedure] = []
  /// Whether the active procedure waits for the link to be secured.
  var isSecuring = false
  var isRediscovering = false

  /// The peripheral's queue of prepared writes.
  var prepared = PrepareQueue()
  var pending: PendingRequest?
  /// The unconfirmed indication, followed by those that wait.
  var indicating: AttributeHandle?
  var indications: [(handle: AttributeHandle, value: [UInt8])] = []

  var pairing: AirPairing?
  /// Whether no packet arrives for the rest of the connection.
  var isCut = false
  /// Set while no packet arrives, temporarily or permanently; the number distinguishes this silence from earlier ones.
  var silence: Int?
  /// Whether one side wants to disconnect and its packet cannot arrive now.
  var isLeaving = false
  /// Which side that is; nil where that is not known.
  var leaver: AdapterID?
  /// Packets that could not arrive, in order.
  var held: [LinkPacket] = []
  /// The discovery that could not finish.
  var discovery: AirTimer?
  /// The number of values in transit to the central.
  var valuesInTransit = 0
  /// The last request of the central.
  var request: ATTOpcode?
  /// When the last packet in each direction arrives; packets do not overtake each other.
  var lastArrivals: (up: Duration, down: Duration) = (.zero, .zero)

  init(id: ConnectionID, central: AdapterID, peripheral: AdapterID, mtu: Int, security: LinkSecurity) {
    self.id = id
    self.central = central
    self.peripheral = peripheral
    self.mtu = mtu
    self.security = security
  }

  /// The number of values that the peripheral has sent and the central has not received.
  package var uncarriedValues: Int { valuesInTransit + indications.count }

  package func has(_ adapter: AdapterID) -> Bool { central == adapter || peripheral == adapter }
}

/// A request for which the server waits for the application before it responds to the central.
struct PendingRequest: Hashable, Sendable {
  /// The purpose of the application's response.
  enum Purpose: Hashable, Sendable {
    case read
    case write
    /// The application decides whether the write may be prepared.
    case prepare(AttributeHandle, offset: Int, [UInt8])
    /// Carries the remaining writes of the same execution.
    case execute(rest: [AttributeWrite])
  }

  let id: AirRequestID
  let objects: [ApplicationObject]
  let purpose: Purpose
}
