/// The characters between two tags, with references resolved, and the way back to where each of them stands.
package struct XMLText {
  package private(set) var bytes: [UInt8] = []
  /// Where the text begins in the file, also when it is empty.
  package let start: Int
  package var hasFault = false
  /// From these indices on, the bytes are those of the file from `source` on.
  private var pieces: [(index: Int, source: Int)] = []

  package init(start: Int) { self.start = start }

  package mutating func append(_ part: ArraySlice<UInt8>) {
    guard !part.isEmpty else { return }
    pieces.append((bytes.count, part.startIndex))
    bytes += part
  }

  package mutating func append(_ scalar: Unicode.Scalar, source: Int) {
    pieces.append((bytes.count, source))
    bytes += Array(String(scalar).utf8)
  }

  package var string: String { String(decoding: bytes, as: UTF8.self) }

  /// The text as a message shows it, without white space around it and the cost of making all of a long one.
  package var quoted: String {
    let part = bytes[trimmed].prefix(4 * (Quote.limit + 1))
    return Quote.text(String(decoding: part, as: UTF8.self))
  }

  /// The part without white space at either end.
  package var trimmed: Range<Int> {
    var low = 0
    var high = bytes.count
    while low < high, XMLPropertyListReader.isBlank(bytes[low]) { low += 1 }
    while high > low, XMLPropertyListReader.isBlank(bytes[high - 1]) { high -= 1 }
    return low..<high
  }

  /// The offset in the file of the byte at `index`; of its end when there is none.
  package func source(of index: Int) -> Int {
    var low = 0
    var high = pieces.count
    guard high > 0 else { return start }
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if pieces[middle].index <= index { low = middle } else { high = middle }
    }
    return pieces[low].source + (index - pieces[low].index)
  }
}
