import BleperaBluetooth

/// The functions of pairing (Core Specification, Vol 3, Part H, 2.2); `ah` is `IdentityResolvingKey.hash(of:)`.
enum SecurityFunctions {
  private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] { LittleEndian.bytes(value).reversed() }

  private static func value(_ bytes: [UInt8]) -> UInt128 { bytes.reduce(0) { $0 << 8 | UInt128($1) } }

  private static func cmac(_ key: UInt128, _ message: [UInt8]) -> UInt128 {
    value(AESCMAC.tag(of: message, key: bytes(key)))
  }

  /// The confirm value of legacy pairing (2.2.3).
  ///
  /// - Parameter request: the PDU as sent, and so is the response.
  static func c1(
    key: UInt128, random: UInt128, request: [UInt8], response: [UInt8], initiator: SecurityAddress,
    responder: SecurityAddress
  ) -> UInt128 {
    let cipher = AES128(key: bytes(key))
    let first = value(response.reversed() + request.reversed() + [responder.octets[0], initiator.octets[0]])
    let second = value(Array(initiator.octets.dropFirst() + responder.octets[1...]))
    let inner = value(cipher.encrypt(bytes(random ^ first)))
    return value(cipher.encrypt(bytes(inner ^ second)))
  }

  /// The short term key of legacy pairing (2.2.4).
  static func s1(key: UInt128, _ first: UInt128, _ second: UInt128) -> UInt128 {
    value(AES128(key: bytes(key)).encrypt(bytes(first << 64 | second & UInt128(UInt64.max))))
  }

  /// The confirm value of Secure Connections (2.2.6), of the X coordinates of two public keys.
  static func f4(_ u: [UInt8], _ v: [UInt8], _ key: UInt128, _ z: UInt8) -> UInt128 { cmac(key, u + v + [z]) }

  /// The keys of Secure Connections (2.2.7).
  static func f5(
    secret: [UInt8], _ first: UInt128, _ second: UInt128, _ initiator: SecurityAddress, _ responder: SecurityAddress
  ) -> (check: UInt128, longTerm: UInt128) {
    let key = cmac(0x6C88_8391_AAF5_A538_6037_0BDB_5A60_83BE, secret)
    let message =
      Array("btle".utf8) + bytes(first) + bytes(second) + initiator.octets + responder.octets + [0x01, 0x00]
    return (cmac(key, [0] + message), cmac(key, [1] + message))
  }

  /// The check of the DHKey (2.2.8).
  ///
  /// - Parameter capability: AuthReq, OOB data flag and IO capability.
  static func f6(
    key: UInt128, _ first: UInt128, _ second: UInt128, _ passkey: UInt128, capability: [UInt8],
    _ sender: SecurityAddress, _ receiver: SecurityAddress
  ) -> UInt128 {
    cmac(
      key, bytes(first) + bytes(second) + bytes(passkey) + capability + sender.octets + receiver.octets)
  }

  /// The six digits of numeric comparison (2.2.9).
  static func g2(_ u: [UInt8], _ v: [UInt8], _ first: UInt128, _ second: UInt128) -> UInt32 {
    UInt32(truncatingIfNeeded: cmac(first, u + v + bytes(second))) % 1_000_000
  }
}
