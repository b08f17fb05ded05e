package import DBus
package import EventLoop
import Glibc

/// Looks at the machine.
package enum MachineProbe {
  package static func look(bus: BusAddress, on loop: EventLoop) async -> MachineReport {
    var report = MachineReport(bus: bus)
    report.kernel = kernelRelease()
    report.controllers = entries("/sys/class/bluetooth").filter { $0.hasPrefix("hci") && !$0.contains(":") }.sorted()
    report.blocked = blocks()
    report.configuration = read("/etc/bluetooth/main.conf").map { DaemonConfiguration(text: $0) }
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
        let objects = try await connection.call(
          MethodCall(
            destination: BlueZName.bus, path: .root, interface: .objectManager, member: "GetManagedObjects"),
          timeout: .seconds(5))
        report.adapters = objects.first.map { Array(Inventory(managedObjects: $0).adapters.values) } ?? []
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
    entries("/sys/class/rfkill").compactMap { entry in
      let folder = "/sys/class/rfkill/\(entry)"
      guard let name = line("\(folder)/name"), line("\(folder)/type") == "bluetooth" else { return nil }
      let isHard = line("\(folder)/hard") == "1"
      guard isHard || line("\(folder)/soft") == "1" else { return nil }
      return MachineReport.RadioBlock(controller: name, isHard: isHard)
    }
  }

  private static func entries(_ folder: String) -> [String] {
    guard let directory = unsafe opendir(folder) else { return [] }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  private static func line(_ path: String) -> String? {
    read(path)?.split(whereSeparator: \.isNewline).first.map(String.init)
  }

  /// A small text file whole; nil where it cannot be read.
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
