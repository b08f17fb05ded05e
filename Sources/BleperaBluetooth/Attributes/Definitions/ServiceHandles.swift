/// The handles of one service: the declaration at `start`, the last attribute at `end`, and no other service between.
public struct ServiceHandles: Hashable, Codable, Sendable {
  /// The handle of the service declaration.
  public var start: AttributeHandle
  /// The handle of the last attribute.
  public var end: AttributeHandle
  /// The include declarations, in the order of the definition's included services.
  public var includes: [AttributeHandle]
  /// In the order of the definition's characteristics.
  public var characteristics: [CharacteristicHandles]

  /// Creates the handles of one service.
  public init(
    start: AttributeHandle, end: AttributeHandle, includes: [AttributeHandle] = [],
    characteristics: [CharacteristicHandles] = []
  ) {
    self.start = start
    self.end = end
    self.includes = includes
    self.characteristics = characteristics
  }
}
