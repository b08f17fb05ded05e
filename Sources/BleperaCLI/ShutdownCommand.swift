import ArgumentParser
import Control

struct ShutdownCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "shutdown",
    abstract: "End the emulated phone; its state stays on disk.",
    discussion: """
      Apps end, and everything goes off the air. Started again, by 'blepera serve' or 'blepera system', the phone \
      publishes and advertises what is preserved, with the handles that it had.
      """)

  @OptionGroup var system: SystemOptions

  var request: ControlRequest { ControlRequest(.shutdown) }
}
