import GATT

/// What `blepera overflow find` says.
struct OverflowFindReport: CommandReport, Equatable {
  let bits: [Found]

  struct Found: Encodable, Equatable {
    let bit: Int
    /// Of 128 bits.
    let uuid: String
    /// Of 16.
    let shortUUID: String
  }

  /// A bit that there is not is left out.
  init(_ bits: [Int]) {
    self.bits = bits.compactMap { bit in
      guard let uuid = OverflowArea.uuid(forBit: bit), let short = OverflowArea.shortUUID(forBit: bit) else {
        return nil
      }
      return Found(bit: bit, uuid: "\(uuid)", shortUUID: "\(short)")
    }
  }

  func lines(for terminal: Terminal) -> [String] {
    let text = OverflowText(terminal: terminal)
    return bits.map { "\(text.bit($0.bit, isSet: true))  \($0.uuid)  or \($0.shortUUID)" }
  }
}
