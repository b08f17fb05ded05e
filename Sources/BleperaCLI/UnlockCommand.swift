import ArgumentParser
import Control

struct UnlockCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlock",
    abstract: "Switch the screen of the emulated phone on again.",
    discussion: """
      The apps that were in front are again.
      """)

  @OptionGroup var system: SystemOptions

  var request: ControlRequest { ControlRequest(.unlock) }
}
