import BleperaBluetooth
import BleperaHCIProtocol
import BleperaHost
import BleperaHostRadio
import BleperaLoop
package import BleperaRadio

/// The stream to a controller, and the packets that the stream has not taken.
struct ControllerConnection: Sendable {
  var stream: (any ByteStream)?
  var reader = H4Reader()
  /// Whole packets where the stream takes whole packets; one run of bytes otherwise.
  private var unwritten: [ArraySlice<UInt8>] = []
  private var unwrittenCount = 0
  /// Whether the controller has answered all commands of the start.
  var isReady = false
  /// Distinguishes an opening from earlier ones.
  var turn = 0
  var opening: (any LoopTimer)?
  /// The time of the last opening.
  var opened = Duration.zero
  var isClosed = false
  /// Waits for the end of the start; nil once the start has ended.
  var starting: CheckedContinuation<RadioFailure?, Never>?

  /// How much is kept for a controller that does not read, in bytes; ours.
  private static let most = 1 << 20

  var readiness: Readiness { unwritten.isEmpty ? .reading : [.reading, .writing] }

  mutating func begin(_ stream: any ByteStream) {
    (self.stream, reader, unwritten, unwrittenCount) = (stream, H4Reader(), [], 0)
  }

  mutating func add(_ packet: [UInt8], isPacketed: Bool) {
    guard stream != nil else { return }
    if isPacketed || unwritten.isEmpty { unwritten.append(packet[...]) } else { unwritten[0] += packet }
    unwrittenCount += packet.count
  }

  /// Writes what the stream takes.
  ///
  /// - Returns: why the controller is lost, a sentence; nil where it is not.
  mutating func flush() -> String? {
    guard let stream, !unwritten.isEmpty else { return nil }
    var whole = 0
    while whole < unwritten.count {
      guard let count = stream.write(unwritten[whole]) else { return "the controller has closed the connection" }
      unwrittenCount -= count
      unwritten[whole] = unwritten[whole].dropFirst(count)
      guard unwritten[whole].isEmpty else { break }
      whole += 1
    }
    unwritten.removeFirst(whole)
    return unwrittenCount > Self.most ? "the controller does not read what the phone sends" : nil
  }

  /// Reads the packets that have arrived, and why the controller is lost: a sentence, or nil where it is not.
  mutating func read(isPacketed: Bool) -> (packets: [H4Reader.Packet], fault: String?) {
    var packets: [H4Reader.Packet] = []
    // A read of a packet socket takes one packet.
    for _ in 0..<(isPacketed ? Self.packetsAtOnce : 1) {
      guard let bytes = stream?.read(upTo: Self.chunk) else {
        return (packets, "the controller has closed the connection")
      }
      guard !bytes.isEmpty else { break }
      reader.append(bytes)
      do throws(H4Reader.Fault) {
        while let packet = try reader.next() { packets.append(packet) }
      } catch {
        return (packets, "the controller has sent \(error)")
      }
    }
    return (packets, nil)
  }

  private static let chunk = 1 << 12
  private static let packetsAtOnce = 16
}

/// The stream to the controller: its opening, its packets and its end.
extension ControllerAdapter {
  /// The least time from one attempt to open the controller to the next; ours. A controller that was ready is opened
  /// again at once: while a channel of the kernel is open, the number of its adapter is given to no other, and an adapter
  /// that is plugged in again would be hci1.
  private static let pause = Duration.seconds(1)
  /// The time for links to end at `close`; ours.
  private static let farewell = Duration.seconds(1)

  /// Opens the controller, and returns once it is ready.
  ///
  /// - Throws: why the controller could not be opened or started the first time; then the adapter is closed.
  package func start() async throws(RadioFailure) {
    let failure = await withCheckedContinuation { continuation in
      connection.starting = continuation
      open()
    }
    if let failure { throw failure }
  }

  /// Opens the controller, and again each second until the controller is ready.
  package func open() {
    guard !connection.isClosed else { return }
    connection.turn += 1
    connection.opened = loop.now
    // The timer must not be released by its own callback.
    let (turn, timer) = (connection.turn, connection.opening)
    opener(callback { $0.opened($1, in: turn) })
    withExtendedLifetime(timer) {}
  }

  private func opened(_ result: Result<any ByteStream, ControllerFailure>, in turn: Int) {
    switch result {
    case .success(let stream):
      guard turn == connection.turn, !connection.isClosed else { return stream.close() }
      connection.begin(stream)
      opened()
      wait()
    case .failure(let failure):
      guard turn == connection.turn else { return }
      removed(RadioFailure("\(failure)", isFinal: failure.isFinal))
    }
  }

  private func wait() { connection.stream?.wait(for: connection.readiness, callback { $0.proceed() }) }

  private func proceed() {
    guard connection.stream != nil else { return }
    let (packets, fault) = connection.read(isPacketed: isPacketed)
    received(packets, then: fault)
    wait()
  }

  /// Writes the packets of a turn.
  func flush() {
    if let reason = connection.flush() { return lost(reason) }
    if connection.readiness.contains(.writing) { wait() }
  }

  /// The controller has answered all commands of the start.
  func isReady() {
    connection.isReady = true
    connection.starting?.resume(returning: nil)
    connection.starting = nil
    report(.added)
  }

  /// - Returns: whether there was a stream.
  func closeStream() -> Bool {
    guard let stream = connection.stream else { return false }
    connection.stream = nil
    stream.close()
    return true
  }

  /// The controller is gone, and the ends of its links are reported.
  func removed(because reason: String) {
    guard connection.isReady else { return removed(RadioFailure(reason)) }
    report(.removed(reason))
    connection.isReady = false
    open()
  }

  private func removed(_ failure: RadioFailure) {
    guard !connection.isClosed else { return }
    if let starting = connection.starting {
      (connection.starting, connection.isClosed) = (nil, true)
      return starting.resume(returning: failure)
    }
    guard !failure.isFinal else { return }
    let delay = max(.zero, connection.opened + Self.pause - loop.now)
    connection.opening = loop.schedule(after: delay, callback { $0.open() })
  }

  /// Takes everything off the air, and closes the controller; takes at most a second.
  package func close() async {
    run(.power(false))
    let end = loop.now + Self.farewell
    while connection.isReady, !layer.isIdle, loop.now < end {
      do { try await loop.sleep(for: .milliseconds(10)) } catch { break }
    }
    connection.isClosed = true
    connection.add(HCILinkLayer.reset, isPacketed: isPacketed)
    _ = connection.flush()
    lost("the phone has closed the controller")
  }
}

extension HCILinkLayer {
  /// Reset, with its octet of H4.
  static let reset = ControllerCommand(HCI.reset, HCINothing(), for: .start(.reset)).packet

  /// Whether the controller has answered everything, and no link is left.
  var isIdle: Bool { commands.isFree && links.isEmpty }
}
