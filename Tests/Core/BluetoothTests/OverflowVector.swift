import BleperaBluetooth
import TestSupport
import Testing

/// A row of `overflow-vectors.csv`: a UUID that an iPhone advertised in the background, and the bit that was set.
struct OverflowVector: Sendable, CustomTestStringConvertible {
  let bit: Int
  let uuid: BluetoothUUID
  let byte: Int
  let mask: UInt8
  /// The bit's number where bits are counted from the most significant of each byte, as the source counts them.
  let mostSignificantFirst: Int

  var testDescription: String { "\(uuid) -> \(bit)" }

  /// Every row; one that cannot be read is left out.
  static let all: [OverflowVector] = text.split(whereSeparator: \.isNewline).dropFirst().compactMap { row in
    let columns = row.split(separator: ",")
    guard columns.count == 6, let bit = Int(columns[0]), let uuid = BluetoothUUID(columns[1]),
      let byte = Int(columns[2]), let mask = Hex.bytes(columns[3].dropFirst(2)), mask.count == 1,
      let mostSignificantFirst = Int(columns[4])
    else { return nil }
    return OverflowVector(
      bit: bit, uuid: uuid, byte: byte, mask: mask[0], mostSignificantFirst: mostSignificantFirst)
  }

  private static let text = (try? ProjectFile.text("Tests/Core/BluetoothTests/overflow-vectors.csv")) ?? ""
}
