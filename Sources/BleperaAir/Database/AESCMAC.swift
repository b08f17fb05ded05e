/// AES-CMAC with a key of 128 bits (RFC 4493), most significant byte first.
enum AESCMAC {
  static func tag(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    let cipher = AES128(key: key)
    let first = doubled(cipher.encrypt(Array(repeating: 0, count: 16)))
    let second = doubled(first)
    var blocks = stride(from: 0, to: max(message.count, 1), by: 16).map { start in
      Array(message[start..<min(start + 16, message.count)])
    }
    var last = blocks.popLast() ?? []
    if last.count == 16 {
      last = exclusiveOr(last, first)
    } else {
      last.append(0x80)
      last += Array(repeating: 0, count: 16 - last.count)
      last = exclusiveOr(last, second)
    }
    let state = blocks.reduce(Array(repeating: 0, count: 16)) { cipher.encrypt(exclusiveOr($0, $1)) }
    return cipher.encrypt(exclusiveOr(state, last))
  }

  /// Multiplication by x in GF(2^128).
  private static func doubled(_ block: [UInt8]) -> [UInt8] {
    var result = block
    for index in block.indices {
      let next = index + 1 < block.count ? block[index + 1] >> 7 : 0
      result[index] = block[index] << 1 | next
    }
    if block[0] & 0x80 != 0 { result[15] ^= 0x87 }
    return result
  }

  private static func exclusiveOr(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] { zip(left, right).map { $0 ^ $1 } }
}

/// The block cipher of FIPS 197 with a key of 128 bits, for encryption only.
struct AES128 {
  private let roundKeys: [[UInt8]]

  init(key: [UInt8]) {
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
  func encrypt(_ block: [UInt8]) -> [UInt8] {
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
