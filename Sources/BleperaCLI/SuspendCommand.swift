import ArgumentParser
import Control

struct SuspendCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "suspend",
    abstract: "Suspend the apps of a running 'blepera serve' at once.",
    discussion: """
      As 'background', without the time that an app has there.
      """)

  @OptionGroup var app: AppOptions
  @OptionGroup var system: SystemOptions

  var request: ControlRequest { ControlRequest(.suspend, app: app.app) }
}
