/// What is read of a document before all else.
struct VersionAlone: Decodable {
  let version: Int

  init(from decoder: any Decoder) throws {
    version = try StateReader(decoder).value(.version)
    guard version >= 1 else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: [StateKey.version], debugDescription: "there is no version \(version)"))
    }
  }
}
