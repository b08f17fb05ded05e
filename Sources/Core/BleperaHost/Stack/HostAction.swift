package import BleperaBluetooth

/// An action of a host for its user.
package enum HostAction: Hashable, Sendable {
  /// The link has ended, after all that ends with it; reported by the host's owner.
  case disconnected(ConnectionID, DisconnectionCause)

  /// The central has discovered all services.
  case servicesResolved(ConnectionID)
  /// The services in that range have changed; the central has rediscovered them, unless it is a phone.
  case servicesChanged(ConnectionID, ClosedRange<AttributeHandle>)

  case pairingRequest(ConnectionID, PairingRequest)
  /// The pairing request no longer needs a response.
  case pairingCancelled(ConnectionID)
  /// The host now has keys of its peer.
  case paired(ConnectionID)
  /// The central encrypts with a key that the host does not have.
  case keyUnknown(ConnectionID)
  /// The connection is encrypted with the key of the bond.
  case secured(ConnectionID)

  /// Carries the handles of characteristic values and descriptors, and of services by position.
  case published(ApplicationID, services: [AttributeHandle], objects: [Int: AttributeHandle])
  /// `begun`: the first handles of the services before the one that is refused.
  case publicationRefused(ApplicationID, PublicationRefusal, begun: [AttributeHandle])
  /// Must be completed with `respond`.
  case read(AttributeRequestID, ApplicationObject, AttributeRequestOptions)
  /// Must be completed with `respond`, unless the request number is nil.
  case write(AttributeRequestID?, ApplicationObject, [UInt8], AttributeRequestOptions)
  /// The pieces of an executed prepared write, at least one, in the order of their arrival. Must be completed with one
  /// `respond` for all.
  case preparedWrite(AttributeRequestID, [ObjectWrite], AttributeRequestOptions)
  /// `isIndication` is true if the central has requested indications.
  case subscribed(ApplicationObject, ConnectionID, isFirst: Bool, isIndication: Bool)
  /// `isLast` is true if no subscriber remains.
  case unsubscribed(ApplicationObject, DeviceAddress, isLast: Bool)
  case confirmed(ApplicationObject, DeviceAddress)
  /// The host has agreed on an MTU with its peer.
  case mtuChanged(ConnectionID)

  case completed(OperationID, Result<ProcedureAnswer, ProcedureFailure>)
  /// A notification or an indication has arrived at the central.
  case valueChanged(ConnectionID, AttributeHandle, [UInt8])

  /// The peer has opened a channel.
  case channelOpened(ChannelEnd, L2CAPPSM)
  /// The end of a channel has input, room for output, or has ended.
  case channelChanged(ChannelEnd)
}

/// A piece of a prepared write.
package struct ObjectWrite: Hashable, Sendable {
  package let object: ApplicationObject
  package let offset: Int
  package let value: [UInt8]
}

/// The options of a read or write request.
package struct AttributeRequestOptions: Hashable, Sendable {
  package let connection: ConnectionID
  /// The central.
  package let device: DeviceAddress
  /// The ATT_MTU of the link, in bytes.
  package let mtu: Int
  package var offset = 0
  /// Whether the application only authorizes the write.
  package var isPrepareAuthorize = false

  package init(
    connection: ConnectionID, device: DeviceAddress, mtu: Int, offset: Int = 0, isPrepareAuthorize: Bool = false
  ) {
    self.connection = connection
    self.device = device
    self.mtu = mtu
    self.offset = offset
    self.isPrepareAuthorize = isPrepareAuthorize
  }
}
