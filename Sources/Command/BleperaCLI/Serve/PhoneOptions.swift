import ArgumentParser
import BleperaBlueZ
import BleperaBluetooth
import BleperaPhoneLink
import BleperaRadio
import BleperaRecording
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
}

/// Whether a phone on a virtual radio begins without what it has kept.
struct FreshOption: ParsableArguments {
  @Flag(
    name: .customLong("fresh"),
    help: "With --virtual: remove what the phone has kept.")
  var isFresh = false

  /// Refuses the option without `--virtual`.
  func refuse() throws {
    guard isFresh else { return }
    throw ValidationError(
      "'--fresh' requires '--virtual'; over BlueZ, 'blepera preserved forget' removes an app's state.")
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
enum LaunchFlag: String, EnumerableFlag {
  case foreground
  case background

  var mode: LaunchMode {
    switch self {
    case .foreground: .foreground
    case .background: .leftForeground
    }
  }

  static let help = ArgumentHelp(
    "Initial state of the apps.")
}

/// The file in which events are recorded in addition to the terminal.
struct RecordOptions: ParsableArguments {
  @Option(
    name: .customLong("record"),
    help: ArgumentHelp("Write the event trace, for 'blepera report'.", valueName: "file"), completion: .trace)
  var path: String?

  /// Returns nil if nothing is recorded. A line that cannot be written is reported on standard error.
  ///
  /// - Throws: `ExitCode`, after an error message, if the file cannot be written.
  func start() throws -> TraceWriter? {
    guard let path else { return nil }
    do throws(RecordingFailure) {
      return try TraceWriter(path) { OutputQueues.fail($0) }
    } catch {
      throw CommandFailure.exit("\(error)")
    }
  }
}

/// The file to which the packets on a virtual radio are written.
struct CaptureOptions: ParsableArguments {
  @Option(
    name: .customLong("pcap"),
    help: ArgumentHelp("Write the packets to a file, for Wireshark.", valueName: "file"),
    completion: .file(extensions: ["pcap", "pcapng"]))
  var path: String?

  /// Returns nil if nothing is captured. Packets that cannot be written are reported on standard error.
  ///
  /// - Parameters:
  ///   - hosts: how many HCI controllers there are.
  ///   - trace: the file of `--record`.
  /// - Throws: `ExitCode`, after an error message, if a file cannot be written.
  func start(hosts: Int, beside trace: String? = nil) throws -> CaptureFiles? {
    guard path != nil || trace != nil && hosts > 0 else { return nil }
    do throws(RecordingFailure) {
      return try CaptureFiles(path, beside: trace, hosts: hosts)
    } catch {
      throw CommandFailure.exit("\(error)")
    }
  }

  /// - Throws: `ValidationError` for a radio whose packets are bluetoothd's.
  func requireVirtual(_ isVirtual: Bool, _ advice: String) throws {
    guard path != nil, !isVirtual else { return }
    throw ValidationError("'--pcap' \(advice); over BlueZ, 'btmon --write FILE' records the adapter's packets.")
  }
}
