/// What an application is told of a read or a write.
package struct AttributeRequestOptions: Hashable, Sendable {
  package let connection: ConnectionID
  /// The central.
  package let device: DeviceAddress
  /// The ATT_MTU of the link, in bytes.
  package let mtu: Int
  package var offset = 0
  /// The application is only asked whether the device may write.
  package var isPrepareAuthorize = false
}
