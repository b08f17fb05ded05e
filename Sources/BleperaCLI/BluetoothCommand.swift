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

  @Option(
    name: .customLong("by"),
    help: ArgumentHelp(
      "How it is switched off: settings, control-center or airplane-mode. Which apps are relaunched afterwards "
        + "depends on it.",
      valueName: "means"))
  var means: Means?

  enum Means: String, CaseIterable, ExpressibleByArgument {
    case settings
    case controlCenter = "control-center"
    case airplaneMode = "airplane-mode"
  }

  func validate() throws {
    guard means != nil, state != .off else { return }
    throw ValidationError("'--by' says how Bluetooth is switched off, so it goes with 'off' alone.")
  }

  @OptionGroup var system: SystemOptions

  var request: ControlRequest {
    switch state {
    case .on: ControlRequest(.bluetoothOn)
    case .off: ControlRequest(.bluetoothOff, by: means.map { ControlRequest.Switch($0) })
    case .reset: ControlRequest(.bluetoothReset)
    }
  }
}

extension ControlRequest.Switch {
  fileprivate init(_ means: BluetoothCommand.Means) {
    switch means {
    case .settings: self = .settings
    case .controlCenter: self = .controlCenter
    case .airplaneMode: self = .airplaneMode
    }
  }
}
