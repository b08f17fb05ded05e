import BleperaAir
import BleperaCLI
import BleperaHCI
import BleperaRecording
import BleperaSessions
import Glibc

/// The files of `--pcap`: the packets on the air, and a file for each HCI controller's hosts. `--record` makes the
/// files of hosts too, beside the trace.
struct CaptureFiles {
  let air: CaptureWriter?
  /// The files of hosts; empty if the file of `--pcap` is a pipe, which has no place beside it.
  private let hosts: [(file: String, writer: CaptureWriter)]

  /// - Parameters:
  ///   - path: the file of `--pcap`.
  ///   - trace: the file of `--record`, which exists.
  init(_ path: String?, beside trace: String?, hosts: Int) throws(RecordingFailure) {
    if let path {
      air = try CaptureWriter(path, header: AirCapture.fileHeader) { OutputQueues.fail($0) }
    } else {
      air = nil
    }
    var opened: [(String, CaptureWriter)] = []
    if let place = path ?? trace, Self.isRegular(place) {
      for number in 0..<hosts {
        let file = Self.path(beside: place, ofHost: number)
        opened.append((file, try CaptureWriter(file, header: BtsnoopFile.header) { OutputQueues.fail($0) }))
      }
    }
    self.hosts = opened
  }

  private static func isRegular(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// The path of a host's file: `air-host1.btsnoop` for the first host beside `air.pcap`.
  static func path(beside path: String, ofHost number: Int) -> String {
    let end = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let dot = path[end...].lastIndex(of: ".").flatMap { $0 > end ? $0 : nil }
    return "\(path[..<(dot ?? path.endIndex)])-host\(number + 1).btsnoop"
  }

  var ofHosts: [HCICapture] { hosts.map { HCICapture(file: $0.file, write: $0.writer.write) } }

  /// Waits until the last packets are written or the deadline has come.
  func flush(until deadline: ContinuousClock.Instant = .now + .seconds(1)) {
    for writer in [air].compactMap(\.self) + hosts.map(\.writer) { writer.flush(until: deadline) }
  }
}

extension EventPrinter {
  func finish(_ capture: CaptureFiles?) {
    let deadline = finish()
    capture?.flush(until: deadline)
  }
}

extension VirtualOptions {
  mutating func capture(to files: CaptureFiles?) { (capture, hostCaptures) = (files?.air?.write, files?.ofHosts ?? []) }
}
