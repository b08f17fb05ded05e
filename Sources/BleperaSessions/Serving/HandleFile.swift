import BleperaBlueZ
import BleperaBluetooth
import BleperaPreservation
import Glibc

/// The file in which a phone keeps its leases of attribute handles: the run of bluetoothd that they belong to, and a
/// line for each with its first and last handle.
///
/// A phone that cannot read the file gets other handles, and centrals discover its services again.
struct HandleFile: Sendable {
  let path: String

  init(_ folder: StateFolder) { path = folder.handles }

  var memory: HandleMemory {
    HandleMemory(load: { load(Self.identify($0)) }) { run, ranges in save(Self.identify(run), ranges) }
  }

  /// bluetoothd forgets all handles when the kernel's adapter, the last word, is removed, also while no phone runs: another
  /// adapter of the same name has another inode.
  private static func identify(_ run: String) -> String {
    var status = stat()
    let adapter = run.split(separator: " ").last ?? ""
    return unsafe lstat("/sys/class/bluetooth/\(adapter)", &status) == 0 ? "\(run) \(status.st_ino)" : run
  }

  func load(_ run: String) -> [HandleLeases.Range] {
    guard let bytes = try? SystemDisk().read(path) else { return [] }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    guard let first = lines.first, first == run else { return [] }
    return lines.dropFirst().compactMap { line in
      let ends = line.split(separator: " ").compactMap { UInt16($0) }
      guard ends.count == 2, ends[0] > 0, ends[0] <= ends[1] else { return nil }
      return AttributeHandle(rawValue: ends[0])...AttributeHandle(rawValue: ends[1])
    }
  }

  func save(_ run: String, _ ranges: [HandleLeases.Range]) {
    let lines = [run] + ranges.map { "\($0.lowerBound.rawValue) \($0.upperBound.rawValue)" }
    let disk = SystemDisk(syncs: false)
    let new = path + ".new"
    try? disk.remove(new)
    do throws(DiskError) {
      let file = try disk.create(new)
      let text = Array(lines.map { $0 + "\n" }.joined().utf8)
      let count = try disk.write(text[...], to: file)
      try disk.close(file)
      // A part of the leases is safe too, but not a part of a number.
      if count == text.count { try disk.rename(new, to: path) }
    } catch {
      // The disk is full or cannot be written, which the phone reports when it saves its state.
    }
  }
}
