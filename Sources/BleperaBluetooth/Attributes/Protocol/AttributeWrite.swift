/// Bytes to be written to one attribute at an offset.
public struct AttributeWrite: Hashable, Codable, Sendable {
  /// The attribute.
  public var handle: AttributeHandle
  /// Where the bytes begin, in bytes from the start of the value.
  public var offset: Int
  /// The bytes.
  public var value: [UInt8]

  /// Creates a write to one attribute.
  public init(handle: AttributeHandle, offset: Int, value: [UInt8]) {
    self.handle = handle
    self.offset = offset
    self.value = value
  }
}
