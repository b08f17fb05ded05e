package import ArgumentParser
import BleperaAppLink
import BleperaBlueZ
package import BleperaBluetooth
import BleperaRadio
package import BleperaRecording
import BleperaRules
import BleperaSessions

/// Selects one of the user's phones.
struct PhoneName: ParsableArguments {
  @Option(
    name: .customLong("system"),
    help: ArgumentHelp("The phone's name for commands.", valueName: "name"))
  var name = ControlAddress.defaultName

  var address: ControlAddress {
    get throws(ControlFailure) { try ControlAddress(name: name) }
  }

  /// The address; for a name without an address, prints the reason and throws the exit status.
  var requiredAddress: ControlAddress {
    get throws(ExitCode) {
      do throws(ControlFailure) { return try address } catch { throw CommandFailure.exit("\(error)") }
    }
  }
}

/// Whether a phone on a virtual radio begins without the state of earlier runs.
struct FreshOption: ParsableArguments {
  @Flag(
    name: .customLong("fresh"),
    help: "With --virtual: remove what the phone has kept.")
  var isFresh = false

  /// Refuses the option without `--virtual`.
  func refuse(hasController: Bool) throws {
    guard isFresh else { return }
    throw ValidationError(
      "'--fresh' requires '--virtual'; "
        + (hasController
          ? "over a controller, 'blepera preserved forget' removes an app's state, and 'blepera bonds forget' keys."
          : "over BlueZ, 'blepera preserved forget' removes an app's state."))
  }
}

/// The app that a command is for.
struct AppArgument: ParsableArguments {
  @Argument(help: ArgumentHelp("The app's bundle identifier or name (default: all apps).", valueName: "app"))
  var app: String?
}

/// Selects an app of a running phone.
struct AppOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The app's bundle identifier or name (default: all apps).", valueName: "identifier"))
  var app: String?
}

/// The initial state of apps.
package enum LaunchFlag: String, EnumerableFlag {
  case foreground
  case background

  package var mode: LaunchMode {
    switch self {
    case .foreground: .foreground
    case .background: .leftForeground
    }
  }

  package static let help = ArgumentHelp(
    "Initial state of the apps.")
}

/// The file in which events are recorded in addition to the terminal.
package struct RecordOptions: ParsableArguments {
  @Option(
    name: .customLong("record"),
    help: ArgumentHelp("Write the event trace, for 'blepera report'.", valueName: "file"), completion: .trace)
  package var path: String?

  package init() {}

  /// Returns nil if nothing is recorded. A line that cannot be written is reported on standard error.
  ///
  /// - Throws: `ExitCode`, after an error message, if the file cannot be written.
  package func start() throws -> TraceWriter? {
    guard let path else { return nil }
    do throws(RecordingFailure) {
      return try TraceWriter(path) { OutputQueues.fail($0) }
    } catch {
      throw CommandFailure.exit("\(error)")
    }
  }
}
