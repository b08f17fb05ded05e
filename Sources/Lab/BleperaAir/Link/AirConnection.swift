package import BleperaBluetooth
package import BleperaHost
import DequeModule

/// A connection between a central and a peripheral.
package struct AirConnection: Sendable {
  package let id: ConnectionID
  package let central: AdapterID
  package let peripheral: AdapterID
  /// The addresses with which the connection was made.
  package let addresses: (central: DeviceAddress, peripheral: DeviceAddress)
  /// The advertisement that the central has answered.
  package let advertisement: AdvertisementID
  package internal(set) var parameters: LinkParameters

  /// Whether no packet arrives for the rest of the connection.
  var isCut = false
  /// Set while no packet arrives, temporarily or permanently; the number distinguishes this silence from earlier ones.
  var silence: Int?
  /// Packets that will arrive, in order for each direction.
  var sent: Deque<LinkPacket> = []
  /// Packets that could not arrive, in order.
  var held: [LinkPacket] = []
  /// When the last packet in each direction arrives; packets do not overtake each other.
  var lastArrivals: (up: Duration, down: Duration) = (.zero, .zero)

  var events: LinkEvents
  /// The time of the first event.
  let firstEvent: Duration
  /// The requests of the link layers for features, version or lengths that are not answered, in order.
  var openRequests: [(turn: Int, isUpward: Bool)] = []
  /// The peripheral's request for parameters that the central has not answered.
  var parameterTurn: Int?
  /// Whether the central changes the parameters again and again: see `PhoneDefect.parameterStorm`.
  var isInStorm = false
  /// Nil until the central begins to encrypt.
  var encryption: LinkEncryption?
  /// The payload of the data PDUs of each side, in bytes.
  var dataLengths: (up: Int, down: Int) = (LinkEvents.shortestPDU, LinkEvents.shortestPDU)
  /// The lengths that each side has been informed of, by its adapter; and what each side offers.
  var knownLengths: [AdapterID: (sent: Int, received: Int)] = [:]
  var offeredLengths: (up: Int, down: Int) = (LinkEvents.shortestPDU, LinkEvents.shortestPDU)

  init(
    id: ConnectionID, central: AirAdapter, peripheral: AirAdapter, advertisement: AdvertisementID,
    address: DeviceAddress, parameters: LinkParameters, at now: Duration
  ) {
    self.id = id
    self.central = central.id
    self.peripheral = peripheral.id
    self.advertisement = advertisement
    self.parameters = parameters
    addresses = (central.attempt?.address ?? central.address, address)
    events = LinkEvents(anchor: now, interval: parameters.interval)
    firstEvent = now + parameters.interval
  }

  /// Returns when the packet arrives, which is sent now.
  mutating func send(_ packet: LinkPacket, at now: Duration, delayedBy delay: Duration) -> Duration {
    let arrival = events.next(after: now, packet, payload: dataLengths) + delay
    sent.append(packet)
    if packet.isUpward {
      lastArrivals.up = max(arrival, lastArrivals.up)
      return lastArrivals.up
    }
    lastArrivals.down = max(arrival, lastArrivals.down)
    return lastArrivals.down
  }

  /// The next packet that arrives in a direction.
  mutating func takeSent(isUpward: Bool) -> LinkPacket? {
    sent.firstIndex { $0.isUpward == isUpward }.map { sent.remove(at: $0) }
  }

  /// Whether a packet that would arrive now is held: packets do not overtake each other.
  func delays(_ packet: LinkPacket) -> Bool {
    silence != nil || held.contains { $0.isUpward == packet.isUpward }
  }

  typealias Sides = (central: AdapterID, peripheral: AdapterID)
  var sides: Sides { (central, peripheral) }

  /// The connection as one of its sides reports it.
  ///
  /// - Parameter address: the one with which the central began to connect.
  func opening(at side: AdapterID, wanted address: DeviceAddress) -> LinkOpening {
    central == side
      ? LinkOpening(
        isCentral: true, own: addresses.central, peer: addresses.peripheral, wanted: address, parameters: parameters)
      : LinkOpening(
        isCentral: false, own: addresses.peripheral, peer: addresses.central, advertisement: advertisement,
        parameters: parameters)
  }

  package func has(_ adapter: AdapterID) -> Bool { central == adapter || peripheral == adapter }
}
