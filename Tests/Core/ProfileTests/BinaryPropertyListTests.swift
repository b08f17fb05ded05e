import BleperaProfile
import BleperaPropertyLists
import Testing

@Suite struct BinaryPropertyListTests {
  /// A list that was written by hand, byte by byte: {"a": [true, 1.5, 0x0102, <01 02>, "é"]}.
  static let known: [UInt8] =
    Array("bplist00".utf8) + [0xD1, 0x01, 0x02, 0x51, 0x61, 0xA5, 0x03, 0x04, 0x05, 0x06, 0x07, 0x09]
    + [0x23, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0, 0x11, 0x01, 0x02, 0x42, 0x01, 0x02, 0x61, 0x00, 0xE9]
    + [8, 11, 13, 19, 20, 29, 32, 35] + [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 8] + [0, 0, 0, 0, 0, 0, 0, 0]
    + [0, 0, 0, 0, 0, 0, 0, 38]

  @Test("A file is read byte by byte as the format says")
  func knownFile() {
    var faults = FaultList()
    let document = PropertyList.read(Self.known, faults: &faults)
    #expect(document.root?.value.text == "{a: [true, real 1.5, 258, data 0102, \"é\"]}")
    #expect(!faults.hasErrors)
  }

  static let objects: [(bytes: [UInt8], text: String)] = [
    ([0x08], "false"), ([0x09], "true"), ([0x10, 0xFF], "255"), ([0x11, 0xFF, 0xFF], "65535"),
    ([0x12, 0xFF, 0xFF, 0xFF, 0xFF], "4294967295"),
    ([0x13] + [UInt8](repeating: 0xFF, count: 8), "-1"),
    ([0x14] + [UInt8](repeating: 0, count: 8) + [UInt8](repeating: 0xFF, count: 8), "18446744073709551615"),
    ([0x14] + [UInt8](repeating: 0xFF, count: 16), "-1"),
    ([0x22, 0x3F, 0x80, 0, 0], "real 1.0"), ([0x23, 0x7F, 0xF8, 0, 0, 0, 0, 0, 0], "real nan"),
    ([0x33, 0, 0, 0, 0, 0, 0, 0, 0], "date 0.0"), ([0x40], "data "), ([0x50], "\"\""), ([0x60], "\"\""),
    ([0x5F, 0x10, 0x02, 0x61, 0x62], "\"ab\""), ([0x62, 0xD8, 0x3D, 0xDE, 0x00], "\"😀\""), ([0xA0], "[]"),
    ([0xD0], "{}"),
  ]

  @Test("Each type of object is read", arguments: objects)
  func object(bytes: [UInt8], text: String) {
    var faults = FaultList()
    let document = PropertyList.read(BinaryEncoder.file([bytes]), faults: &faults)
    #expect(document.root?.value.text == text)
    #expect(!faults.hasErrors)
  }

