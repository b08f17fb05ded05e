import ArgumentParser
import BleperaCLI
import BleperaRecording

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
  ///   - hosts: the number of HCI controllers.
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

  /// - Throws: `ValidationError` for a real radio, whose packets are not in this process.
  func requireVirtual(_ isVirtual: Bool, _ advice: String, hasController: Bool = false) throws {
    guard path != nil, !isVirtual else { return }
    let other =
      hasController
      ? "over a controller, '--btsnoop FILE' records the HCI packets"
      : "over BlueZ, 'btmon --write FILE' records the adapter's packets"
    throw ValidationError("'--pcap' \(advice); \(other).")
  }
}
