import ArgumentParser
import GATT

struct OverflowFindCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "find",
    abstract: "Print a UUID for each bit.",
    discussion: """
      For each bit the least 128-bit UUID and the least 16-bit one. 16-bit UUIDs are for the Bluetooth SIG to assign, \
      and the one that is printed may have a meaning.
      """)

  @Argument(help: ArgumentHelp("A bit of the overflow area, 0 to 127.", valueName: "bit"), transform: Self.bit)
  var bits: [Int]

  @Flag(help: "Print a JSON object on one line.")
  var json = false

  var report: OverflowFindReport { OverflowFindReport(bits) }

  func run() throws { report.print(on: Terminal(.output), asJSON: json) }

  @Sendable private static func bit(_ text: String) throws -> Int {
    guard let bit = Int(text), OverflowArea.allBits.contains(bit) else {
      throw ValidationError("expected a bit from 0 to \(OverflowArea.allBits.upperBound - 1)")
    }
    return bit
  }
}
