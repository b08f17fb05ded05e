import ArgumentParser

struct PreservedShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "All that is kept of an app: services, handles, advertisement, subscribers.")

  @Argument(help: ArgumentHelp("The app's bundle identifier, restoration identifier or name.", valueName: "identifier"))
  var app: String

  @OptionGroup var system: SystemOptions

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() throws {
    let found = try PreservedFile(system).find(app)
    PreservedReport([found], isWhole: true).print(on: Terminal(.output), asJSON: json)
  }
}
