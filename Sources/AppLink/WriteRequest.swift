/// A write of a dynamic value: `CBATTRequest` of `didReceiveWrite`.
public struct WriteRequest: Hashable, Codable, Sendable {
  public var id: RequestID
  public var central: Central
  public var characteristic: CharacteristicID
  /// Where the value goes, greater than 0 in a long write.
  public var offset: Int
  public var value: [UInt8]

  public init(id: RequestID, central: Central, characteristic: CharacteristicID, offset: Int, value: [UInt8]) {
    self.id = id
    self.central = central
    self.characteristic = characteristic
    self.offset = offset
    self.value = value
  }
}
