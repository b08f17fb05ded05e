import ArgumentParser
import Control

struct TerminateCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "terminate",
    abstract: "End apps as the system does when memory is short.",
    discussion: """
      An app with a restoration identifier stays published and advertised, and is relaunched for the next read or write \
      of a dynamic value, subscription or end of one. An app without one is gone.
      """)

  @OptionGroup var app: AppOptions
  @OptionGroup var system: SystemOptions

  var request: ControlRequest { ControlRequest(.terminate, app: app.app) }
}
