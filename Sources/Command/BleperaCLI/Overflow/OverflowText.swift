import BleperaBluetooth

/// Formats bits and masks of the overflow area.
struct OverflowText {
  let terminal: Terminal

  /// The width of a column of the grid.
  private static let cellWidth = 4

  /// `bit   1`, padded to the width of any bit; `isMarked` highlights the number.
  func bit(_ bit: Int, isSet: Bool, isMarked: Bool = false) -> String {
    "bit " + terminal.styled(padded("\(bit)", to: 3), style(isSet: isSet, isMarked: isMarked))
  }

  /// A name and the bytes without separators.
  func hex(_ name: String, _ bytes: [UInt8]) -> String {
    "\(name)\(String(repeating: " ", count: max(0, 6 - name.count)))\(Hex.string(bytes))"
  }

  /// The mask as a grid: a column for each byte, a row for each bit of a byte, and the numbers of bits that are set.
  func grid(_ area: OverflowArea, marked: Set<Int> = []) -> [String] {
    let bytes = area.bytes
    let numbers = bytes.indices.map { padded("\($0)", to: Self.cellWidth) }.joined()
    let values = bytes.map { padded(Hex.string([$0]), to: Self.cellWidth) }.joined()
    let rows = (0..<8).map { row in
      let cells = bytes.indices.map { cell($0 * 8 + row, in: area, marked: marked) }.joined()
      return terminal.styled("  \(Hex.string([1 << UInt8(row)]))", .dim) + cells
    }
    return [terminal.styled("byte" + numbers, .dim), "    " + values] + rows
  }

  private func cell(_ bit: Int, in area: OverflowArea, marked: Set<Int>) -> String {
    let isSet = area.contains(bit: bit)
    let text = isSet ? "\(bit)" : terminal.drawn("·")
    let padding = String(repeating: " ", count: Self.cellWidth - text.count)
    return padding + terminal.styled(text, style(isSet: isSet, isMarked: marked.contains(bit)))
  }

  private func style(isSet: Bool, isMarked: Bool) -> Terminal.Style { isMarked ? .yellow : isSet ? .green : .dim }

  private func padded(_ text: String, to width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
