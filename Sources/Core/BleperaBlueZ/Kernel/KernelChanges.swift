import BleperaBluetooth
import BleperaEventLoop
import BleperaLoop
import Glibc

/// The changes of a phone to an adapter in the kernel, which stay when the phone's process is killed.
struct KernelChanges: Hashable, Sendable {
  /// The default advertising interval before the phone.
  private(set) var formerInterval: AdvertisingInterval?
  /// The phone's intervals: the interval that was set last, and the interval that is being set.
  private var ownIntervals: [AdvertisingInterval] = []
  /// The advertising instances of the phone, placeholders too.
  private(set) var instances: Set<UInt8> = []

  mutating func hold(_ instances: Set<UInt8>) { self.instances = instances }

  /// Notes an interval that the phone is about to set; an interval that the phone has not set was there before.
  mutating func beginSetting(_ interval: AdvertisingInterval, over current: AdvertisingInterval) {
    if !ownIntervals.contains(current) { formerInterval = current }
    ownIntervals = ownIntervals.filter { $0 == current } + [interval]
  }

  /// - Returns: the interval to put back; nil where another program has changed it.
  mutating func endSetting(over current: AdvertisingInterval?) -> AdvertisingInterval? {
    defer { (formerInterval, ownIntervals) = (nil, []) }
    return current.map { ownIntervals.contains($0) } == true ? formerInterval : nil
  }

  /// Lines for a run of the kernel; nil where nothing is changed.
  func text(boot: String) -> String? {
    var lines = ["boot \(boot)"]
    if let formerInterval {
      lines.append("interval \(formerInterval.text)")
      lines += ownIntervals.map { "own \($0.text)" }
    }
    lines += instances.sorted().map { "instance \($0)" }
    return lines.count == 1 ? nil : lines.joined(separator: "\n") + "\n"
  }

  /// Reads the lines; nothing where the text belongs to another run of the kernel.
  init(text: String, boot: String) {
    let lines = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    guard lines.contains(["boot", boot]) else { return }
    for line in lines {
      let numbers = line.compactMap { Double($0) }
      switch (line.first, numbers.count) {
      case ("interval", 2): formerInterval = AdvertisingInterval(minimum: numbers[0], maximum: numbers[1])
      case ("own", 2): ownIntervals += AdvertisingInterval(minimum: numbers[0], maximum: numbers[1]).map { [$0] } ?? []
      case ("instance", 1): instances.formUnion([UInt8(exactly: numbers[0])].compactMap(\.self))
      default: break
      }
    }
  }

  init() {}
}

extension AdvertisingInterval {
  fileprivate var text: String { "\(minimum) \(maximum)" }
}

/// Where a phone keeps its `KernelChanges`, as text, by the adapter's address.
package struct KernelMemory: Sendable {
  package var load: @Sendable (_ address: String) -> String?
  /// Nil for nothing to keep.
  package var save: @Sendable (_ address: String, String?) -> Void

  package init(
    load: @escaping @Sendable (_ address: String) -> String?,
    save: @escaping @Sendable (_ address: String, String?) -> Void
  ) {
    self.load = load
    self.save = save
  }

  /// The kernel's identifier of its run; empty where it has none.
  static let boot = MachineProbe.line("/proc/sys/kernel/random/boot_id") ?? ""
}

/// A shell that removes the phone's advertising instances when the phone's process ends, however it does: it has the
/// phone's management socket as its output, so it needs no right, and waits for the end of its input.
final class InstanceKeeper {
  let child: ChildProcess
  private let pipe: DataPipe
  private let source: EventSource

  private static let script = """
    trap '' HUP INT QUIT TERM
    while IFS= read -r line; do last=$line; done
    for command in $last; do printf "$command"; done
    """

  /// - Parameters:
  ///   - output: a management socket.
  ///   - ended: called on the loop when the shell has ended by itself.
  init?(_ output: CInt, on loop: EventLoop, ended: @escaping @Sendable () -> Void) {
    let null = unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)
    defer { close(null) }
    guard let pipe = DataPipe(),
      let child = try? ChildProcess(
        ["/bin/sh", "-c", Self.script],
        streams: ChildProcess.Streams(input: pipe.reader, output: output, error: null), inNewSession: true)
    else { return nil }
    pipe.closeReader()
    (self.pipe, self.child) = (pipe, child)
    source = loop.watch(child) { _ in ended() }
  }

  deinit {
    pipe.closeWriter()
    source.cancel()
    child.wait()
  }

  /// Notes the commands that are sent at the end, each by a write of its own.
  func hold(_ commands: [ManagementCommand], of index: UInt16) {
    let texts = commands.map { command in
      command.bytes(index: index).map { "\\" + String(Int($0) | 0o1000, radix: 8).dropFirst() }.joined()
    }
    pipe.write(texts.joined(separator: " ") + "\n")
  }
}
