import ArgumentParser
import BleperaPropertyLists

struct ConvertCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Convert a property list between text, XML and binary.",
    discussion: """
      Without --to, an output file named *.xml, *.txt or *.bplist is XML, text or binary; otherwise text becomes XML, \
      and XML and binary become text. Comments are kept between text and XML, and lost in the binary form, which has \
      none. In a profile and in a scenario, text has numbers and booleans as the key asks (Interval = 0.5); \
      elsewhere they have their type (<*R0.5>), as GNUstep writes them.

        blepera convert scenarios/whole-mask.plist
        blepera convert --to xml profile.plist -o Info.plist

      The exit status is 2 if the file has an error or the form cannot represent a value.
      """)

  @Argument(
    help: ArgumentHelp("A property list: a profile, a scenario or any other.", valueName: "file"),
    completion: .file())
  var file: String

  @Option(help: ArgumentHelp("The form to write: xml, binary or text.", valueName: "form"))
  var to: PropertyListForm?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The file to write, which must not exist unless it is the converted one (default: standard output).",
      valueName: "file"),
    completion: .file())
  var output: String?

  func run() async throws {
    let errors = Terminal(.error)
    let bytes: [UInt8]
    do throws(ProfileFile.Unreadable) {
      bytes = try ProfileFile(path: file).read()
    } catch {
      errors.print("\(error)")
      throw ExitCode.faultyInput
    }
    let isInPlace = output == file
    if let output, !isInPlace { try OutputFile(path: output).checkIsFree() }
    let conversion = Conversion(bytes, file: file, to: to, named: output)
    for diagnostic in conversion.diagnostics { errors.print(DiagnosticText(terminal: errors).line(diagnostic)) }
    for reason in conversion.refusals { CommandFailure.report("\(file): \(reason)") }
    guard let result = conversion.result else { throw ExitCode.faultyInput }
    if let note = conversion.note { errors.print("\(file): \(note)") }
    guard let output else {
      guard conversion.form != .binary || !Terminal(.output).isTerminal else {
        throw CommandFailure.exit("a terminal cannot show the binary form; name a file with -o")
      }
      return Terminal(.output).write(result)
    }
    try isInPlace ? OutputFile(path: output).replace(result) : OutputFile(path: output).create(result)
  }
}

extension PropertyListForm: ExpressibleByArgument {}
