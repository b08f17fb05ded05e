import ArgumentParser
import Control

/// Which of the user's running systems is meant.
struct SystemOptions: ParsableArguments {
  @Option(
    name: .customLong("system"),
    help: ArgumentHelp("The name of the phone, where several run side by side.", valueName: "name"))
  var name = ControlAddress.defaultName

  var address: ControlAddress {
    get throws(ControlFailure) { try ControlAddress(name: name) }
  }
}
