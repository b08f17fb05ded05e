import GATT

/// What `blepera overflow decode` says.
struct OverflowDecodeReport: CommandReport, Equatable {
  let area: OverflowArea
  /// Nil where none were given, and then not in the JSON either.
  let candidates: [Candidate]?
  /// The bits that no candidate has.
  let unexplained: [Int]?

  struct Candidate: Encodable, Equatable {
    let uuid: String
    let bit: Int
    /// Whether the bit is set, by this UUID or by another one.
    let maybe: Bool
  }

  init(_ area: OverflowArea, candidates uuids: [BluetoothUUID] = []) {
    self.area = area
    guard !uuids.isEmpty else {
      candidates = nil
      unexplained = nil
      return
    }
    candidates = uuids.map { uuid in
      Candidate(uuid: "\(uuid)", bit: OverflowArea.bit(of: uuid), maybe: area.contains(uuid))
    }
    let explained = OverflowArea(uuids)
    unexplained = area.bits.filter { !explained.contains(bit: $0) }
  }

  private enum CodingKeys: CodingKey {
    case bits, mask, candidates, unexplained
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(area.bits, forKey: .bits)
    try container.encode(Hex.string(area.bytes), forKey: .mask)
    try container.encodeIfPresent(candidates, forKey: .candidates)
    try container.encodeIfPresent(unexplained, forKey: .unexplained)
  }

  func lines(for terminal: Terminal) -> [String] {
    let text = OverflowText(terminal: terminal)
    let marked = Set(unexplained ?? [])
    var lines: [String] = []
    for candidate in candidates ?? [] {
      let answer = candidate.maybe ? terminal.styled("maybe", .green) : terminal.styled("no   ", .dim)
      lines.append("\(text.bit(candidate.bit, isSet: candidate.maybe))  \(answer)  \(candidate.uuid)")
    }
    for bit in marked.sorted() { lines.append("\(text.bit(bit, isSet: true, isMarked: true))  set by none of these") }
    if candidates == nil { lines += area.bits.map { text.bit($0, isSet: true) } }
    if area.isEmpty { lines.append("no bit is set") }
    return lines + ["", text.hex("mask", area.bytes), ""] + text.grid(area, marked: marked)
  }
}
