import ArgumentParser
import Testing

@testable import BleperaCLI

@Suite struct OverflowHelpTests {
  @Test func `overflow says what the area is, with an example of each subcommand`() {
    #expect(
      Blepera.helpMessage(for: OverflowCommand.self, columns: 80) == """
        OVERVIEW: Compute the overflow area: the bits that an iPhone advertises in
        place of UUIDs.

        An app in the background has its service UUIDs in the overflow area, 128 bits
        of Apple's manufacturer data, and so have UUIDs that do not fit into the
        advertisement of one in the foreground. Each UUID sets one bit:

          blepera overflow encode 180D 180A
          blepera overflow decode 02000000000000200000000000000000 --candidates 180D
          blepera overflow find 61

        USAGE: blepera overflow <subcommand>

        OPTIONS:
          --version               Show the version.
          -h, --help              Show help information.

        SUBCOMMANDS:
          encode                  Print the bit of each UUID and the AD structure that
                                  holds them.
          decode                  Print the bits of an overflow area, and which UUIDs
                                  may have set them.
          find                    Print a UUID for each bit.

          See 'blepera help overflow <subcommand>' for detailed help.
        """)
  }

  @Test func `encode says what its grid shows`() {
    #expect(
      Blepera.helpMessage(for: OverflowEncodeCommand.self, columns: 80) == """
        OVERVIEW: Print the bit of each UUID and the AD structure that holds them.

        Below the AD structure and its mask stands the mask as a grid: a column for
        each byte in the order of the air, a row for each bit of a byte, and in it the
        number of each bit that is set.

        USAGE: blepera overflow encode <uuid> ... [--json]

        ARGUMENTS:
          <uuid>                  A service UUID of 16, 32 or 128 bits.

        OPTIONS:
          --json                  Print a JSON object on one line.
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }

  @Test func `decode says what it reads`() {
    #expect(
      Blepera.helpMessage(for: OverflowDecodeCommand.self, columns: 80) == """
        OVERVIEW: Print the bits of an overflow area, and which UUIDs may have set
        them.

        Hexadecimal digits of any of these are read, with or without 0x before them and
        white space, colons or dashes between bytes:

          a mask                              16 bytes
          manufacturer data                   01 and a mask, or 4C 00 01 and a mask
          an AD structure                     14 FF 4C 00 01 and a mask
          an advertisement or scan response   the AD structure anywhere in it

        A bit that is set may stand for any of the UUIDs that have it, so a candidate
        is 'maybe' there or it is not.

        USAGE: blepera overflow decode <hex> [--candidates <uuid> ...] [--json]

        ARGUMENTS:
          <hex>                   What was received, in hexadecimal digits.

        OPTIONS:
          --candidates <uuid>     The service UUIDs that are looked for in it.
          --json                  Print a JSON object on one line.
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }

  @Test func `find says which UUIDs it prints`() {
    #expect(
      Blepera.helpMessage(for: OverflowFindCommand.self, columns: 80) == """
        OVERVIEW: Print a UUID for each bit.

        For each bit the least 128-bit UUID and the least 16-bit one. 16-bit UUIDs are
        for the Bluetooth SIG to assign, and the one that is printed may have a meaning.

        USAGE: blepera overflow find <bit> ... [--json]

        ARGUMENTS:
          <bit>                   A bit of the overflow area, 0 to 127.

        OPTIONS:
          --json                  Print a JSON object on one line.
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }

  @Test(
    arguments: [80, 100, 120],
    [
      OverflowCommand.self, OverflowEncodeCommand.self, OverflowDecodeCommand.self, OverflowFindCommand.self,
    ] as [any ParsableCommand.Type])
  func `no line of help is wider than the terminal`(columns: Int, command: any ParsableCommand.Type) {
    let lines = Blepera.helpMessage(for: command, columns: columns).split(separator: "\n")
    #expect(lines.filter { $0.count > columns } == [])
  }
}
