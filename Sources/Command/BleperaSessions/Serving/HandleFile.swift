import BleperaAppLink
import BleperaBlueZ
import BleperaBluetooth
package import BleperaPreservation
import Glibc

/// The file of an adapter in which the user's phones keep their leases of attribute handles: the run of bluetoothd, and
/// a line for each lease with its first and last handle. The file is beside the phones' sockets, because leases end
/// with bluetoothd. All phones share the file, because an adapter has one phone at a time.
///
/// A phone that cannot read the file gets other handles, and centrals discover its services again.
struct HandleFile: Sendable {
  private let folder: String

  init(_ address: ControlAddress) { folder = address.folder }

  private func path(of run: String) -> String { "\(folder)/handles-\(Self.adapter(of: run))" }
  private static func adapter(of run: String) -> Substring { run.split(separator: " ").last ?? "" }

  var memory: HandleMemory {
    HandleMemory(
      load: { load(Self.identify($0), path(of: $0)) },
      save: { run, ranges in save(Self.identify(run), ranges, path(of: run)) })
  }

  /// Adds the inode of the kernel's adapter to the run. bluetoothd drops all handles when the adapter is removed, also
  /// while no phone runs, and another adapter of the same name has another inode.
  private static func identify(_ run: String) -> String {
    var status = stat()
    return unsafe lstat("/sys/class/bluetooth/\(adapter(of: run))", &status) == 0 ? "\(run) \(status.st_ino)" : run
  }

  private func load(_ run: String, _ path: String) -> [HandleLeases.Range] {
    guard let bytes = try? SystemDisk().read(path) else { return [] }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    guard let first = lines.first, first == run else { return [] }
    return lines.dropFirst().compactMap { line in
      let ends = line.split(separator: " ").compactMap { UInt16($0) }
      guard ends.count == 2, ends[0] > 0, ends[0] <= ends[1] else { return nil }
      return AttributeHandle(rawValue: ends[0])...AttributeHandle(rawValue: ends[1])
    }
  }

  private func save(_ run: String, _ ranges: [HandleLeases.Range], _ path: String) {
    let lines = [run] + ranges.map { "\($0.lowerBound.rawValue) \($0.upperBound.rawValue)" }
    SystemDisk(syncs: false).keep(lines.map { $0 + "\n" }.joined(), at: path)
  }
}

extension SystemDisk {
  /// Replaces a small file whose loss only costs work. If the disk is full or cannot be written, the former file stays,
  /// and the phone reports the error when it saves its state.
  package func keep(_ text: String, at path: String) {
    let unfinished = path + ".new"
    try? remove(unfinished)
    try? replace(path, with: Array(text.utf8), through: unfinished)
  }
}

extension StateFolder {
  /// The settings that a phone has changed in the kernel, as lines of text in a file for each adapter.
  var kernelMemory: KernelMemory {
    let disk = SystemDisk(syncs: false)
    return KernelMemory { address in
      (try? disk.read(kernelChanges(of: address))).map { String(decoding: $0, as: UTF8.self) }
    } save: { address, text in
      let path = kernelChanges(of: address)
      if let text { disk.keep(text, at: path) } else { try? disk.remove(path) }
    }
  }
}
