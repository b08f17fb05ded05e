/// The block cipher of FIPS 197 with a key of 128 bits, for encryption only.
package struct AES128 {
  private let roundKeys: [[UInt8]]

  package init(key: [UInt8]) {
    var words = stride(from: 0, to: 16, by: 4).map { Array(key[$0..<$0 + 4]) }
    var round: UInt8 = 1
    for index in 4..<44 {
      var word = words[index - 1]
      if index.isMultiple(of: 4) {
        word = [word[1], word[2], word[3], word[0]].map { Self.substitution[Int($0)] }
        word[0] ^= round
        round = Self.double(round)
      }
      words.append(zip(word, words[index - 4]).map { $0 ^ $1 })
    }
    roundKeys = stride(from: 0, to: 44, by: 4).map { words[$0..<$0 + 4].flatMap(\.self) }
  }

  /// Encrypts a block of 16 bytes.
  package func encrypt(_ block: [UInt8]) -> [UInt8] {
    var state = Self.add(block, roundKeys[0])
    for round in 1...10 {
      state = Self.shiftRows(state.map { Self.substitution[Int($0)] })
      if round < 10 { state = Self.mixColumns(state) }
      state = Self.add(state, roundKeys[round])
    }
    return state
  }

  private static func add(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] { zip(left, right).map { $0 ^ $1 } }

  /// The state is stored in columns of four bytes.
  private static func shiftRows(_ state: [UInt8]) -> [UInt8] {
    (0..<16).map { state[($0 + 4 * ($0 % 4)) % 16] }
  }

  private static func mixColumns(_ state: [UInt8]) -> [UInt8] {
    (0..<16).map { index in
      let column = index / 4 * 4
      let row = index % 4
      let bytes = (0..<4).map { state[column + (row + $0) % 4] }
      return double(bytes[0]) ^ double(bytes[1]) ^ bytes[1] ^ bytes[2] ^ bytes[3]
    }
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
