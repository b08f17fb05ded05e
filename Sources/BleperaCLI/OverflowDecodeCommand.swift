import ArgumentParser
import GATT

struct OverflowDecodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode",
    abstract: "Print the bits of an overflow area, and which UUIDs may have set them.",
    discussion: """
      Hexadecimal digits of any of these are read, with or without 0x before them and white space, colons or dashes \
      between bytes:

        a mask                              16 bytes
        manufacturer data                   01 and a mask, or 4C 00 01 and a mask
        an AD structure                     14 FF 4C 00 01 and a mask
        an advertisement or scan response   the AD structure anywhere in it

      A bit that is set may stand for any of the UUIDs that have it, so a candidate is 'maybe' there or it is not.
      """)

  @Argument(
    help: ArgumentHelp("What was received, in hexadecimal digits.", valueName: "hex"), transform: OverflowArea.argument)
  var area: OverflowArea

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("The service UUIDs that are looked for in it.", valueName: "uuid"),
    transform: BluetoothUUID.argument)
  var candidates: [BluetoothUUID] = []

  @Flag(help: "Print a JSON object on one line.")
  var json = false

  var report: OverflowDecodeReport { OverflowDecodeReport(area, candidates: candidates) }

  func run() throws { report.print(on: Terminal(.output), asJSON: json) }
}
