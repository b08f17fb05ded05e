package import BleperaAir
import BleperaBluetooth
import BleperaHCIProtocol
package import BleperaLoop
import BleperaRecording
import Glibc

/// The endpoint where one host at a time attaches to a controller of an air over H4. The host lives in real time.
package actor HCIDoor: LoopActor {
  package nonisolated let loop: any DescriptorLoop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
  package nonisolated var isOnLoop: Bool { loop.isCurrent }

  /// An event of a host at the door with that name.
  package enum Notice: Hashable, Sendable {
    /// The capture is the file that has the packets.
    case attached(String, capture: String?)
    /// The reason is a fault of the host; nil where it has left by itself.
    case left(String, reason: String?)
    /// The host is refused because another host is attached.
    case refused(String)
  }

  package typealias Report = @Sendable (Notice) -> Void

  private let controller: AirController
  private let endpoint: HCIListener
  private let report: Report
  private let capture: HCICapture?
  /// The records of packets that are not written yet.
  private var records: [UInt8] = []
  private var reader = H4Reader()
  private var stream: DescriptorStream?
  /// Nobody may be at a terminal until something is sent.
  private var isAttached = false
  /// The bytes that the host has not read.
  private var unread: ArraySlice<UInt8> = []
  private var listener: SocketListener?
  private var opening: (any LoopTimer)?
  /// The host's end of a terminal, which stays open here until a host is there: without any, the controller's end
  /// reports a hang-up, as it does when the host leaves.
  private var otherEnd: CInt = -1
  /// Whether the host at a terminal is still there after it has sent bytes that are no packet.
  private var isFaulty = false
  private var isClosed = false

  /// How much is kept for a host that does not read, in bytes.
  private static let maximumUnread = 1 << 20
  private static let chunk = 1 << 12

  /// Puts an adapter on the air and listens at the endpoint; hosts are accepted after `start`.
  package init(
    loop: any DescriptorLoop, air: SharedAir, endpoint: HCIEndpoint, number: Int, seed: UInt64 = 0,
    capture: HCICapture? = nil, report: @escaping Report
  ) throws(HCIDoorFailure) {
    self.endpoint = try HCIListener(endpoint.place)
    if case .terminal(_, let path) = self.endpoint { otherEnd = try HCIListener.otherEnd(of: path) }
    (self.loop, self.report, self.capture) = (loop, report, capture)
    controller = AirController(
      loop: loop, air: air, name: "hci \(number)", isLegacy: endpoint.isLegacy, isStrict: endpoint.isStrict,
      isDual: endpoint.isDual, seed: seed)
  }

  /// Where the host attaches, as Bumble names a transport.
  package nonisolated var name: String {
    switch endpoint {
    case .terminal(_, let path): "serial:\(path)"
    case .socket(_, .tcp(let host, let port)): "tcp-client:\(host):\(port)"
    case .socket(_, .unix(let path)): "unix:\(path)"
    case .socket(_, .pty): "pty"
    }
  }

  /// The name if a host is attached.
  package var host: String? { isAttached ? name : nil }

  package func start() {
    controller.assumeIsolated { $0.start() }
    switch endpoint {
    case .terminal: openTerminal()
    case .socket(let descriptor, _):
      listener = SocketListener(loop: loop, descriptor: descriptor) { [weak self] in
        self?.assumeIsolated { $0.accept(from: descriptor) } ?? 0
      }
    }
  }

  /// Returns 0, or the error of the system.
  private func accept(from descriptor: CInt) -> CInt {
    let host = Glibc.accept(descriptor, nil, nil)
    guard host >= 0 else { return errno }
    // The former host may have left already.
    while let stream, stream.hasEnded { proceed() }
    guard stream == nil else {
      Glibc.close(host)
      report(.refused(name))
      return 0
    }
    // Fails for other sockets than TCP's, which do not keep small packets back.
    var on: CInt = 1
    _ = unsafe setsockopt(host, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size))
    attach(host)
    reportAttached()
    return 0
  }

  /// Waits for a host at the terminal; tries again in a second where the process has no descriptor left.
  private func openTerminal() {
    guard case .terminal(let controllerEnd, let path) = endpoint, stream == nil, !isClosed else { return }
    if otherEnd < 0 { otherEnd = (try? HCIListener.otherEnd(of: path, isFlushed: !isFaulty)) ?? -1 }
    isFaulty = false
    let descriptor = otherEnd < 0 ? -1 : fcntl(controllerEnd, F_DUPFD_CLOEXEC, 0)
    guard descriptor < 0 else { return attach(descriptor) }
    opening = loop.schedule(after: SocketListener.pause) { [weak self] in self?.assumeIsolated { $0.openTerminal() } }
  }

  private func closeOtherEnd() {
    if otherEnd >= 0 { Glibc.close(otherEnd) }
    otherEnd = -1
  }

  private func reportAttached() {
    isAttached = true
    closeOtherEnd()
    report(.attached(name, capture: capture?.file))
  }

  private func attach(_ descriptor: CInt) {
    let stream = DescriptorStream(loop: loop, descriptor: descriptor)
    self.stream = stream
    let take = callback { $0.take($1) }
    controller.assumeIsolated { $0.attach(take) }
    wait(for: stream)
  }

  private func wait(for stream: DescriptorStream) {
    stream.wait(for: unread.isEmpty ? .reading : [.reading, .writing]) { [weak self] in
      self?.assumeIsolated { $0.proceed() }
    }
  }

  private func proceed() {
    guard let stream else { return }
    flush()
    controller.assumeIsolated { $0.advanceTime() }
    guard let bytes = stream.read(upTo: Self.chunk) else { return detach() }
    if !isAttached, !bytes.isEmpty { reportAttached() }
    reader.append(bytes)
    do throws(H4Reader.Fault) {
      while let packet = try reader.next() {
        note([packet.kind.rawValue] + packet.bytes, isReceived: false)
        controller.assumeIsolated { $0.receive(packet) }
      }
    } catch {
      controller.assumeIsolated { $0.fail() }
      isFaulty = true
      return detach(because: "\(error)")
    }
    if let stream = self.stream { wait(for: stream) }
  }

  private func detach(because reason: String? = nil) {
    guard let stream else { return }
    flush()
    self.stream = nil
    isAttached = false
    stream.close()
    (reader, unread) = (H4Reader(), [])
    controller.assumeIsolated { $0.detach() }
    openTerminal()
    if !isClosed { report(.left(name, reason: reason)) }
  }

  /// Takes the packets of the controller's turn.
  private func take(_ packets: [[UInt8]]) {
    for packet in packets {
      unread += packet
      note(packet, isReceived: true)
    }
    writeRecords()
    guard unread.count <= Self.maximumUnread else {
      unread = []
      return detach(because: "the host does not read what the controller sends")
    }
    flush()
  }

  /// - Parameter packet: with its octet of H4.
  private func note(_ packet: @autoclosure () -> [UInt8], isReceived: Bool) {
    guard capture != nil else { return }
    records += BtsnoopFile.record(packet(), isReceived: isReceived, at: controller.assumeIsolated { $0.time })
  }

  private func writeRecords() {
    guard let capture, !records.isEmpty else { return }
    capture.write(records)
    records = []
  }

  private func flush() {
    while let stream, !unread.isEmpty, let count = stream.write(unread), count > 0 {
      unread = unread.dropFirst(count)
    }
    if let stream, !unread.isEmpty { wait(for: stream) }
  }

  package func close() {
    isClosed = true
    detach()
    (listener, opening) = (nil, nil)
    switch endpoint {
    case .terminal(let descriptor, _):
      closeOtherEnd()
      Glibc.close(descriptor)
    case .socket(let descriptor, let place):
      Glibc.close(descriptor)
      if case .unix(let path) = place { unsafe unlink(path) }
    }
  }
}

/// A file with the packets of the hosts of a door.
package struct HCICapture: Sendable {
  package let file: String
  /// Receives whole records for a file that begins with `BtsnoopFile.header`, on the loop.
  let write: @Sendable ([UInt8]) -> Void

  package init(file: String, write: @escaping @Sendable ([UInt8]) -> Void) { (self.file, self.write) = (file, write) }
}
