package import BleperaAir
import BleperaBluetooth
import BleperaHCIProtocol
import BleperaHost
package import BleperaLoop
import BleperaRecording
import Glibc

/// A controller at the edge of an air, and the endpoint where one host at a time attaches to it over H4. The host lives
/// in real time.
package actor HCIDoor: AirParticipant, LoopActor {
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

  private let air: SharedAir
  private let adapter: AdapterID
  private let endpoint: HCIListener
  private let report: Report
  private let capture: HCICapture?
  /// The time of the present packets, as in captures of the air; not known without a capture.
  private var time = Duration.zero
  /// The records of packets that are not written yet.
  private var records: [UInt8] = []
  private var controller: HCIController
  private var reader = H4Reader()
  private var stream: DescriptorStream?
  /// Nobody may be at a terminal until something is sent.
  private var isAttached = false
  /// The bytes that the host has not read.
  private var unread: ArraySlice<UInt8> = []
  private var advertisements: [UInt8: AdvertisementID] = [:]
  /// The outputs that are still to be carried out. Those that an action of the air causes come last, so that an answer
  /// comes before its consequences.
  private var outputs: [HCIController.Output] = []
  private var isCarryingOut = false
  private var listener: SocketListener?
  private var opening: (any LoopTimer)?
  /// The host's end of a terminal, which stays open here until a host is there: without any, the controller's end
  /// reports a hang-up, as it does when the host leaves.
  private var otherEnd: CInt = -1
  /// Whether the host at a terminal is still there after it has sent bytes that are no packet.
  private var isFaulty = false
  private var timer: (any LoopTimer)?
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
    (self.loop, self.air, self.report, self.capture) = (loop, air, report, capture)
    let (adapter, address) = air.assumeIsolated { air in
      let address = air.nextAddress
      return (
        air.addAdapter(
          .controller(address: address, name: "hci \(number)", isStrict: endpoint.isStrict)),
        address
      )
    }
    self.adapter = adapter
    controller = HCIController(address: address, isLegacy: endpoint.isLegacy, isDual: endpoint.isDual, seed: seed)
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
    air.assumeIsolated { $0.attach(self, to: adapter) }
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
    guard case .terminal(let controllerEnd, let path) = endpoint, stream == nil, !isCarryingOut, !isClosed else {
      return
    }
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
    advanceTime { $0.timeOfDay }
    guard let bytes = stream.read(upTo: Self.chunk) else { return detach() }
    if !isAttached, !bytes.isEmpty { reportAttached() }
    reader.append(bytes)
    do throws(H4Reader.Fault) {
      while let packet = try reader.next() {
        note([packet.kind.rawValue] + packet.bytes, isReceived: false)
        carryOut(controller.receive(packet, at: now))
      }
    } catch {
      carryOut(controller.fail(at: now))
      isFaulty = true
      return detach(because: "\(error)")
    }
    if let stream = self.stream { wait(for: stream) }
  }

  /// The host has left: nothing of it stays on the air.
  private func detach(because reason: String? = nil) {
    guard let stream else { return }
    flush()
    self.stream = nil
    isAttached = false
    stream.close()
    (reader, unread) = (H4Reader(), [])
    carryOut(controller.fail(at: now))
    if !isClosed { report(.left(name, reason: reason)) }
  }

  private func carryOut(_ outputs: [HCIController.Output]) {
    self.outputs += outputs
    guard !isCarryingOut else { return }
    isCarryingOut = true
    while !self.outputs.isEmpty {
      switch self.outputs.removeFirst() {
      case .send(let packet):
        guard stream != nil else { continue }
        unread += packet
        note(packet, isReceived: true)
      case .scan(let window): ask(.scan(window))
      case .attempt(let attempt): ask(.attempt(attempt))
      case .link(let connection, let request): ask(.link(connection, request))
      case .dataLength(let length): ask(.dataLength(length))
      case .withdraw(let set):
        forget(set)
      case .replacePackets(let set, let packets):
        if let id = advertisements[set] { ask(.replacePackets(id, packets)) }
      case .advertise(let set, let packets, let lifetime, let events):
        // An event that was due at the withdrawal may have ended the set.
        guard controller.advertiser.sets[set]?.isEnabled == true else { continue }
        let id = air.assumeIsolated { $0.newAdvertisement() }
        advertisements[set] = id
        ask(.advertise(id, packets, lifetime: lifetime, events: events))
      }
    }
    isCarryingOut = false
    setTimer()
    writeRecords()
    openTerminal()
    guard unread.count <= Self.maximumUnread else {
      unread = []
      return detach(because: "the host does not read what the controller sends")
    }
    flush()
  }

  /// - Parameter packet: with its octet of H4.
  private func note(_ packet: @autoclosure () -> [UInt8], isReceived: Bool) {
    if capture != nil, stream != nil {
      records += BtsnoopFile.record(packet(), isReceived: isReceived, at: time)
    }
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

  private func setTimer() {
    guard let deadline = controller.deadline else { return timer = nil }
    timer = loop.schedule(after: max(.zero, deadline - now)) { [weak self] in self?.assumeIsolated { $0.tick() } }
  }

  private func tick() {
    advanceTime { $0.timeOfDay }
    carryOut(controller.tick(at: now))
  }

  private func advanceTime(_ next: (isolated SharedAir) -> Duration) {
    if capture != nil { time = max(time, air.assumeIsolated(next)) }
  }

  private var now: Duration { loop.now }

  private func ask(_ request: LinkLayerRequest) {
    air.assumeIsolated { [adapter] in $0.run(.linkLayer(adapter, request)) }
  }

  /// Ignores actions of a host, because the adapter has no host of the air.
  package nonisolated func receive(_ action: AirAction) {
    if case .linkLayer(_, let event) = action { assumeIsolated { $0.take(event) } }
  }

  private func take(_ event: LinkLayerEvent) {
    advanceTime { $0.timeOfLastEvent }
    // A connection may have begun in the turn in which the host left.
    guard stream != nil else {
      if case .connected(let id, _) = event { ask(.link(id, .disconnect(.poweredOff))) }
      return
    }
    switch event {
    case .received(let advertisement): carryOut(controller.received(advertisement, at: now))
    case .advertisementReleased(let id, let events):
      guard let set = advertisements.first(where: { $0.value == id })?.key else { return }
      forget(set)
      carryOut(controller.released(set, after: events, at: now))
    case .connected(let id, let opening): connected(id, opening)
    case .link(let id, let notice): carryOut(controller.notice(notice, of: id, at: now))
    case .poweredOff, .advertising, .advertisementRefused, .connectFailed, .rssi: break
    }
  }

  private func forget(_ set: UInt8) {
    guard let id = advertisements[set] else { return }
    // A connection to the set that is due is made first, and finds it.
    ask(.withdraw(id))
    advertisements[set] = nil
  }

  private func connected(_ id: ConnectionID, _ opening: LinkOpening) {
    let set = advertisements.first { $0.value == opening.advertisement }?.key
    if let set { forget(set) }
    carryOut(
      controller.connected(
        id, to: opening.peer, from: opening.own, opening.parameters,
        set: opening.isCentral ? nil : set ?? HCIAdvertiser.legacyHandle, at: now))
  }

  package func close() {
    isClosed = true
    detach()
    (listener, timer, opening) = (nil, nil, nil)
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
