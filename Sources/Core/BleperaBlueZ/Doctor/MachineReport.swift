package import BleperaBlueZProtocol
package import BleperaDBus
package import BleperaEventLoop
import BleperaLoop
import Glibc

/// The state of the machine, as far as a peripheral depends on it.
package struct MachineReport: Sendable {
  /// The address at which the system bus was tried.
  package var bus: BusAddress
  /// Why the bus cannot be reached; nil if it can.
  package var busFailure: String?
  package var hasDaemon = false
  /// Why bluetoothd did not return its objects; nil if it did.
  package var daemonFailure: DBusFailure?
  package var adapters: [Adapter] = []
  /// The controllers that the kernel knows, such as `hci0`.
  package var controllers: [String] = []
  /// The controllers that rfkill blocks.
  package var blocked: [RadioBlock] = []
  /// `uname -r`.
  package var kernel = ""
  /// bluetoothd's main.conf, empty where there is none; nil if not readable.
  package var configuration: DaemonConfiguration?
  /// The number of advertising instances of `adapter` that the kernel lists, or why it sends no exact packets with it;
  /// nil if that is unknown.
  package var exact: Result<Int, ManagementFailure>?

  package struct RadioBlock: Hashable, Sendable {
    package let controller: String
    /// Whether a hardware switch blocks the controller, which no command can undo.
    package let isHard: Bool
  }

  /// The adapter that is used where none is named: the first that is powered on, otherwise the first.
  package var adapter: Adapter? {
    let sorted = adapters.sorted { $0.number < $1.number }
    return sorted.first(where: \.isPowered) ?? sorted.first
  }

  /// All adapters belong to one daemon.
  package var version: DaemonVersion? { adapters.lazy.compactMap(\.version).first }
}

/// Inspects the machine.
package enum MachineProbe {
  package static func look(bus: BusAddress, on loop: EventLoop) async -> MachineReport {
    var report = MachineReport(bus: bus)
    report.kernel = kernelRelease()
    report.controllers = FolderNames.list("/sys/class/bluetooth").filter { $0.hasPrefix("hci") && !$0.contains(":") }
      .sorted()
    report.blocked = blocks()
    report.configuration = configuration("/etc/bluetooth/main.conf")
    let connection: DBusConnection
    do {
      connection = try await DBusConnection.open(bus, on: loop)
    } catch {
      if case .cannotConnect(_, let reason) = error {
        report.busFailure = reason
      } else {
        report.busFailure = "\(error)"
      }
      return report
    }
    do {
      report.hasDaemon = try await connection.owner(of: BlueZName.bus) != nil
      if report.hasDaemon {
        let objects = try await connection.call(.managedObjects, timeout: .seconds(5))
        report.adapters = objects.first.map { Array(Inventory(managedObjects: $0).adapters.values) } ?? []
        report.exact = report.adapter.map { adapter in
          Result { () throws(ManagementFailure) in try ManagementSocket.listedInstances(of: adapter) }
        }
      }
    } catch {
      report.daemonFailure = error
    }
    await connection.close()
    return report
  }

  private static func kernelRelease() -> String {
    var name = utsname()
    guard unsafe uname(&name) == 0 else { return "" }
    return unsafe withUnsafeBytes(of: name.release) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }

  /// rfkill's switches of Bluetooth controllers (the kernel's Documentation/ABI/stable/sysfs-class-rfkill).
  private static func blocks() -> [MachineReport.RadioBlock] {
    FolderNames.list("/sys/class/rfkill").compactMap { entry in
      let folder = "/sys/class/rfkill/\(entry)"
      guard let name = line("\(folder)/name"), line("\(folder)/type") == "bluetooth" else { return nil }
      let isHard = line("\(folder)/hard") == "1"
      guard isHard || line("\(folder)/soft") == "1" else { return nil }
      return MachineReport.RadioBlock(controller: name, isHard: isHard)
    }
  }

  /// Without the file, bluetoothd has the defaults of an empty one.
  private static func configuration(_ path: String) -> DaemonConfiguration? {
    guard let text = read(path) else { return errno == ENOENT ? DaemonConfiguration(text: "") : nil }
    return DaemonConfiguration(text: text)
  }

  static func line(_ path: String) -> String? { lines(path).first }

  /// The lines of a small text file; none if it is not readable.
  package static func lines(_ path: String) -> [String] {
    read(path)?.split(whereSeparator: \.isNewline).map(String.init) ?? []
  }

  /// Reads a small text file; nil if not readable.
  private static func read(_ path: String) -> String? {
    guard let file = unsafe fopen(path, "r") else { return nil }
    defer { unsafe fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe fread(&buffer, 1, buffer.count, file)
      guard count > 0, bytes.count < 1 << 20 else { break }
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// A range of kernel releases, as `uname -r` names them.
package struct KernelRelease: Hashable, Sendable {
  /// `6.12`.
  package let series: String
  /// The first patch level of the series in the range.
  package let firstPatch: Int

  /// Kernels that check the length of ADD_EXT_ADV_DATA (d3f7d17960ed) without the later correction (149324fc762c): the
  /// first reported releases (BlueZ issues 2268 and 2269).
  package static let checkingAdvertisingData = [
    KernelRelease(series: "6.12", firstPatch: 93),
    KernelRelease(series: "6.18", firstPatch: 34),
  ]

  package func contains(_ release: String) -> Bool {
    let parts = release.split(separator: ".", maxSplits: 2)
    guard parts.count == 3, "\(parts[0]).\(parts[1])" == series else { return false }
    guard let patch = Int(parts[2].prefix { $0.isNumber }) else { return false }
    return patch >= firstPatch
  }
}
