import ArgumentParser
import Control

struct QuitCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "quit",
    abstract: "Quit apps as the user does by swiping them away.",
    discussion: """
      As Ctrl-C in 'blepera serve': what an app has published goes, nothing of it is preserved, and it is never \
      relaunched. An app that does not run and is preserved is forgotten too.
      """)

  @OptionGroup var app: AppOptions
  @OptionGroup var system: SystemOptions

  var request: ControlRequest { ControlRequest(.quit, app: app.app) }
}
