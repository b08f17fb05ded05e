import BleperaBluetooth
import BleperaProfile
import BleperaPropertyLists
import Testing

@Suite struct ValueFormatTests {
  static let values: [(format: String, number: Number, bytes: String)] = [
    ("uint8", 0, "00"), ("uint8", 255, "FF"), ("uint8", 256, "FF"), ("uint8", -1, "00"), ("uint8", 1.9, "01"),
    ("sint8", -1, "FF"), ("sint8", -128, "80"), ("uint16", 0x0102, "0201"), ("sint16", -2, "FEFF"),
    ("uint24", 0x010203, "030201"), ("sint24", -1, "FFFFFF"), ("uint32", 1, "01000000"), ("uint40", 1, "0100000000"),
    ("uint48", 0x0102_0304_0506, "060504030201"), ("sint48", -1, "FFFFFFFFFFFF"),
    ("uint64", .integer(Int128(UInt64.max)), "FFFFFFFFFFFFFFFF"),
    ("sint64", .integer(Int128(Int64.min)), "0000000000000080"),
    ("float32", 1.0, "0000803F"), ("float", -2, "000000C0"), ("float32", 1e39, "FFFF7F7F"),
    ("float32", .real(.infinity), "0000807F"),
    ("float64", 1, "000000000000F03F"),
    // Personal Health Devices Transcoding White Paper, and the reserved values of IEEE 11073-20601.
    ("medfloat32", 36.4, "6C0100FF"), ("medfloat32", 0.0, "00000000"), ("medfloat32", .real(.nan), "FFFF7F00"),
    ("medfloat32", .real(.infinity), "FEFF7F00"), ("medfloat32", .real(-.infinity), "02008000"),
    ("medfloat32", -1, "FFFFFF00"), ("medfloat32", 1e9, "40420F03"),
    ("medfloat16", 114, "7200"), ("medfloat16", 36.5, "6DF1"), ("medfloat16", .real(.nan), "FF07"),
    ("medfloat16", .real(.infinity), "FE07"), ("medfloat16", .real(-.infinity), "0208"), ("medfloat16", -0.5, "FBFF"),
    ("medfloat16", 2_045, "FD07"), ("medfloat16", 2_046, "CD10"), ("medfloat16", 1e30, "FD77"),
    ("medfloat16", 1e-30, "0000"),
    ("utf8", -12, "2D3132"), ("utf8", 1.5, "312E35"), ("utf8", 0.12345, "302E313233"), ("hex", 1, ""),
  ]

  @Test("A number becomes bytes, little endian", arguments: values)
  func encode(format: String, number: Number, bytes: String) throws {
    #expect(Hex.string(try #require(ValueFormat(named: format)).encode(number)) == bytes)
  }

  @Test("Each name is read and printed, float as float32", arguments: ValueFormat.names.map(\.name))
  func names(name: String) {
    #expect(ValueFormat(named: name)?.description == (name == "float" ? "float32" : name))
  }

  @Test("Other names are refused", arguments: ["", "uint", "uint7", "uint56", "Uint8", "int8", "uint128"])
  func otherNames(name: String) { #expect(ValueFormat(named: name) == nil) }

  static let decimals: [(format: ValueFormat, number: Number, decimals: Int, bytes: String)] = [
    (.medfloat32, 37.21145, 1, "740100FF"), (.medfloat32, 37.0, 1, "720100FF"), (.medfloat32, 0, 2, "000000FE"),
    (.medfloat16, 36.64, 0, "2500"), (.medfloat16, -36.66, 1, "91FE"), (.medfloat16, 300.25, 2, "2C01"),
  ]

  @Test(arguments: decimals)
  func `a medical float may have a fixed number of decimals`(
    format: ValueFormat, number: Number, decimals: Int, bytes: String
  ) {
    #expect(Hex.string(format.encode(number, decimals: decimals)) == bytes)
  }
}
