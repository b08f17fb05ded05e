/// AES-CMAC with a key of 128 bits (RFC 4493), most significant byte first.
package enum AESCMAC {
  package static func tag(of message: [UInt8], key: [UInt8]) -> [UInt8] {
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
