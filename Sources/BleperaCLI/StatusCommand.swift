import ArgumentParser
import Control

struct StatusCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show a running 'blepera serve': apps, states, what is on the air, subscribers.")

  @Flag(help: "Print it as a JSON object on one line.")
  var json = false

  @OptionGroup var system: SystemOptions

  var request: ControlRequest { ControlRequest(.status) }

  func run() throws {
    guard let status = try ask(request).status else { return }
    let output = Terminal(.output)
    if json {
      output.print(StatusText.json(status))
    } else {
      for line in StatusText(terminal: output).lines(status) { output.print(line) }
    }
  }
}
