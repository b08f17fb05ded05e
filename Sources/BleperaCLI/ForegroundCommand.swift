import ArgumentParser
import Control

struct ForegroundCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "foreground",
    abstract: "Bring the apps of a running 'blepera serve' to the foreground.",
    discussion: """
      What waited for a suspended app is delivered, and what an app changed in the background is advertised.
      """)

  @OptionGroup var app: AppOptions
  @OptionGroup var system: SystemOptions

  var request: ControlRequest { ControlRequest(.foreground, app: app.app) }
}
