import ArgumentParser
import BleperaCLI
import BleperaPropertyLists

struct ConvertCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Convert a property list to text or XML.",
    discussion: """
      Without --to, text becomes XML, and XML and binary become text. Comments are left out. In a profile and in a \
      scenario, text has numbers and booleans as the key asks (Interval = 0.5); elsewhere they have their type (<*R0.5>), \
      as GNUstep writes them.

        blepera convert scenarios/whole-mask.plist
        blepera convert --to xml profile.plist -o Info.plist

      The exit status is 2 if the file has an error or the form cannot represent a value.
      """)

  @Argument(
    help: ArgumentHelp("A property list: a profile, a scenario or any other; - for standard input.", valueName: "file"),
    completion: .file())
  var file: String

  @Option(
    help: ArgumentHelp(
      "The form to write; from XML, plutil and plistutil make the binary one.", valueName: "form"))
  var to: PropertyListWriter.Form?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file to write, which must not exist (default: standard output).", valueName: "file"),
    completion: .file())
  var output: String?

  func validate() throws {
    guard output?.hasSuffix(".bplist") == true else { return }
    throw ValidationError(
      "the binary form is not written; convert to XML, and that with 'plutil -convert binary1' or 'plistutil -f bin'")
  }

  func run() async throws {
    let errors = Terminal(.error)
    let bytes: [UInt8]
    do throws(ProfileFile.Unreadable) {
      bytes = try ProfileFile(path: file).read()
    } catch {
      errors.print("\(error)")
      throw ExitCode.faultyInput
    }
    if let output { try OutputFile(path: output).checkIsFree() }
    let conversion = Conversion(bytes, file: file, to: to)
    for diagnostic in conversion.diagnostics { errors.print(DiagnosticText(terminal: errors).line(diagnostic)) }
    for reason in conversion.refusals { CommandFailure.report("\(file): \(reason)") }
    guard let result = conversion.result else { throw ExitCode.faultyInput }
    guard let output else { return Terminal(.output).write(result) }
    try OutputFile(path: output).create(result)
  }
}

extension PropertyListWriter.Form: ExpressibleByArgument {}
