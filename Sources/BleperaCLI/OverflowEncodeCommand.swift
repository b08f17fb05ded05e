import ArgumentParser
import GATT

struct OverflowEncodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "encode",
    abstract: "Print the bit of each UUID and the AD structure that holds them.",
    discussion: """
      Below the AD structure and its mask stands the mask as a grid: a column for each byte in the order of the air, a \
      row for each bit of a byte, and in it the number of each bit that is set.
      """)

  @Argument(
    help: ArgumentHelp("A service UUID of 16, 32 or 128 bits.", valueName: "uuid"), transform: BluetoothUUID.argument)
  var uuids: [BluetoothUUID]

  @Flag(help: "Print a JSON object on one line.")
  var json = false

  var report: OverflowEncodeReport { OverflowEncodeReport(uuids) }

  func run() throws { report.print(on: Terminal(.output), asJSON: json) }
}
