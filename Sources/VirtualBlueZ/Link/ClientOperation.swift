package import GATT

/// What a central does with an attribute.
package enum ClientOperation: Hashable, Sendable {
  /// From the offset on, as often as it takes to have all of it.
  case read(AttributeHandle, offset: Int)
  /// By one request where it fits at offset 0, else by prepared ones; a reliable one by prepared ones always.
  case write(AttributeHandle, [UInt8], offset: Int, isReliable: Bool)
  case command(AttributeHandle, [UInt8])
}
