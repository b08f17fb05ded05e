import BleperaAppLink
package import BleperaEventLoop
import BleperaLoop
package import BleperaSessions
import Synchronization

/// A key of the terminal of `serve`.
enum Key: Hashable, Sendable {
  case command(ControlRequest.Command)
  /// Locks or unlocks the screen.
  case screen
  /// Connects the central of `serve --virtual`.
  case connect
  /// Lets the central of `serve --virtual` write.
  case write
  case quit
  case help

  init?(_ byte: UInt8) {
    guard let entry = Self.table.first(where: { $0.key == byte }) else { return nil }
    self = entry.means
  }

  /// The text of `?`.
  static func list(hasCentral: Bool) -> [String] {
    table.filter { hasCentral || ![.connect, .write].contains($0.means) }.map { entry in
      "  \(Character(UnicodeScalar(entry.key)))  \(entry.text)"
    } + ["  Ctrl-C quits too."]
  }

  private static let table: [(key: UInt8, means: Key, text: String)] = [
    (UInt8(ascii: "f"), .command(.foreground), "move the apps to the foreground"),
    (UInt8(ascii: "b"), .command(.background), "move the apps to the background"),
    (UInt8(ascii: "s"), .command(.suspend), "suspend the apps"),
    (UInt8(ascii: "t"), .command(.terminate), "terminate the apps, as the system does"),
    (UInt8(ascii: "l"), .screen, "lock or unlock the screen"),
    (UInt8(ascii: "c"), .connect, "connect the central now"),
    (UInt8(ascii: "w"), .write, "let the central write"),
    (UInt8(ascii: "q"), .quit, "quit"),
    (UInt8(ascii: "?"), .help, "list the keys"),
  ]
}

/// Controls a session by the keys of its terminal.
package final class KeyboardControls: Sendable {
  private let printer: EventPrinter
  private let hasCentral: Bool
  private let reader = Mutex<KeyReader?>(nil)

  init(printer: EventPrinter, hasCentral: Bool) {
    self.printer = printer
    self.hasCentral = hasCentral
  }

  /// Runs the session, whose actor is on the loop; keys are read unless JSON is printed.
  package func control<Result: Sendable>(
    _ session: some ControllableSession, on loop: EventLoop, run: () async throws -> Result
  ) async throws -> Result {
    guard !printer.isJSON else { return try await run() }
    let reader = KeyReader(loop: loop) { [weak session] byte in
      guard let session else { return }
      guard let key = Key(byte) else {
        // Line feeds and other bytes without a visible character are ignored.
        if (33...126).contains(byte) {
          self.printer.hint("'\(Character(UnicodeScalar(byte)))' is not a key; ? lists the keys.")
        }
        return
      }
      session.assumeIsolated { self.press(key, $0) }
    }
    self.reader.withLock { $0 = reader }
    await reader?.start()
    do {
      let result = try await run()
      await reader?.stop()
      return result
    } catch {
      await reader?.stop()
      throw error
    }
  }

  /// Ends the process at once, with the terminal restored; called on the session's loop.
  @Sendable package func endProcess(_ end: ProcessEnd) -> Never {
    reader.withLock { $0 }?.assumeIsolated { $0.stop() }
    ProcessEnd.perform(end)
  }

  private func press(_ key: Key, _ session: isolated some ControllableSession) {
    switch key {
    case .command(let command): session.perform(command)
    case .screen: session.toggleScreen()
    case .connect:
      if session.connectCentral() == false { printer.hint("The central discovers no peripheral.") }
    case .write:
      if session.writeFromCentral() == false { printer.hint("The central discovers no peripheral.") }
    case .quit: session.interrupt()
    case .help: for line in Key.list(hasCentral: hasCentral) { printer.hint(line) }
    }
  }
}
