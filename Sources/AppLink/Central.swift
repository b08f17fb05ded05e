/// A central as an app sees it: `CBCentral`.
public struct Central: Hashable, Codable, Sendable {
  public var id: CentralID
  /// The bytes that one notification or indication can carry: the ATT_MTU less 3.
  public var maximumUpdateValueLength: Int

  public init(id: CentralID, maximumUpdateValueLength: Int) {
    self.id = id
    self.maximumUpdateValueLength = maximumUpdateValueLength
  }
}
