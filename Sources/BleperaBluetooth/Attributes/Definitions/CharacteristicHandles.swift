/// The handles of one characteristic, ascending in the order of the members.
public struct CharacteristicHandles: Hashable, Codable, Sendable {
  /// The handle of the characteristic declaration.
  public var declaration: AttributeHandle
  /// The handle that reads, writes and notifications carry: the declaration's plus one.
  public var value: AttributeHandle
  /// The Client Characteristic Configuration; nil where a central cannot subscribe.
  public var clientConfiguration: AttributeHandle?
  /// The Characteristic Extended Properties descriptor; nil without that property.
  public var extendedProperties: AttributeHandle?
  /// In the order of the definition's descriptors.
  public var descriptors: [AttributeHandle]

  /// Creates the handles of one characteristic.
  public init(
    declaration: AttributeHandle, value: AttributeHandle, clientConfiguration: AttributeHandle? = nil,
    extendedProperties: AttributeHandle? = nil, descriptors: [AttributeHandle] = []
  ) {
    self.declaration = declaration
    self.value = value
    self.clientConfiguration = clientConfiguration
    self.extendedProperties = extendedProperties
    self.descriptors = descriptors
  }
}
