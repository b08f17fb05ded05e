package import BleperaBluetooth

/// A request of a host's user.
package enum HostRequest: Hashable, Sendable {
  /// The value of Device Name.
  case name(String)
  case pairable(Bool)
  /// Nil without a pairing agent.
  case capability(PairingCapability?)

  /// With the cause that is reported, if another than `byPhone`.
  case disconnect(ConnectionID, because: DisconnectionCause? = nil)
  case pair(ConnectionID, OperationID)
  case cancelPairing(ConnectionID)
  case respondToPairing(ConnectionID, PairingResponse)
  /// Deletes the keys of a device, by its identity address.
  case unpair(DeviceAddress)

  case publish(ApplicationID, [PublishedService])
  case unpublish(ApplicationID)
  /// Removes one service, by its position in the application.
  case unpublishService(ApplicationID, Int)
  /// Changes a central's Client Characteristic Configuration, by the handle of the characteristic's value.
  case configure(AttributeHandle, of: DeviceAddress, to: UInt16, over: ConnectionID? = nil)
  case respond(AttributeRequestID, Result<[UInt8], ATTError>)
  /// Sends a value to the given subscribers; nil for all.
  case updateValue(ApplicationObject, [UInt8], to: Set<DeviceAddress>?)

  case perform(OperationID, ConnectionID, GATTProcedure)
  /// The central of a connection whose stack does not discover services itself asks for the MTU; it knows the services
  /// as they were over an earlier connection.
  case exchangeMTU(ConnectionID, knowing: [RemoteService])
  /// The central discovers the services that are not as it knows them.
  case discover(ConnectionID)

  /// Lets centrals open L2CAP channels with that number, of which they may have several.
  case publishChannel(L2CAPPSM, isEncrypted: Bool)
  /// Channels that are open stay open.
  case unpublishChannel(L2CAPPSM)
  /// Opens a channel; completes with the two bytes of the number of the host's end.
  case openChannel(OperationID, ConnectionID, L2CAPPSM)
  case writeChannel(ChannelEnd, [UInt8])
  /// The reader has taken `count` bytes of the channel's input.
  case readChannel(ChannelEnd, count: Int)
  case closeChannel(ChannelEnd)
}

extension HostStack {
  package mutating func run(_ request: HostRequest) {
    switch request {
    case .name(let value): name = value
    case .pairable(let value): isPairable = value
    case .capability(let value): capability = value
    case .disconnect(let id, let cause): end(id, because: cause ?? links[id]?.cause)
    case .pair(let id, let operation): pair(operation, over: id)
    case .cancelPairing(let id): cancelPairing(over: id)
    case .respondToPairing(let id, let answer): respond(to: id, answer)
    case .unpair(let address): removeBond(with: address)
    case .publish(let id, let services): publish(id, services)
    case .unpublish(let id): unpublish(id, place: nil)
    case .unpublishService(let id, let place): unpublish(id, place: place)
    case .configure(let characteristic, let peer, let value, let connection):
      guard let descriptor = database.clientConfiguration(of: characteristic) else { return }
      configure(descriptor, of: peer, to: value, over: connection)
    case .respond(let id, let result): answer(id, result)
    case .updateValue(let object, let value, let devices): updateValue(object, value, to: devices)
    case .perform(let id, let connection, let operation): perform(id, operation, over: connection)
    case .exchangeMTU(let id, let known): exchangeMTU(knowing: known, over: id)
    case .discover(let id): discover(over: id)
    case .publishChannel(let psm, let isEncrypted): publishedChannels[psm] = isEncrypted
    case .unpublishChannel(let psm): publishedChannels[psm] = nil
    case .openChannel(let operation, let link, let psm): openChannel(operation, over: link, psm)
    case .writeChannel(let end, let bytes): writeChannel(end, bytes)
    case .readChannel(let end, let count): readChannel(end, count: count)
    case .closeChannel(let end): closeChannel(end)
    }
  }
}
