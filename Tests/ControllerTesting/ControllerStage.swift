package import BleperaAir
package import BleperaBluetooth
package import BleperaController
package import BleperaHCI
package import BleperaHCIProtocol
import BleperaHost
package import BleperaHostRadio
package import BleperaLoop

/// The link layer below a phone's host.
package enum LinkLayerKind: String, CaseIterable, Sendable {
  /// The air itself.
  case air
  /// A controller of the air, by HCI.
  case controller
  /// A controller without extended advertising.
  case legacyController

  package static let controllers: [Self] = [.controller, .legacyController]
}

/// A phone's adapter over a controller of an air, in one process.
package final class ControllerStage: Sendable {
  package let line: ControllerLine
  package let adapter: ControllerAdapter

  /// Adds the controller to the air as its next adapter; call on the loop.
  package init(
    loop: VirtualLoop, air: SharedAir, phone: PhoneHost, identity: PhoneIdentity? = nil, isLegacy: Bool = false,
    seed: UInt64 = 1, tap: ControllerAdapter.Tap? = nil
  ) {
    let controller = AirController(loop: loop, air: air, name: "controller", isLegacy: isLegacy, seed: seed)
    let line = ControllerLine(controller)
    self.line = line
    controller.assumeIsolated { $0.start() }
    adapter = ControllerAdapter(
      loop: loop, name: controller.adapter.description, phone: phone, identity: identity, tap: tap
    ) { completion in
      line.assumeIsolated { completion($0.open()) }
    }
    adapter.assumeIsolated { $0.open() }
  }
}

/// The streams in memory between a host and a controller of an air, one after the other.
package actor ControllerLine: LoopActor {
  package nonisolated let controller: AirController
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe controller.unownedExecutor }
  package nonisolated var isOnLoop: Bool { controller.isOnLoop }

  private var stream: MemoryStream?
  private var reader = H4Reader()
  private var unread: ArraySlice<UInt8> = []
  /// Whether the controller can be opened.
  private var isThere = true
  /// The packets of the host that the controller is given.
  private var passes: @Sendable (H4Reader.Packet) -> Bool = { _ in true }
  /// How often the controller was opened.
  package private(set) var openings = 0

  init(_ controller: AirController) { self.controller = controller }

  package func open() -> Result<any ByteStream, ControllerFailure> {
    guard isThere else { return .failure(.test) }
    openings += 1
    let (own, other) = MemoryStream.pair(on: controller.loop)
    (stream, reader, unread) = (own, H4Reader(), [])
    let send = callback { $0.send($1) }
    controller.assumeIsolated { $0.attach(send) }
    wait()
    return .success(other)
  }

  /// Takes the controller away from its host.
  package func unplug() {
    isThere = false
    end()
  }

  package func plug() { isThere = true }

  package func pass(_ passes: @escaping @Sendable (H4Reader.Packet) -> Bool) { self.passes = passes }

  private func end() {
    guard let stream else { return }
    self.stream = nil
    stream.close()
    controller.assumeIsolated { $0.detach() }
  }

  private func send(_ packets: [[UInt8]]) {
    for packet in packets { unread += packet }
    flush()
  }

  private func flush() {
    while let stream, !unread.isEmpty, let count = stream.write(unread), count > 0 { unread = unread.dropFirst(count) }
  }

  private func wait() {
    stream?.wait(for: unread.isEmpty ? .reading : [.reading, .writing], callback { $0.proceed() })
  }

  private func proceed() {
    guard let stream else { return }
    flush()
    guard let bytes = stream.read(upTo: 1 << 12) else { return end() }
    reader.append(bytes)
    while let packet = try? reader.next() {
      if passes(packet) { controller.assumeIsolated { $0.receive(packet) } }
    }
    wait()
  }
}

extension ControllerFailure {
  package static let test = ControllerFailure(.unix(path: "controller"), .timeout)
}
