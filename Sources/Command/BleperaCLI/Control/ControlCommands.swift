import ArgumentParser
import BleperaAppLink
import BleperaBluetooth
import BleperaSessions

/// A command that sends one request to a running phone.
protocol ControlCommand: AsyncParsableCommand {
  var system: PhoneName { get }
  var request: ControlRequest { get }
}

extension ControlCommand {
  func run() async throws { _ = try await ask() }

  /// Returns the reply; prints an error and ends with status 1 if the phone refuses the request.
  func ask() async throws(ExitCode) -> ControlReply {
    let reply: ControlReply
    do throws(ControlFailure) {
      reply = try await ControlConnection.ask(request, at: try system.address)
    } catch {
      throw CommandFailure.exit("\(error)")
    }
    if let error = reply.error { throw CommandFailure.exit(error) }
    return reply
  }
}

struct LaunchCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "launch",
    abstract: "Launch apps, as the user does by tapping their icons.",
    discussion: """
      An app that runs is moved to the foreground. The phone launches the apps that it has had since its start and those \
      that are preserved; 'blepera serve FILE' launches any other. The command ends when each app has connected to the \
      phone, and fails with the reason if an app has ended instead, or has not connected after ten seconds.
      """)

  @OptionGroup var app: AppArgument
  @OptionGroup var system: PhoneName

  var request: ControlRequest { ControlRequest(.launch, app: app.app) }
}

struct ForegroundCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "foreground",
    abstract: "Move the apps of a running phone to the foreground.",
    discussion: """
      Events queued for a suspended app are delivered, and advertising that an app changed in the background starts.
      """)

  @OptionGroup var app: AppArgument
  @OptionGroup var system: PhoneName

  var request: ControlRequest { ControlRequest(.foreground, app: app.app) }
}

struct BackgroundCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "background",
    abstract: "Move the apps of a running phone to the background.",
    discussion: """
      An app with bluetooth-peripheral keeps advertising, without its name and with its services in the overflow area, and \
      is soon suspended and woken for each event. An app without stops advertising, and is soon suspended until it \
      returns to the foreground.
      """)

  @OptionGroup var app: AppArgument
  @OptionGroup var system: PhoneName

  var request: ControlRequest { ControlRequest(.background, app: app.app) }
}

struct SuspendCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "suspend",
    abstract: "Suspend the apps of a running phone at once.",
    discussion: """
      'background' leaves the apps some seconds to run; this command does not.
      """)

  @OptionGroup var app: AppArgument
  @OptionGroup var system: PhoneName

  var request: ControlRequest { ControlRequest(.suspend, app: app.app) }
}

struct LockCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock",
    abstract: "Switch the screen of the emulated phone off.",
    discussion: """
      Every app moves to the background; 'unlock' moves the frontmost app back to the foreground.
      """)

  @OptionGroup var system: PhoneName

  var request: ControlRequest { ControlRequest(.lock) }
}

struct UnlockCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlock",
    abstract: "Switch the screen of the emulated phone on.",
    discussion: """
      The apps that were frontmost return to the foreground.
      """)

  @OptionGroup var system: PhoneName

  var request: ControlRequest { ControlRequest(.unlock) }
}

struct QuitCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "quit",
    abstract: "Force-quit apps, as the user does by swiping.",
    discussion: """
      Like Ctrl-C in 'blepera serve': the services of the app are removed, nothing of it is preserved, and no event \
      relaunches it. A preserved app that does not run is forgotten too. From iOS 26 on, a restorable app with \
      AccessorySetupKit is preserved and relaunched.
      """)

  @OptionGroup var app: AppArgument
  @OptionGroup var system: PhoneName

  var request: ControlRequest { ControlRequest(.quit, app: app.app) }
}

struct TerminateCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "terminate",
    abstract: "Terminate apps, as the system does.",
    discussion: """
      An app with a restoration identifier stays published and advertised, and is relaunched for the next read or write \
      of a dynamic value, subscription or unsubscription. An app without one is removed.
      """)

  @OptionGroup var app: AppArgument
  @OptionGroup var system: PhoneName

  var request: ControlRequest { ControlRequest(.terminate, app: app.app) }
}

