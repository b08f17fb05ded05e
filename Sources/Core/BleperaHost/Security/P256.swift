/// A public key on the curve P-256 (FIPS 186-4, D.1.2.3); may be off the curve.
package struct P256PublicKey: Hashable, Sendable {
  /// 32 bytes each, the most significant first.
  package let x: [UInt8]
  package let y: [UInt8]

  package init(x: [UInt8], y: [UInt8]) { (self.x, self.y) = (x, y) }

  /// The public key that the specification publishes for debuggers (Vol 3, Part H, 2.3.5.6.1).
  static let debug = P256PrivateKey.debug.publicKey
}

/// A private key for Diffie-Hellman on P-256. The time of a computation depends on the key, which only an emulated
/// device has. The curve is computed here because a cryptography package takes minutes to build and has no public CMAC.
package struct P256PrivateKey: Hashable, Sendable {
  private let bytes: [UInt8]
  package let publicKey: P256PublicKey

  private static let order: [UInt8] = [
    0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
  ]

  /// - Parameter bytes: 32, the most significant first; nil is returned for 0 and for the order of the curve and above.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == 32, bytes.contains(where: { $0 != 0 }), bytes.lexicographicallyPrecedes(Self.order),
      let point = CurvePoint.base.times(bytes).affine
    else { return nil }
    self.bytes = bytes
    publicKey = P256PublicKey(x: point.x.bytes, y: point.y.bytes)
  }

  package init(using random: inout some RandomNumberGenerator) {
    while true {
      if let key = Self((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }) {
        self = key
        return
      }
    }
  }

  /// The 32 bytes of the DHKey; nil where the other side's key is not on the curve.
  package func sharedSecret(with key: P256PublicKey) -> [UInt8]? {
    guard let x = P256FieldElement(key.x), let y = P256FieldElement(key.y), let point = CurvePoint(x: x, y: y) else {
      return nil
    }
    return point.times(bytes).affine?.x.bytes
  }

  /// The private key that the specification publishes for debuggers.
  static let debug = Self([
    0x3F, 0x49, 0xF6, 0xD4, 0xA3, 0xC5, 0x5F, 0x38, 0x74, 0xC9, 0xB3, 0xE3, 0xD2, 0x10, 0x3F, 0x50,
    0x4A, 0xFF, 0x60, 0x7B, 0xEB, 0x40, 0xB7, 0x99, 0x58, 0x99, 0xB8, 0xA6, 0xCD, 0x3C, 0x1A, 0xBD,
  ])!
}

/// A point in Jacobian coordinates: x / z^2 and y / z^3; z is 0 at infinity.
private struct CurvePoint {
  private var x: P256FieldElement
  private var y: P256FieldElement
  private var z = P256FieldElement.one

  /// The constant of y^2 = x^3 - 3x + b.
  private static let b = P256FieldElement([
    0x5A, 0xC6, 0x35, 0xD8, 0xAA, 0x3A, 0x93, 0xE7, 0xB3, 0xEB, 0xBD, 0x55, 0x76, 0x98, 0x86, 0xBC,
    0x65, 0x1D, 0x06, 0xB0, 0xCC, 0x53, 0xB0, 0xF6, 0x3B, 0xCE, 0x3C, 0x3E, 0x27, 0xD2, 0x60, 0x4B,
  ])!
  static let base = CurvePoint(
    x: P256FieldElement([
      0x6B, 0x17, 0xD1, 0xF2, 0xE1, 0x2C, 0x42, 0x47, 0xF8, 0xBC, 0xE6, 0xE5, 0x63, 0xA4, 0x40, 0xF2,
      0x77, 0x03, 0x7D, 0x81, 0x2D, 0xEB, 0x33, 0xA0, 0xF4, 0xA1, 0x39, 0x45, 0xD8, 0x98, 0xC2, 0x96,
    ])!,
    y: P256FieldElement([
      0x4F, 0xE3, 0x42, 0xE2, 0xFE, 0x1A, 0x7F, 0x9B, 0x8E, 0xE7, 0xEB, 0x4A, 0x7C, 0x0F, 0x9E, 0x16,
      0x2B, 0xCE, 0x33, 0x57, 0x6B, 0x31, 0x5E, 0xCE, 0xCB, 0xB6, 0x40, 0x68, 0x37, 0xBF, 0x51, 0xF5,
    ])!)!

  /// Nil for a point that is not on the curve.
  init?(x: P256FieldElement, y: P256FieldElement) {
    guard y * y == (x * x - .one - .one - .one) * x + Self.b else { return nil }
    (self.x, self.y) = (x, y)
  }

  var affine: (x: P256FieldElement, y: P256FieldElement)? {
    guard z != .zero else { return nil }
    let inverse = z.inverse
    let square = inverse * inverse
    return (x * square, y * square * inverse)
  }

  /// - Parameter scalar: the most significant byte first.
  func times(_ scalar: [UInt8]) -> CurvePoint {
    var result = self
    result.z = .zero
    for byte in scalar {
      for bit in stride(from: 7, through: 0, by: -1) {
        if result.z != .zero { result.double() }
        if byte >> UInt8(bit) & 1 == 1 { result.add(self) }
      }
    }
    return result
  }

  private mutating func double() {
    let delta = z * z
    let gamma = y * y
    let beta = x * gamma
    let slope = (x - delta) * (x + delta)
    let alpha = slope + slope + slope
    let beta2 = beta + beta
    let beta4 = beta2 + beta2
    let gamma2 = gamma + gamma
    let sum = y + z
    z = sum * sum - gamma - delta
    x = alpha * alpha - beta4 - beta4
    let square = gamma2 * gamma2
    y = alpha * (beta4 - x) - square - square
  }

  /// - Parameter other: a point whose z is 1.
  private mutating func add(_ other: CurvePoint) {
    guard z != .zero else { return self = other }
    let square = z * z
    let h = other.x * square - x
    let r = other.y * square * z - y
    if h == .zero {
      if r == .zero { double() } else { z = .zero }
      return
    }
    let hh = h * h
    let hhh = hh * h
    let v = x * hh
    let before = y
    x = r * r - hhh - v - v
    y = r * (v - x) - before * hhh
    z = z * h
  }
}
