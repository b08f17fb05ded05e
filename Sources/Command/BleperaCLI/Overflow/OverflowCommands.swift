import ArgumentParser
import BleperaBluetooth

struct OverflowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "overflow",
    abstract: "Compute and read the overflow area.",
    discussion: """
      The overflow area is 128 bits of Apple's manufacturer data. It contains the service UUIDs of an app in the \
      background, and those that do not fit into the advertisement of an app in the foreground. Each UUID sets one bit:

        blepera overflow encode 180D 180A
        blepera overflow encode --android 180D
        blepera overflow decode 02000000000000200000000000000000 --candidates 180D
        blepera overflow find 61
      """,
    subcommands: [OverflowEncodeCommand.self, OverflowDecodeCommand.self, OverflowFindCommand.self])
}

struct OverflowEncodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "encode",
    abstract: "Print the bit of each UUID and the AD structure that holds them.",
    discussion: """
      Below the AD structure and its mask, a grid shows the mask: a column for each byte in transmission order, a row for \
      each bit of a byte, and the number of each bit that is set.

      With --android, each UUID has the two arrays of ScanFilter.Builder.setManufacturerData for Apple (0x004C).
      """)

  @Argument(
    help: ArgumentHelp("A service UUID of 16, 32 or 128 bits.", valueName: "uuid"), transform: BluetoothUUID.list)
  var uuids: [[BluetoothUUID]]

  @Flag(help: "Print the filter of an Android app for each UUID.")
  var android = false

  @Flag(help: "Print a JSON object on one line.")
  var json = false

  var report: OverflowEncodeReport { OverflowEncodeReport(Array(uuids.joined()), isAndroid: android) }

  func run() throws { report.print(on: Terminal(.output), asJSON: json) }
}

struct OverflowDecodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode",
    abstract: "Print the bits of an overflow area and the UUIDs that may have set them.",
    discussion: """
      The argument is hexadecimal digits of any of the following, with an optional 0x prefix and optional white space, \
      colons or dashes between bytes:

        a mask                              16 bytes
        manufacturer data                   01 and a mask, other items of Apple's beside
                                            them or not, with or without 4C 00 before
        an AD structure                     14 FF 4C 00 01 and a mask
        an advertisement or scan response   the AD structure anywhere in it

      A bit does not identify a UUID, since many UUIDs share a bit: a candidate whose bit is set is 'maybe' present.
      """)

  @Argument(
    help: ArgumentHelp("The received bytes as hexadecimal digits.", valueName: "hex"), transform: OverflowInput.argument
  )
  var input: OverflowInput

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("The service UUIDs to look for.", valueName: "uuid"),
    transform: BluetoothUUID.list)
  var candidates: [[BluetoothUUID]] = []

  @Flag(help: "Print a JSON object on one line.")
  var json = false

  var report: OverflowDecodeReport { OverflowDecodeReport(input, candidates: Array(candidates.joined())) }

  func run() throws { report.print(on: Terminal(.output), asJSON: json) }
}

struct OverflowFindCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "find",
    abstract: "Print a UUID for each bit.",
    discussion: """
      Prints the smallest 128-bit UUID and the smallest 16-bit UUID for each bit. The Bluetooth SIG assigns 16-bit \
      UUIDs, so the printed one may have a meaning.
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

/// Received bytes, and the overflow area in them.
struct OverflowInput: Equatable {
  let bytes: [UInt8]
  let area: OverflowArea

  @Sendable static func argument(_ text: String) throws -> OverflowInput {
    let bytes = try bytes(text)
    do throws(OverflowAreaError) {
      return OverflowInput(bytes: bytes, area: try OverflowArea(decoding: bytes))
    } catch {
      throw ValidationError("\(error)")
    }
  }

  /// Parses digits as tools print them: with a prefix `0x`, or with separators between bytes.
  private static func bytes(_ text: String) throws -> [UInt8] {
    let start = ["0x", "0X"].contains { text.hasPrefix($0) } ? 2 : 0
    let digits = text.dropFirst(start)
    if let index = digits.firstIndex(where: { !isDigit($0) && !isSeparator($0) }) {
      let place = text.distance(from: text.startIndex, to: index) + 1
      throw ValidationError("Found '\(text[index])' at character \(place); expected a hexadecimal digit.")
    }
    let count = digits.count(where: isDigit)
    guard count.isMultiple(of: 2) else {
      throw ValidationError("Found \(Quote.counted(count, "hexadecimal digit")); expected two for each byte.")
    }
    guard let bytes = Hex.bytes(String(digits.map { isSeparator($0) ? " " : $0 })) else {
      throw ValidationError("Found a separator within a byte; expected the two digits of a byte together.")
    }
    return bytes
  }

  private static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isHexDigit }

  private static func isSeparator(_ character: Character) -> Bool {
    character.isASCII && (character.isWhitespace || character == ":" || character == "-")
  }
}

extension BluetoothUUID {
  /// Parses a command-line argument: one UUID, or several with commas between them.
  @Sendable static func list(_ text: String) throws -> [BluetoothUUID] {
    try text.split(separator: ",", omittingEmptySubsequences: false).map { try argument(String($0)) }
  }

  @Sendable static func argument(_ text: String) throws -> BluetoothUUID {
    let isPrefixed = text.hasPrefix("0x") || text.hasPrefix("0X")
    guard let uuid = BluetoothUUID(isPrefixed ? String(text.dropFirst(2)) : text) else {
      throw ValidationError("expected a UUID such as 180D or 1FA2FD8A-17E0-4D3B-AF45-305DA6130E39")
    }
    return uuid
  }
}
