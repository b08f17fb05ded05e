/// Turns byte offsets into lines and columns, both counted from 1, columns in bytes.
package struct LineTable {
  /// The offset of the first byte of each line, in ascending order.
  private let starts: [Int]

  /// Lines end with LF, CR LF or CR. A byte order mark takes no column.
  package init(text bytes: [UInt8]) {
    var starts = [bytes.starts(with: XMLPropertyListReader.byteOrderMark) ? 3 : 0]
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if byte == 0x0A || (byte == 0x0D && !(index < bytes.count && bytes[index] == 0x0A)) { starts.append(index) }
    }
    self.starts = starts
  }

  private init(starts: [Int]) { self.starts = starts }

  /// One line, for files that have none.
  package static let binary = LineTable(starts: [0])

  package func position(of offset: Int) -> (line: Int, column: Int) {
    var low = 0
    var high = starts.count
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if starts[middle] <= offset { low = middle } else { high = middle }
    }
    return (low + 1, max(offset - starts[low], 0) + 1)
  }
}