  /// The column is the offset plus 1; objects begin at 8, which is column 9.
  static let faults: [(bytes: [UInt8], column: Int, text: String)] = [
    (BinaryEncoder.file([[0x00]]), 9, "found a null"), (BinaryEncoder.file([[0x80, 0x01]]), 9, "found a UID"),
    (BinaryEncoder.file([[0xC0]]), 9, "found a set"), (BinaryEncoder.file([[0xB0]]), 9, "found a set"),
    (BinaryEncoder.file([[0x0F]]), 9, "found the object type 0x0F"),
    (BinaryEncoder.file([[0x15]]), 9, "found the object type 0x15"),
    (BinaryEncoder.file([[0x24]]), 9, "found the object type 0x24"),
    (BinaryEncoder.file([[0x13, 0x00]]), 9, "found an object of 8 bytes"),
    (BinaryEncoder.file([[0x14, 0x01] + [UInt8](repeating: 0, count: 15)]), 9, "found the integer"),
    (BinaryEncoder.file([[0x52, 0x61]]), 9, "found an object of 2 units of 1 bytes"),
    (BinaryEncoder.file([[0x62, 0x00, 0x61]]), 9, "found an object of 2 units of 2 bytes"),
    (BinaryEncoder.file([[0x51, 0xE9]]), 10, "found the byte 0xE9 in an ASCII string"),
    (BinaryEncoder.file([[0x61, 0xD8, 0x00]]), 9, "half a surrogate pair"),
    (BinaryEncoder.file([[0x5F, 0x51, 0x61]]), 10, "a count that is no integer"),
    (BinaryEncoder.file([[0x5F, 0x14, 0x61]]), 10, "a count that is no integer"),
    (BinaryEncoder.file([[0x5F, 0x13] + [UInt8](repeating: 0xFF, count: 8)]), 9, "18446744073709551615 units"),
    (BinaryEncoder.file([[0xA1, 0x00]]), 10, "a container within itself"),
    (BinaryEncoder.file([[0xA1, 0x01], [0xA1, 0x00]]), 12, "a container within itself"),
    (BinaryEncoder.file([[0xA1, 0x07]]), 10, "a reference to object 7, expected less than 1"),
    (BinaryEncoder.file([[0xD1, 0x01, 0x01], [0x09]]), 12, "true as a key, expected a string"),
    (
      BinaryEncoder.file([[0xD2, 1, 2, 3, 3], [0x51, 0x61], [0x51, 0x61], [0x09]]), 16, "the key \"a\" a second time"
    ),
    (
      BinaryEncoder.file([[0xA2, 1, 2], [0x52, 0x61, 0x50], [0x50]], offsets: [8, 11, 13]), 14,
      "an object within the one at offset 11"
    ),
    (BinaryEncoder.file([[0x09]], offsets: [7]), 10, "the offset 7 of an object, expected 8 to 8"),
    (BinaryEncoder.file([[0x09]], offsets: [9]), 10, "the offset 9"),
    (BinaryEncoder.file([[0x09]], top: 1), 28, "the top object 1, expected less than 1"),
    (BinaryEncoder.file([[0x09]], count: 2), 20, "2 objects, expected 1 to 1"),
    (BinaryEncoder.file([[0x09]], count: -1), 20, "18446744073709551615 objects"),
    (BinaryEncoder.file([[0x09]], table: 8), 36, "a table of offsets at 8"),
    (BinaryEncoder.file([[0x09]], table: -1), 36, "a table of offsets at 18446744073709551615"),
    (BinaryEncoder.file([[0x09]], offsetSize: 9), 25, "offsets of 9 bytes"),
    (BinaryEncoder.file([[0x09]], referenceSize: 0), 19, "references of 0 bytes"),
    (Array("bplist16".utf8) + [UInt8](repeating: 0, count: 64), 1, "the header \"bplist16\""),
    (Array("bplist00".utf8), 9, "the end of the file"),
  ]

  @Test("A fault is reported with its offset", arguments: faults)
  func fault(bytes: [UInt8], column: Int, text: String) throws {
    var faults = FaultList()
    let document = PropertyList.read(bytes, faults: &faults)
    let diagnostics = faults.diagnostics(file: "f", lines: document.lines)
    let first = try #require(diagnostics.first)
    #expect(first.line == 1)
    #expect(first.column == column, "\(diagnostics)")
    #expect(first.description.contains(text))
    #expect(diagnostics.count == 1)
  }

  @Test("Shared objects are read once and may stand in several places")
  func sharing() {
    var faults = FaultList()
    let document = PropertyList.read(
      BinaryEncoder.file([[0xA3, 1, 1, 2], [0xA1, 2], [0x51, 0x61]]), faults: &faults)
    #expect(document.root?.value.text == "[[\"a\"], [\"a\"], \"a\"]")
    #expect(!faults.hasErrors)
  }

  @Test("A small file that stands for a huge tree is refused")
  func expansion() {
    let doubling: [[UInt8]] = (0..<60).map { [0xA2, $0 + 1, $0 + 1] } + [[0x09]]
    var faults = FaultList()
    _ = PropertyList.read(BinaryEncoder.file(doubling), faults: &faults)
    #expect(faults.diagnostics(file: "f", lines: .binary).first?.found.contains("more than 200000 values") == true)
  }

  @Test("64 levels are read, 65 are refused, also when the inner ones are shared")
  func depth() {
    func nested(_ levels: Int) -> [[UInt8]] {
      (1..<levels).map { [0xA1, UInt8($0)] } + [[0xA0]]
    }
    var faults = FaultList()
    _ = PropertyList.read(BinaryEncoder.file(nested(64)), faults: &faults)
    #expect(!faults.hasErrors)
    _ = PropertyList.read(BinaryEncoder.file(nested(65)), faults: &faults)
    #expect(faults.diagnostics(file: "f", lines: .binary).map(\.found) == ["nesting deeper than 64 levels"])
    // The top refers to a chain of 63 directly, which is right, and from below another array, which is too deep.
    var shared = FaultList()
    let chain: [[UInt8]] = (0..<62).map { [0xA1, UInt8($0 + 3)] } + [[0xA0]]
    _ = PropertyList.read(BinaryEncoder.file([[0xA2, 2, 1], [0xA1, 2]] + chain), faults: &shared)
    #expect(shared.diagnostics(file: "f", lines: .binary).map(\.found) == ["nesting deeper than 64 levels"])
  }
}
