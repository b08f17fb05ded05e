import ArgumentParser
import BleperaAppLink
import BleperaEventLoop
import BleperaLoop
import Glibc

struct EventsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "events",
    abstract: "Print the events of a running phone as they happen.",
    discussion: """
      The first events describe the current state. Where the output is not read, events are omitted, and counted.
      """)

  @OptionGroup var app: AppOptions
  @OptionGroup var system: PhoneName

  @Flag(help: "Print each event as a JSON object on one line.")
  var json = false

  func run() async throws {
    let printer = EventPrinter(isJSON: json)
    let failure = await EventWatch().run(at: system, app: app.app, printer)
    printer.finish()
    if let failure { throw CommandFailure.exit(failure) }
  }
}

/// Prints the events of a phone.
private actor EventWatch {
  private nonisolated let loop = EventLoop(name: "blepera events")
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  /// Returns the reason that the phone cannot be watched, a sentence; nil when the phone has ended, or after a signal.
  func run(at system: PhoneName, app: String?, _ printer: EventPrinter) async -> String? {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let sources = loop.watchTermination { _ in end.finish() }
    defer { withExtendedLifetime(sources) {} }
    do throws(ControlFailure) {
      let connection = try ControlConnection(loop: loop, address: try system.address) { events in
        switch events {
        case .record(let record): printer.print(record, at: Timestamp(date: record.time) ?? .now)
        case .lines(let lines): printer.print(lines)
        }
      } ended: {
        end.finish()
      }
      let reply = try await connection.ask(ControlRequest(.events, apps: app.map { [$0] }, isText: printer.onlyPrints))
      if let error = reply.error { return error }
      for await _ in ends {}
      connection.close()
    } catch {
      return "\(error)"
    }
    return nil
  }
}
