import ArgumentParser
import Control

struct BluetoothCommand: ControlCommand {
  enum Switch: String, CaseIterable, ExpressibleByArgument {
    case on
    case off
  }

  static let configuration = CommandConfiguration(
    commandName: "bluetooth",
    abstract: "Switch the Bluetooth of the emulated phone on or off.",
    discussion: """
      Powers the adapter that 'blepera serve' uses on or off. Off, nothing is advertised and every central is gone; on \
      again, services and advertising are back. An adapter that is off is powered on again when 'serve' ends.
      """)

  @Argument(help: "Which way.")
  var state: Switch

  @OptionGroup var system: SystemOptions

  var request: ControlRequest { ControlRequest(state == .on ? .bluetoothOn : .bluetoothOff) }
}
