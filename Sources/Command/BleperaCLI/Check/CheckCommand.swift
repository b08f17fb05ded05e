import ArgumentParser
import BleperaBluetooth
import BleperaProfile
package import BleperaPropertyLists
import BleperaRules
import Glibc

struct CheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check profiles, accessories and phone files.",
    usage: "blepera check [<options>] <file> ...",
    discussion: """
      Each diagnostic is a line in the form that compilers use:

        FILE:LINE:COLUMN: error: KEY PATH: found ..., expected ...

      In a binary property list the line is 1 and the column counts bytes. The exit status is 2 if any file has an error, \
      otherwise 0; warnings do not count.
      """)

  @Argument(
    help: ArgumentHelp("A property list; a folder for all in it, - for standard input.", valueName: "file"),
    completion: .propertyList)
  var files: [String]

  @OptionGroup var output: CheckOptions

  @Flag(help: "Check again whenever a file changes, until Ctrl-C.")
  var watch = false

  func validate() throws {
    if watch, files.contains("-") { throw ValidationError("'--watch' requires files; standard input does not change.") }
  }

  func run() async throws {
    let errors = Terminal(.error)
    if watch { ExitCode.succeedAtInterrupt() }
    while true {
      let paths = ProfileFile.paths(files)
      let times = paths.map(Self.changeTime)
      let reports = paths.map { CheckReport(ProfileFile(path: $0), coloredFor: errors) }
      output.print(reports, json: CheckReports(files: reports).json)
      guard watch else {
        if reports.contains(where: { $0.summary == nil }) { throw ExitCode.faultyInput }
        return
      }
      repeat {
        try await Task.sleep(for: Self.watchInterval)
      } while ProfileFile.paths(files).map(Self.changeTime) == times
      if !output.isMachineReadable { errors.print(errors.styled("checking again", .dim)) }
    }
  }

  private static let watchInterval = Duration.milliseconds(250)

  /// The inode, since an editor may replace the file, and the time of the last change in seconds and nanoseconds.
  private static func changeTime(_ path: String) -> [Int] {
    var info = stat()
    guard unsafe stat(path, &info) == 0 else { return [] }
    return [Int(info.st_ino), info.st_mtim.tv_sec, info.st_mtim.tv_nsec]
  }
}

/// The result of `blepera check`.
struct CheckReports: CommandReport {
  let files: [CheckReport]

  func lines(for terminal: Terminal) -> [String] { files.flatMap(\.faults) + files.compactMap(\.summary) }
}

/// The result of `blepera check` for one file.
struct CheckReport: CheckedFile, Equatable, Encodable {
  let file: String
  let diagnostics: [DiagnosticEntry]
  /// The number of services; nil if the profile has an error.
  let services: Int?
  let characteristics: Int?
  /// The number of values of a phone file.
  let values: Int?
  /// A line for each diagnostic, or the reason why the file cannot be read.
  let faults: [String]
  /// A line that describes the profile; nil if it has an error.
  let summary: String?

  private enum CodingKeys: CodingKey {
    case file, diagnostics, services, characteristics, values
  }

  init(_ file: ProfileFile, coloredFor terminal: Terminal) {
    self.file = file.path
    do throws(ProfileFile.Unreadable) {
      let bytes = try file.read()
      guard DocumentKind(of: bytes) != .phone else {
        let check = MeasuredPhone.check(bytes, file: file.path)
        diagnostics = check.diagnostics.map(DiagnosticEntry.init)
        (services, characteristics) = (nil, nil)
        values = check.phone?.values.count
        faults = check.diagnostics.map { DiagnosticText(terminal: terminal).line($0) }
        summary = check.phone.map { "\(file.path): no errors: \(Quote.counted($0.values.count, "value")) of a phone" }
        return
      }
      values = nil
      let found: [Diagnostic]
      var (profile, text): (Profile?, String?) = (nil, nil)
      if let check = Profile.checkInfoPlist(bytes, file: file.path) {
        (found, text) = (check.diagnostics, check.profile.map(Self.summary(ofInfoPlist:)))
      } else if DocumentKind(of: bytes) == .accessory {
        let check = AccessoryDescription.check(bytes, file: file.path)
        (found, profile) = (check.diagnostics, check.accessory?.profile)
      } else {
        let check = Profile.check(bytes, file: file.path)
        (found, profile) = (check.diagnostics, check.profile)
      }
      diagnostics = found.map(DiagnosticEntry.init)
      services = profile?.services.count
      characteristics = profile?.services.reduce(0) { $0 + $1.characteristics.count }
      faults = found.map { DiagnosticText(terminal: terminal).line($0) }
      summary = (text ?? profile.map(Self.summary(of:))).map { "\(file.path): \($0)" }
    } catch {
      diagnostics = [DiagnosticEntry(unreadable: error)]
      (services, characteristics, values) = (nil, nil, nil)
      faults = ["\(error)"]
      summary = nil
    }
  }

  /// The use of a file that is no profile: its identifier and its Bluetooth background modes.
  private static func summary(ofInfoPlist app: Profile) -> String {
    let identifier = app.bundleIdentifier ?? Profile.executable
    let modes = [AppIdentity.centralBackgroundMode, AppIdentity.peripheralBackgroundMode]
      .filter(app.backgroundModes.contains)
    return "no errors: the Info.plist of an app that imports CoreBluetooth, for BLEPERA_INFO_PLIST: "
      + "identifier \(identifier)"
      + (identifier.contains(Profile.executable) ? " (\(Profile.executable): the name of the executable)" : "")
      + ", \(modes.isEmpty ? "no Bluetooth background mode" : modes.joined(separator: " and ")). "
      + "A profile has BLEPeripheral or BLECentral, too."
  }

  /// `no errors: 2 services, 5 characteristics`.
  private static func summary(of profile: Profile) -> String {
    let characteristics = profile.services.reduce(0) { $0 + $1.characteristics.count }
    let services = Quote.counted(profile.services.count, "service")
    let peripheral = "\(services), \(Quote.counted(characteristics, "characteristic"))"
    let central = profile.central.map {
      "a central with \(Quote.counted($0.characteristics.count, "characteristic"))"
    }
    let hasServices = !profile.services.isEmpty || profile.central == nil
    return "no errors: " + [hasServices ? peripheral : nil, central].compactMap(\.self).joined(separator: "; ")
  }
}

/// A diagnostic in JSON.
package struct DiagnosticEntry: Equatable, Encodable {
  let file: String
  /// `error` or `warning`.
  let severity: String
  /// The line; nil if the file cannot be read.
  let line: Int?
  let column: Int?
  let message: String

  /// The keys without `file`: the object around the list has the file, except for a profile of a scenario.
  private enum CodingKeys: CodingKey {
    case severity, line, column, message
  }

  package init(_ diagnostic: Diagnostic) {
    let place = "\(diagnostic.file):\(diagnostic.line):\(diagnostic.column): \(diagnostic.severity.rawValue): "
    file = diagnostic.file
    severity = diagnostic.severity.rawValue
    line = diagnostic.line
    column = diagnostic.column
    message = String("\(diagnostic)".dropFirst(place.count))
  }

  package init(unreadable error: ProfileFile.Unreadable) {
    file = error.path
    severity = "error"
    (line, column) = (nil, nil)
    message = error.reason
  }
}
