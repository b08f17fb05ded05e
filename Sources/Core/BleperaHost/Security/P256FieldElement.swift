/// An integer below the prime 2^256 - 2^224 + 2^192 + 2^96 - 1 of P-256, in Montgomery form: x * 2^256 for x.
///
/// The words are properties and the loops are unrolled, because tests run without the optimizer.
struct P256FieldElement: Hashable, Sendable {
  /// The least significant word first.
  private var words: Words

  private struct Words: Hashable, Sendable {
    var w0: UInt64
    var w1: UInt64
    var w2: UInt64
    var w3: UInt64
  }

  private static let prime = Words(w0: .max, w1: 0xFFFF_FFFF, w2: 0, w3: 0xFFFF_FFFF_0000_0001)
  /// 2^512, which brings an integer into Montgomery form.
  private static let square = Self(
    words: Words(
      w0: 3, w1: 0xFFFF_FFFB_FFFF_FFFF, w2: 0xFFFF_FFFF_FFFF_FFFE, w3: 0x0000_0004_FFFF_FFFD))
  static let zero = Self(words: Words(w0: 0, w1: 0, w2: 0, w3: 0))
  static let one = Self(words: Words(w0: 1, w1: 0, w2: 0, w3: 0)) * square

  private init(words: Words) { self.words = words }

  /// - Parameter bytes: 32, the most significant first; nil is returned for the prime and above.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    func word(_ start: Int) -> UInt64 { bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) } }
    let words = Words(w0: word(24), w1: word(16), w2: word(8), w3: word(0))
    guard Self.subtract(words, Self.prime).borrow == 1 else { return nil }
    self = Self(words: words) * Self.square
  }

  /// 32, the most significant first.
  var bytes: [UInt8] {
    let plain = (self * Self(words: Words(w0: 1, w1: 0, w2: 0, w3: 0))).words
    return [plain.w3, plain.w2, plain.w1, plain.w0].flatMap { word in
      stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
    }
  }

  // MARK: Words

  private static func add(_ left: UInt64, _ right: UInt64, _ carry: inout UInt64) -> UInt64 {
    let (sum, first) = left.addingReportingOverflow(right)
    let (result, second) = sum.addingReportingOverflow(carry)
    carry = first || second ? 1 : 0
    return result
  }

  private static func subtract(_ left: UInt64, _ right: UInt64, _ borrow: inout UInt64) -> UInt64 {
    let (difference, first) = left.subtractingReportingOverflow(right)
    let (result, second) = difference.subtractingReportingOverflow(borrow)
    borrow = first || second ? 1 : 0
    return result
  }

  /// The low word of left * right + addend + carry; the high word is the next carry.
  private static func multiply(_ left: UInt64, _ right: UInt64, _ addend: UInt64, _ carry: inout UInt64) -> UInt64 {
    let (high, low) = left.multipliedFullWidth(by: right)
    let (sum, first) = low.addingReportingOverflow(addend)
    let (result, second) = sum.addingReportingOverflow(carry)
    carry = high &+ (first ? 1 : 0) &+ (second ? 1 : 0)
    return result
  }

  private static func subtract(_ left: Words, _ right: Words) -> (words: Words, borrow: UInt64) {
    var borrow: UInt64 = 0
    let w0 = subtract(left.w0, right.w0, &borrow)
    let w1 = subtract(left.w1, right.w1, &borrow)
    let w2 = subtract(left.w2, right.w2, &borrow)
    let w3 = subtract(left.w3, right.w3, &borrow)
    return (Words(w0: w0, w1: w1, w2: w2, w3: w3), borrow)
  }

  private static func add(_ left: Words, _ right: Words) -> (words: Words, carry: UInt64) {
    var carry: UInt64 = 0
    let w0 = add(left.w0, right.w0, &carry)
    let w1 = add(left.w1, right.w1, &carry)
    let w2 = add(left.w2, right.w2, &carry)
    let w3 = add(left.w3, right.w3, &carry)
    return (Words(w0: w0, w1: w1, w2: w2, w3: w3), carry)
  }

  /// Reduces an integer below twice the prime.
  private static func reduced(_ words: Words, carry: UInt64) -> Self {
    let difference = subtract(words, prime)
    return Self(words: carry < difference.borrow ? words : difference.words)
  }

  // MARK: Arithmetic

  static func + (left: Self, right: Self) -> Self {
    let sum = add(left.words, right.words)
    return reduced(sum.words, carry: sum.carry)
  }

  static func - (left: Self, right: Self) -> Self {
    let difference = subtract(left.words, right.words)
    return difference.borrow == 0 ? Self(words: difference.words) : Self(words: add(difference.words, prime).words)
  }

  /// Montgomery's multiplication, a word of the right factor at a time.
  static func * (left: Self, right: Self) -> Self {
    let factor = left.words
    var (t0, t1, t2, t3, t4) = (0 as UInt64, 0 as UInt64, 0 as UInt64, 0 as UInt64, 0 as UInt64)
    func step(_ word: UInt64) {
      var carry: UInt64 = 0
      let s0 = multiply(factor.w0, word, t0, &carry)
      let s1 = multiply(factor.w1, word, t1, &carry)
      let s2 = multiply(factor.w2, word, t2, &carry)
      let s3 = multiply(factor.w3, word, t3, &carry)
      var top: UInt64 = 0
      let s4 = add(t4, carry, &top)
      // Adds s0 times the prime, which makes the lowest word 0; the prime's two lowest words are 2^96 - 1.
      carry = 0
      t0 = add(s1, s0 << 32, &carry)
      t1 = add(s2, s0 >> 32, &carry)
      t2 = multiply(s0, prime.w3, s3, &carry)
      var last: UInt64 = 0
      t3 = add(s4, carry, &last)
      t4 = top &+ last
    }
    step(right.words.w0)
    step(right.words.w1)
    step(right.words.w2)
    step(right.words.w3)
    return reduced(Words(w0: t0, w1: t1, w2: t2, w3: t3), carry: t4)
  }

  /// By Fermat's little theorem, the power of the prime - 2; 0 for 0.
  var inverse: Self {
    var result = Self.one
    let exponent = [Self.prime.w3, Self.prime.w2, Self.prime.w1, Self.prime.w0 - 2]
    for word in exponent {
      for bit in stride(from: 63, through: 0, by: -1) {
        result = result * result
        if word >> UInt64(bit) & 1 == 1 { result = result * self }
      }
    }
    return result
  }
}
