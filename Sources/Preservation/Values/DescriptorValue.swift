/// What a descriptor holds in place of what it was published with.
package struct DescriptorValue: Hashable, Sendable {
  /// The characteristic's place in its service, from 0.
  package var characteristic: Int
  /// The descriptor's place in its characteristic, from 0.
  package var descriptor: Int
  package var value: [UInt8]

  package init(characteristic: Int, descriptor: Int, value: [UInt8]) {
    self.characteristic = characteristic
    self.descriptor = descriptor
    self.value = value
  }
}

extension DescriptorValue: StoredValue {
  init(reading fields: StateReader) throws {
    self.init(
      characteristic: try fields.value(.characteristic), descriptor: try fields.value(.descriptor),
      value: try fields.value(.value, Bytes.self))
  }

  func write(to fields: inout StateWriter) throws {
    try fields.value(characteristic, .characteristic)
    try fields.value(descriptor, .descriptor)
    try fields.value(value, .value, Bytes.self)
  }
}