struct NotifyCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "notify",
    abstract: "Send an update to subscribers.",
    usage: "blepera notify [<options>] <characteristic> <value>",
    discussion: """
      As if the app had called updateValue: an app that is suspended or not running sends nothing. The exit status is 1 if \
      no update was sent.

        blepera notify 2A37 0648
      """)

  @Argument(help: ArgumentHelp("The UUID of the characteristic.", valueName: "characteristic"))
  var characteristic: String

  @Argument(help: ArgumentHelp("The value, hexadecimal digits.", valueName: "value"))
  var value: String

  @OptionGroup var app: AppOptions
  @OptionGroup var system: PhoneName

  func validate() throws {
    guard BluetoothUUID(characteristic) != nil else {
      throw ValidationError("'\(characteristic)' is not a UUID of 4, 8 or 32 hexadecimal digits.")
    }
    guard let bytes = Hex.bytes(value), bytes.count <= AttributeValue.maximumPacketLength else {
      throw ValidationError("'\(value)' is not an even number of hexadecimal digits, at most 1048.")
    }
  }

  var request: ControlRequest {
    ControlRequest(
      .notify, app: app.app, characteristic: BluetoothUUID(characteristic), value: Hex.bytes(value))
  }
}

struct RebootCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "reboot",
    abstract: "Reboot the phone: all apps and connections end.",
    discussion: """
      Afterwards the screen is off. Until 'blepera unlock' nothing is on the air and no app is relaunched; then \
      preserved apps are advertised again, and each is relaunched for its next event.
      """)

  @OptionGroup var system: PhoneName

  var request: ControlRequest { ControlRequest(.reboot) }
}

struct ShutdownCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "shutdown",
    abstract: "End the emulated phone; its state stays on disk.",
    discussion: """
      All apps end, and nothing stays on the air. When 'blepera serve' or 'blepera system' starts the phone again, it \
      publishes and advertises the preserved apps with the handles that they had.
      """)

  @OptionGroup var system: PhoneName

  var request: ControlRequest { ControlRequest(.shutdown) }
}

struct BluetoothCommand: ControlCommand {
  enum Action: String, CaseIterable, ExpressibleByArgument {
    case on, off, reset
  }

  static let configuration = CommandConfiguration(
    commandName: "bluetooth",
    abstract: "Switch the phone's Bluetooth on or off, or reset it.",
    discussion: """
      Powers the adapter that 'blepera serve' uses on or off. While Bluetooth is off, nothing is advertised and no \
      central is connected; afterwards services and advertising are restored. A reset removes what the apps have \
      published: they publish and advertise again, and from iOS 14 on an app in the background is not advertised before \
      its next foreground. An adapter that this command has powered off is powered on again when the phone ends, \
      except after kill -9.
      """)

  @Argument(help: "on, off or reset.")
  var state: Action

  @Option(
    name: .customLong("by"),
    help: ArgumentHelp(
      "How Bluetooth is switched off: settings, control-center or airplane-mode. The method determines which apps are "
        + "relaunched afterwards.",
      valueName: "method"))
  var method: Method?

  enum Method: String, CaseIterable, ExpressibleByArgument {
    case settings
    case controlCenter = "control-center"
    case airplaneMode = "airplane-mode"

    var bluetoothSwitch: BluetoothSwitch {
      switch self {
      case .settings: .settings
      case .controlCenter: .controlCenter
      case .airplaneMode: .airplaneMode
      }
    }
  }

  func validate() throws {
    guard method != nil, state != .off else { return }
    throw ValidationError("'--by' applies to 'off' only.")
  }

  @OptionGroup var system: PhoneName

  var request: ControlRequest {
    switch state {
    case .on: ControlRequest(.bluetoothOn)
    case .off: ControlRequest(.bluetoothOff, method: method?.bluetoothSwitch)
    case .reset: ControlRequest(.bluetoothReset)
    }
  }
}
