/// Bytes to be written to one attribute at an offset.
public struct AttributeWrite: Hashable, Codable, Sendable {
  public var handle: AttributeHandle
  public var offset: Int
  public var value: [UInt8]

  public init(handle: AttributeHandle, offset: Int, value: [UInt8]) {
    self.handle = handle
    self.offset = offset
    self.value = value
  }
}
