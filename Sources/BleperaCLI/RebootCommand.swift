import ArgumentParser
import Control

struct RebootCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "reboot",
    abstract: "Reboot the emulated phone: apps end, and links too.",
    discussion: """
      Afterwards the screen is off. Until 'blepera unlock' nothing is on the air and nobody is relaunched; then what is \
      preserved is advertised again, and an app is relaunched for its next event.
      """)

  @OptionGroup var system: SystemOptions

  var request: ControlRequest { ControlRequest(.reboot) }
}
