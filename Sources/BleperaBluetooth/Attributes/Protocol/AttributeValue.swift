/// Operations on attribute values: long reads, writes at an offset and the maximum length.
public enum AttributeValue {
  /// The longest value of an attribute, in bytes (Core Specification, Vol 3, Part F, 3.2.9).
  public static let maximumLength = 512

  /// The response to a Read or Read Blob Request: the value from `offset` on. The transport truncates it to the MTU.
  public static func slice(_ value: [UInt8], from offset: Int) throws(ATTError) -> [UInt8] {
    guard offset >= 0, offset <= value.count else { throw .invalidOffset }
    return Array(value[offset...])
  }

  /// The value after a write of `bytes` at `offset`: the bytes before the offset are kept and the rest is replaced, so
  /// that the value ends with `bytes`, as a Write Request truncates a value (Core Specification, Vol 3, Part F,
  /// 3.4.5.1).
  public static func writing(_ bytes: [UInt8], at offset: Int, to value: [UInt8]) throws(ATTError) -> [UInt8] {
    guard offset >= 0, offset <= value.count else { throw .invalidOffset }
    guard offset + bytes.count <= maximumLength else { throw .invalidAttributeValueLength }
    return Array(value[..<offset]) + bytes
  }
}
