import ArgumentParser
import Control

struct BackgroundCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "background",
    abstract: "Leave the apps of a running 'blepera serve': they go into the background.",
    discussion: """
      An app with bluetooth-peripheral goes on, without its name and with its services in the overflow area, and is soon \
      suspended and woken for each event; one without is silent, and soon suspended until it is in front again.
      """)

  @OptionGroup var app: AppOptions
  @OptionGroup var system: SystemOptions

  var request: ControlRequest { ControlRequest(.background, app: app.app) }
}
