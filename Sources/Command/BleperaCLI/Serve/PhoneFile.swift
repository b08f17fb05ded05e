package import ArgumentParser
import BleperaBluetooth
import BleperaProfile
import BleperaPropertyLists
package import BleperaRules
import Glibc

/// The phone file of `--like`, which is read while the command line is parsed.
package struct PhoneFile: ExpressibleByArgument {
  package static let help = ArgumentHelp("Emulate what is measured of a phone.", valueName: "file")

  /// The path, absolute if the file exists, since the phone's process may have another working directory.
  package let path: String
  /// The phone; nil if the file has an error.
  package let phone: MeasuredPhone?
  /// A line for each diagnostic, or the reason that the file cannot be read.
  private let faults: [String]

  package init?(argument: String) {
    let resolved = unsafe realpath(argument, nil)
    path = unsafe resolved.map { unsafe String(cString: $0) } ?? argument
    unsafe free(resolved)
    do throws(ProfileFile.Unreadable) {
      let bytes = try ProfileFile.read(
        argument, atMost: ProfileFile.maximumLength, what: "\(DocumentKind.phone)", form: "a property list")
      let check = MeasuredPhone.check(bytes, file: argument)
      phone = check.phone
      let errors = DiagnosticText(terminal: Terminal(.error))
      faults = check.diagnostics.map { errors.line($0) }
    } catch {
      (phone, faults) = (nil, ["\(error)"])
    }
  }

  /// Prints the diagnostics, and throws the exit status if the file has an error.
  package func validate() throws(ExitCode) {
    for line in faults { Terminal(.error).print(line) }
    if phone == nil { throw ExitCode.faultyInput }
  }
}

extension RuleSet {
  /// The rule set of the options: the version's rule set with the changes of the kind and the file.
  init(_ ios: IOSVersion?, _ kind: PhoneKindName?, like file: PhoneFile?) {
    let (version, phone) = (ios ?? file?.phone?.ios ?? .newest, file?.phone)
    let kind = kind?.kind ?? phone?.kind(running: version) ?? .earlier
    self = RuleSet(version).with(phoneKind: kind).with(phone)
  }
}
