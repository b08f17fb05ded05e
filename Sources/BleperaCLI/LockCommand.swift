import ArgumentParser
import Control

struct LockCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock",
    abstract: "Switch the screen of the emulated phone off.",
    discussion: """
      Every app goes into the background; 'unlock' brings the one that was in front back.
      """)

  @OptionGroup var system: SystemOptions

  var request: ControlRequest { ControlRequest(.lock) }
}
