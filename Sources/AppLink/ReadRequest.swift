/// A read of a dynamic value: `CBATTRequest` of `didReceiveRead`.
public struct ReadRequest: Hashable, Codable, Sendable {
  public var id: RequestID
  public var central: Central
  public var characteristic: CharacteristicID
  /// The first byte asked for, greater than 0 in a long read.
  public var offset: Int

  public init(id: RequestID, central: Central, characteristic: CharacteristicID, offset: Int) {
    self.id = id
    self.central = central
    self.characteristic = characteristic
    self.offset = offset
  }
}
