package import BleperaBluetooth

/// A connection as one of its two hosts has it.
package struct HostLink: Sendable {
  /// The other side's identity, or the address of this connection.
  package internal(set) var peer: DeviceAddress
  package internal(set) var mtu = ATTMTU.range.lowerBound
  /// The payload of the data PDUs of the side that sends the shorter ones, in bytes.
  var dataLength = DataLength.range.lowerBound
  /// Whether tasks wait until the controllers have exchanged the data length, which decides the ATT_MTU.
  var awaitsDataLength = false
  /// Why the host ends the connection; nil where its user does.
  var cause: DisconnectionCause?
  var frames = LinkFrames()
  /// The identifier of the last signal that it has sent of its own.
  var lastSignal: UInt8 = 0
  var server = LinkServer()
  var indications = IndicationQueue()
  var tasks = TaskQueue()
  var remote = RemoteServices()
  var securing: SecurityProcedure

  init(to peer: DeviceAddress, _ manager: SecurityManager) {
    (self.peer, securing) = (peer, SecurityProcedure(manager))
  }

  /// Whether this side is the central.
  package var isCentral: Bool { securing.isCentral }
  package var security: LinkSecurity { securing.level }
  /// The passkey that the user is shown while they pair.
  package var passkey: UInt32? { securing.passkey }
  /// The question about the pairing that the user has not answered.
  package var question: PairingRequest? { securing.question }
  /// The peer's services, as far as they are known.
  package var services: [RemoteService] { remote.services }
  /// The Device Name; nil until it is read, and of a peer without one.
  package var peerName: String? { remote.name }
  /// The number of values that the peer has not received.
  package var uncarriedValues: Int { frames.unsent.count { $0 == .value } + indications.count }
  /// The facts of the link on which answers depend.
  var client: ATTClient { ATTClient(address: peer, security: security, mtu: mtu) }

  /// Begins the active task; services that are known are not discovered again.
  ///
  /// - Parameter offered: the offered ATT_MTU, in bytes.
  mutating func start(offered: Int) -> ClientTask.Step? {
    if let kind = tasks.operation?.kind, kind.isOfServices {
      if kind == .services, let known = remote.known { return .finish(.success(.services(known))) }
      remote.forget()
    }
    return tasks.start(mtu: mtu, offered: offered)
  }
}

/// The peer of a link as a client.
struct ATTClient: Sendable {
  let address: DeviceAddress
  let security: LinkSecurity
  let mtu: Int
}
