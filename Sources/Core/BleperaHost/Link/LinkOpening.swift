package import BleperaBluetooth

/// A new connection, as the link layer of one side reports it.
package struct LinkOpening: Hashable, Sendable {
  package let isCentral: Bool
  /// The addresses with which the connection was made, which may be private.
  package let own: DeviceAddress
  package let peer: DeviceAddress
  /// The address with which a central has begun to connect, which may be another one of the peer.
  package let wanted: DeviceAddress
  /// The advertisement of a peripheral that the central has answered.
  package let advertisement: AdvertisementID?
  package let parameters: LinkParameters

  package init(
    isCentral: Bool, own: DeviceAddress, peer: DeviceAddress, wanted: DeviceAddress? = nil,
    advertisement: AdvertisementID? = nil, parameters: LinkParameters
  ) {
    (self.isCentral, self.own, self.peer, self.wanted) = (isCentral, own, peer, wanted ?? peer)
    (self.advertisement, self.parameters) = (advertisement, parameters)
  }
}

extension DisconnectionCause {
  /// The cause by which a host reports the end of a link: `byPhone` is this side, `byPeripheral` the other one.
  package init(_ end: LinkEnd) {
    switch end {
    case .hostTerminated: self = .byPhone
    case .connectionTimeout, .notEstablished, .responseTimeout: self = .timeout
    case .missingKey, .integrityFailure: self = .keyMissing
    default: self = .byPeripheral
    }
  }
}
