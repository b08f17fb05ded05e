import ArgumentParser
import BleperaBluetooth
import BleperaProfile

struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Write a commented profile of standard services.",
    usage: "blepera init [--central] [<service> ...] [--output <file>]",
    discussion: """
      The services: \(StandardService.all.map(\.name).joined(separator: ", ")).

        blepera init heart-rate -o heart.plist
        blepera serve --virtual heart.plist

      In a terminal without services, asks for them. A service that Core Bluetooth refuses to apps is left out, with a \
      note. With --central the app does not publish the services but uses those of a peripheral:

        blepera init --central heart-rate -o collector.plist
        blepera lab --serve collector.plist --accessory profiles/accessories/heart-strap.plist

      The exit status is 1 if nothing is left or the file cannot be written.
      """)

  @Argument(
    help: ArgumentHelp("Standard services by name.", valueName: "service"),
    completion: .list(StandardService.all.map(\.name)))
  var services: [String] = []

  @Flag(help: "Write an app that uses the services of a peripheral.")
  var central = false

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file to write, which must not exist (default: standard output).", valueName: "file"),
    completion: .propertyList)
  var output: String?

  func validate() throws { _ = try Self.services(named: services) }

  static func services(named names: [String]) throws(ValidationError) -> [StandardService] {
    var services: [StandardService] = []
    for name in names {
      guard let service = StandardService.named(name) else {
        let known = StandardService.all.map(\.name)
        let fix = NearestName.find(name, in: known).map { " Did you mean '\($0)'?" } ?? ""
        throw ValidationError("No service is named '\(name)'.\(fix) Known: \(known.joined(separator: ", ")).")
      }
      if !services.contains(where: { $0.name == name }) { services.append(service) }
    }
    return services
  }

  func run() async throws {
    let errors = Terminal(.error)
    if let output { try OutputFile(path: output).checkIsFree() }
    let answers = services.isEmpty ? try ask(errors) : Answers(services: try Self.services(named: services))
    let text = central ? answers.central.text : try profile(of: answers, errors)
    for diagnostic in Profile.check(Array(text.utf8), file: output ?? "profile").diagnostics {
      errors.print(DiagnosticText(terminal: errors).line(diagnostic))
    }
    guard let output else { return Terminal(.output).print(text: text) }
    try OutputFile(path: output).create(Array(text.utf8))
    let hint = central ? "lab --serve \(output) --accessory, with a file of a peripheral" : "serve --virtual \(output)"
    errors.print("Try it: blepera \(hint)")
  }

  /// The answers from which the profile is made.
  private struct Answers {
    var services: [StandardService]
    var name: String?
    var runsInBackground = true

    var central: NewCentral { NewCentral(services: services, name: name, runsInBackground: runsInBackground) }
  }

  private func profile(of answers: Answers, _ errors: Terminal) throws -> String {
    let profile = NewProfile(answers.services, name: answers.name, runsInBackground: answers.runsInBackground)
    for note in profile.notes { errors.print(note) }
    guard !profile.services.isEmpty else {
      throw CommandFailure.exit("an app can publish none of the services")
    }
    return profile.text
  }

  private func ask(_ terminal: Terminal) throws -> Answers {
    guard terminal.isTerminal else {
      let names = StandardService.all.map(\.name).joined(separator: ", ")
      CommandFailure.report("name a service: \(names)")
      throw ExitCode.validationFailure
    }
    terminal.print(
      TextLayout.wrapped("Services: \(StandardService.all.map(\.name).joined(separator: ", "))", to: terminal.columns))
    let names = answer("Which services, separated by spaces? [heart-rate] ", terminal) ?? "heart-rate"
    let services = try Self.services(named: names.split { $0 == " " || $0 == "," }.map(String.init))
    let suggestion = services.first { !$0.isRefused }?.device ?? "none"
    let name = answer(
      central ? "Which name has the peripheral? [any] " : "Which name to advertise? [\(suggestion)] ", terminal)
    let mode = answer("Does the app run in the background? [Y/n] ", terminal) ?? "y"
    return Answers(services: services, name: name, runsInBackground: !mode.lowercased().hasPrefix("n"))
  }

  /// Asks a question; nil for an empty line and at the end of the input.
  private func answer(_ question: String, _ terminal: Terminal) -> String? {
    terminal.write(Array(question.utf8))
    return readLine().flatMap { $0.isEmpty ? nil : $0 }
  }
}
