import BleperaBluetooth

/// A value that is written as one line of JSON many times a second, which `JSONEncoder` is slow for.
package protocol JSONLineWritable: Encodable, Sendable {
  /// Writes the object that `JSONEncoder` would; false where only that can.
  func write(to object: inout JSONObjectWriter) -> Bool
}

/// A value that is read from one line of JSON many times a second, which `JSONDecoder` is slow for.
package protocol JSONLineReadable: Decodable, Sendable {
  /// Reads the object; nil where only `JSONDecoder` can, or where the object is invalid.
  init?(reading object: inout JSONObjectReader)
}

package typealias JSONLineValue = JSONLineWritable & JSONLineReadable

/// Writes objects of numbers, short text and lists of these. Keys have to be added in alphabetical order.
package struct JSONObjectWriter {
  package private(set) var bytes: [UInt8] = []
  private var isFirst = true

  init() { bytes.reserveCapacity(256) }

  /// Begins an object, or a list where `bracket` is `[`.
  package mutating func begin(_ key: String? = nil, _ bracket: Unicode.Scalar = "{") {
    if let key { name(key) } else { separate() }
    bytes.append(UInt8(ascii: bracket))
    isFirst = true
  }

  package mutating func end(_ bracket: Unicode.Scalar = "}") {
    bytes.append(UInt8(ascii: bracket))
    isFirst = false
  }

  package mutating func add(_ key: String, _ text: String?) {
    guard let text else { return }
    name(key)
    quote(text)
  }

  package mutating func add(_ key: String, _ number: Int?) {
    guard let number else { return }
    name(key)
    append(number)
  }

  package mutating func add(_ key: String, _ flag: Bool?) {
    guard let flag else { return }
    name(key)
    bytes += (flag ? "true" : "false").utf8
  }

  package mutating func add(_ key: String, _ list: [String]?) {
    guard let list else { return }
    begin(key, "[")
    for text in list {
      separate()
      quote(text)
    }
    end("]")
  }

  package mutating func add(_ key: String, _ list: [UInt8]?) {
    guard let list else { return }
    begin(key, "[")
    for number in list {
      separate()
      append(Int(number))
    }
    end("]")
  }

  private mutating func separate() {
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    isFirst = false
  }

  private mutating func name(_ key: String) {
    var key = key
    separate()
    bytes.append(UInt8(ascii: "\""))
    key.withUTF8 { unsafe bytes.append(contentsOf: $0) }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }

  private mutating func quote(_ text: String) {
    var text = text
    bytes.append(UInt8(ascii: "\""))
    text.withUTF8 { text in
      var start = 0
      for index in 0..<text.count {
        let byte = unsafe text[index]
        guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
        unsafe bytes.append(contentsOf: text[start..<index])
        start = index + 1
        escape(byte)
      }
      unsafe bytes.append(contentsOf: text[start...])
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// As `JSONEncoder` writes it.
  private mutating func escape(_ byte: UInt8) {
    bytes.append(UInt8(ascii: "\\"))
    if let letter = JSONEscape.letters.first(where: { $0.byte == byte })?.letter { return bytes.append(letter) }
    bytes += "u00".utf8
    bytes.append(UInt8(ascii: "0") + byte >> 4)
    bytes.append(contentsOf: String(byte & 0xF, radix: 16).utf8)
  }

  private mutating func append(_ number: Int) {
    guard number >= 0 else { return bytes += "\(number)".utf8 }
    if number >= 10 { append(number / 10) }
    bytes.append(UInt8(ascii: "0") + UInt8(number % 10))
  }
}

/// The characters that have escapes of one letter, but for the solidus (RFC 8259, 7).
private enum JSONEscape {
  static let letters: [(byte: UInt8, letter: UInt8)] = [
    (0x08, UInt8(ascii: "b")), (0x09, UInt8(ascii: "t")), (0x0A, UInt8(ascii: "n")), (0x0C, UInt8(ascii: "f")),
    (0x0D, UInt8(ascii: "r")), (0x22, UInt8(ascii: "\"")), (0x5C, UInt8(ascii: "\\")),
  ]
}

/// Reads what `JSONObjectWriter` writes, with white space. A function returns nil or false where the text is something
/// else, which may be valid JSON.
package struct JSONObjectReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Whether nothing follows.
  package var isAtEnd: Bool {
    mutating get {
      skipSpace()
      return position == bytes.count
    }
  }

  /// Calls `body` with each key; the body reads the value, and returns whether it could.
  package mutating func object(_ body: (inout JSONObjectReader, String) -> Bool) -> Bool {
    guard take("{") else { return false }
    if take("}") { return true }
    while true {
      guard let key = text(), take(":"), body(&self, key) else { return false }
      if take("}") { return true }
      guard take(",") else { return false }
    }
  }

  /// Keeps a value that was read; returns whether it could be. A key that comes twice is left to `JSONDecoder`.
  package func store<Value>(_ value: Value?, in field: inout Value?) -> Bool {
    guard field == nil else { return false }
    field = value
    return value != nil
  }

  /// Calls `body` for each element, which it reads.
  package mutating func list(_ body: (inout JSONObjectReader) -> Bool) -> Bool {
    guard take("[") else { return false }
    if take("]") { return true }
    while true {
      guard body(&self) else { return false }
      if take("]") { return true }
      guard take(",") else { return false }
    }
  }

  /// Without escapes of other characters than ASCII.
  package mutating func text() -> String? {
    guard take("\"") else { return nil }
    let start = position
    var isASCII = true
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") {
        position += 1
        return unsafe bytes.withUnsafeBufferPointer { bytes in
          let text = unsafe UnsafeBufferPointer(rebasing: bytes[start..<position - 1])
          return isASCII ? unsafe String(decoding: text, as: UTF8.self) : unsafe String(validating: text, as: UTF8.self)
        }
      }
      if byte == UInt8(ascii: "\\") { return textWithEscapes(from: start) }
      guard byte >= 0x20 else { return nil }
      if byte >= 0x80 { isASCII = false }
      position += 1
    }
    return nil
  }

  private mutating func textWithEscapes(from start: Int) -> String? {
    var text = Array(bytes[start..<position])
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let character = escaped() else { return nil }
        text.append(character)
      case 0..<0x20: return nil
      default: text.append(byte)
      }
    }
    return nil
  }

  /// What follows a backslash.
  private mutating func escaped() -> UInt8? {
    guard position < bytes.count else { return nil }
    let letter = bytes[position]
    position += 1
    guard letter == UInt8(ascii: "u") else {
      return letter == UInt8(ascii: "/") ? letter : JSONEscape.letters.first { $0.letter == letter }?.byte
    }
    guard position + 4 <= bytes.count, bytes[position] == UInt8(ascii: "0"), bytes[position + 1] == UInt8(ascii: "0"),
      let high = Character(Unicode.Scalar(bytes[position + 2])).hexDigitValue, high < 8,
      let low = Character(Unicode.Scalar(bytes[position + 3])).hexDigitValue
    else { return nil }
    position += 4
    return UInt8(high << 4 | low)
  }

  package mutating func number() -> Int? {
    skipSpace()
    let isNegative = position < bytes.count && bytes[position] == UInt8(ascii: "-")
    if isNegative { position += 1 }
    let start = position
    var number = 0
    while position < bytes.count, case let digit = bytes[position] &- UInt8(ascii: "0"), digit < 10 {
      number = number * 10 + Int(digit)
      position += 1
      guard position - start < 16 else { return nil }
    }
    let count = position - start
    guard count == 1 || count > 1 && bytes[start] != UInt8(ascii: "0") else { return nil }
    if position < bytes.count, case let byte = bytes[position],
      byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e")
    {
      return nil
    }
    return isNegative ? -number : number
  }

  package mutating func flag() -> Bool? {
    if word("true") { return true }
    return word("false") ? false : nil
  }

  package mutating func texts() -> [String]? {
    var texts: [String] = []
    let isList = list { reader in
      guard let text = reader.text() else { return false }
      texts.append(text)
      return true
    }
    return isList ? texts : nil
  }

  package mutating func byteList() -> [UInt8]? {
    var numbers: [UInt8] = []
    let isList = list { reader in
      guard let number = reader.number().flatMap({ UInt8(exactly: $0) }) else { return false }
      numbers.append(number)
      return true
    }
    return isList ? numbers : nil
  }

  private mutating func word(_ word: String) -> Bool {
    skipSpace()
    guard bytes[position...].starts(with: word.utf8) else { return false }
    position += word.utf8.count
    return true
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func skipSpace() {
    while position < bytes.count, case let byte = bytes[position], byte <= 0x20,
      byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    {
      position += 1
    }
  }
}
