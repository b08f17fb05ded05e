import Testing

@testable import Preservation

/// Documents that are wrong under a right checksum.
enum Resealed {
  /// The bytes of the full state's document, without its seal.
  static func body() throws -> [UInt8] { Array(try Seal.opened(StateDocument.encode(Samples.full))) }

  /// The full state's document with other text in the place of the first such; white space between elements is left
  /// out on both sides.
  static func document(_ old: String, _ new: String) throws -> [UInt8] {
    var text =
      String(decoding: try body(), as: UTF8.self)
      .replacing(/>\s+</, with: "><").replacing(/>\s+/, with: ">").replacing(/\s+</, with: "<") + "\n"
    let place = try #require(text.firstRange(of: old), "the document does not have \(old)")
    text.replaceSubrange(place, with: new)
    return Seal.sealed(Array(text.utf8))
  }
}
