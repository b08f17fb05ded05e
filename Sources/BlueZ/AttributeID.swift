/// An attribute of a published application: which of its services, characteristics and descriptors, by place.
package struct AttributeID: Hashable, Sendable {
  package let service: Int
  package let characteristic: Int
  /// Nil for the characteristic's own value.
  package let descriptor: Int?

  package init(service: Int, characteristic: Int, descriptor: Int? = nil) {
    self.service = service
    self.characteristic = characteristic
    self.descriptor = descriptor
  }
}
