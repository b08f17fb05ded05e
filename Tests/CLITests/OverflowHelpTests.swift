import ArgumentParser
import Testing

@testable import BleperaCLI

@Suite struct OverflowHelpTests {
  @Test func `overflow says what the area is, with an example of each subcommand`() {
    #expect(
      Blepera.helpMessage(for: OverflowCommand.self, columns: 80) == """
        OVERVIEW: Compute the overflow area: the bits that an iPhone advertises in
        place of UUIDs.

        The overflow area is 128 bits of Apple's manufacturer data. It contains the
        service UUIDs of an app in the background, and those that do not fit into the
        advertisement of an app in the foreground. Each UUID sets one bit:

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
          decode                  Print the bits of an overflow area and the UUIDs that
                                  may have set them.
          find                    Print a UUID for each bit.

          See 'blepera help overflow <subcommand>' for detailed help.
        """)
  }

  @Test func `encode says what its grid shows`() {
    #expect(
      Blepera.helpMessage(for: OverflowEncodeCommand.self, columns: 80) == """
        OVERVIEW: Print the bit of each UUID and the AD structure that holds them.

        Below the AD structure and its mask, a grid shows the mask: a column for each
        byte in transmission order, a row for each bit of a byte, and the number of
        each bit that is set.

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
        OVERVIEW: Print the bits of an overflow area and the UUIDs that may have set
        them.

        The argument is hexadecimal digits of any of the following, with an optional 0x
        prefix and optional white space, colons or dashes between bytes:

          a mask                              16 bytes
          manufacturer data                   01 and a mask, or 4C 00 01 and a mask
          an AD structure                     14 FF 4C 00 01 and a mask
          an advertisement or scan response   the AD structure anywhere in it

        A bit does not identify a UUID, since many UUIDs share a bit: a candidate whose
        bit is set is 'maybe' present.

        USAGE: blepera overflow decode <hex> [--candidates <uuid> ...] [--json]

        ARGUMENTS:
          <hex>                   The received bytes as hexadecimal digits.

        OPTIONS:
          --candidates <uuid>     The service UUIDs to look for.
          --json                  Print a JSON object on one line.
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }

  @Test func `find says which UUIDs it prints`() {
    #expect(
      Blepera.helpMessage(for: OverflowFindCommand.self, columns: 80) == """
        OVERVIEW: Print a UUID for each bit.

        Prints the smallest 128-bit UUID and the smallest 16-bit UUID for each bit. The
        Bluetooth SIG assigns 16-bit UUIDs, so the printed one may have a meaning.

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
