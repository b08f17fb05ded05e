import ArgumentParser

struct PreservedListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "A line for each app: its identifier, what became of it, and what is kept.")

  @OptionGroup var system: SystemOptions

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() throws {
    PreservedReport(try PreservedFile(system).apps, isWhole: false).print(on: Terminal(.output), asJSON: json)
  }
}
