import ArgumentParser

struct OverflowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "overflow",
    abstract: "Compute the overflow area: the bits that an iPhone advertises in place of UUIDs.",
    discussion: """
      An app in the background has its service UUIDs in the overflow area, 128 bits of Apple's manufacturer data, and so \
      have UUIDs that do not fit into the advertisement of one in the foreground. Each UUID sets one bit:

        blepera overflow encode 180D 180A
        blepera overflow decode 02000000000000200000000000000000 --candidates 180D
        blepera overflow find 61
      """,
    subcommands: [OverflowEncodeCommand.self, OverflowDecodeCommand.self, OverflowFindCommand.self])
}
