import ArgumentParser
import Control

struct BluetoothCommand: ControlCommand {
  enum Switch: String, CaseIterable, ExpressibleByArgument {
    case on
    case off
    case reset
  }

  static let configuration = CommandConfiguration(
    commandName: "bluetooth",
    abstract: "Switch the Bluetooth of the emulated phone on or off, or reset it.",
    discussion: """
      Powers the adapter that 'blepera serve' uses on or off. Off, nothing is advertised and every central is gone; on \
      again, services and advertising are back. Reset, what apps have published is forgotten: they publish and advertise \
      anew, and from iOS 14 on an app in the background is not advertised before its next foreground. An adapter that \
      this has switched off is on again when 'serve' ends, save after kill -9.
      """)

  @Argument(help: "Which way.")
  var state: Switch

  @OptionGroup var system: SystemOptions

  var request: ControlRequest {
    switch state {
    case .on: ControlRequest(.bluetoothOn)
    case .off: ControlRequest(.bluetoothOff)
    case .reset: ControlRequest(.bluetoothReset)
    }
  }
}
