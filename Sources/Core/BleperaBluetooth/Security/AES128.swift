/// The block cipher of FIPS 197 with a key of 128 bits, for encryption only.
package struct AES128 {
  /// The columns of the eleven round keys, with the first byte of each column most significant.
  private let roundKeys: [UInt32]

  package init(key: [UInt8]) {
    var columns = Self.columns(of: key)
    var round: UInt8 = 1
    for index in 4..<44 {
      var column = columns[index - 1]
      if index.isMultiple(of: 4) {
        let turned = column << 8 | column >> 24
        column = Self.substituted([turned, turned, turned, turned], 0) ^ UInt32(round) << 24
        round = Self.double(round)
      }
      columns.append(column ^ columns[index - 4])
    }
    roundKeys = columns
  }

  /// Encrypts a block of 16 bytes.
  package func encrypt(_ block: [UInt8]) -> [UInt8] {
    var state = Self.columns(of: block)
    for column in 0..<4 { state[column] ^= roundKeys[column] }
    for round in 1...10 {
      let before = state
      for column in 0..<4 {
        let changed = round < 10 ? Self.mixed(before, column) : Self.substituted(before, column)
        state[column] = changed ^ roundKeys[4 * round + column]
      }
    }
    return state.flatMap { column in (0..<4).map { UInt8(truncatingIfNeeded: column >> (24 - 8 * $0)) } }
  }

  private static func columns(of bytes: [UInt8]) -> [UInt32] {
    stride(from: 0, to: 16, by: 4).map { index in (0..<4).reduce(0) { $0 << 8 | UInt32(bytes[index + $1]) } }
  }

  /// A byte of the state after its rows have been shifted.
  private static func shifted(_ state: [UInt32], _ column: Int, row: Int) -> Int {
    Int(state[(column + row) & 3] >> (24 - 8 * UInt32(row)) & 0xFF)
  }

  /// A column after the bytes have been substituted and the rows shifted.
  private static func substituted(_ state: [UInt32], _ column: Int) -> UInt32 {
    var result: UInt32 = 0
    for row in 0..<4 { result = result << 8 | UInt32(substitution[shifted(state, column, row: row)]) }
    return result
  }

  /// A column after the bytes have been substituted, the rows shifted and the columns mixed.
  private static func mixed(_ state: [UInt32], _ column: Int) -> UInt32 {
    var result: UInt32 = 0
    for row in 0..<4 {
      let product = products[shifted(state, column, row: row)]
      result ^= product >> (8 * UInt32(row)) | product << ((32 - 8 * UInt32(row)) & 31)
    }
    return result
  }

  /// The contribution of a byte of the first row to its mixed column: two, one, one and three times its substitute.
  private static let products: [UInt32] = substitution.map { byte in
    let twice = double(byte)
    return UInt32(twice) << 24 | UInt32(byte) << 16 | UInt32(byte) << 8 | UInt32(twice ^ byte)
  }

  /// Multiplication by x in GF(2^8).
  private static func double(_ byte: UInt8) -> UInt8 { byte << 1 ^ (byte & 0x80 != 0 ? 0x1B : 0) }

  private static func times(_ left: UInt8, _ right: UInt8) -> UInt8 {
    var (left, right, product) = (left, right, 0 as UInt8)
    while right != 0 {
      if right & 1 != 0 { product ^= left }
      left = double(left)
      right >>= 1
    }
    return product
  }

  /// The S-box, computed: the inverse in GF(2^8), then the affine map.
  private static let substitution: [UInt8] = (0...255).map { value in
    let value = UInt8(value)
    // The inverse of a is a to the power of 254.
    let inverse = (0..<254).reduce(1 as UInt8) { power, _ in times(power, value) }
    let turned = (1...4).map { inverse << $0 | inverse >> (8 - $0) }
    return turned.reduce(inverse ^ 0x63) { $0 ^ $1 }
  }
}
