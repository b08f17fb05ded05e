import ArgumentParser

struct PreservedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "preserved",
    abstract: "Look at what a phone keeps of its apps, or forget it.",
    discussion: """
      What apps with a restoration identifier have published, what they advertise and who is subscribed is kept on disk, \
      whether the phone runs or not.
      """,
    subcommands: [PreservedListCommand.self, PreservedShowCommand.self, PreservedForgetCommand.self],
    defaultSubcommand: PreservedListCommand.self)
}
