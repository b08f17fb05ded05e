import ArgumentParser
import Control
import EventLoop
import Glibc
import Preservation

struct SystemCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "system",
    abstract: "Run the emulated phone by itself; apps come and go.",
    discussion: """
      'blepera serve' starts a phone where none runs, so this is for containers and service managers. The phone has the \
      radio, what apps have published, and what is preserved of them; it stays until Ctrl-C, SIGTERM or \
      'blepera shutdown', and leaves its state on disk for the next one.
      """)

  @OptionGroup var system: SystemOptions
  @OptionGroup var radio: RadioOptions

  @Flag(help: "Print each event as a JSON object on one line.")
  var json = false

  /// Started by `serve`: it ends when it has nothing left to do, and says once that it is ready, or why not.
  @Flag(help: .hidden)
  var detached = false

  func run() async throws {
    let errors = Terminal(.error)
    var options = SystemSession.Options()
    options.radio = radio.radio
    options.rules = radio.rules
    options.staleLimit = radio.staleLimit
    options.linger = detached || radio.linger != nil ? radio.lingerLimit : nil
    let session = SystemSession(
      printer: EventPrinter(isJSON: json, stream: detached ? .error : .output), options: options)
    let failure: String?
    do {
      let folder = try StateFolder(name: system.name)
      failure = try await session.run(folder, at: try system.address) {
        guard detached else { return }
        Terminal(.output).print(SystemStarter.ready)
        // Nobody reads it any more.
        dup2(STDERR_FILENO, STDOUT_FILENO)
      }
    } catch {
      failure = "\(error)"
    }
    guard let failure else { return }
    if detached { Terminal(.output).print(failure) }
    errors.print("\(errors.styled("error:", .red)) \(failure)")
    throw ExitCode(1)
  }
}
