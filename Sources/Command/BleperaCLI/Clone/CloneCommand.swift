import ArgumentParser
import BleperaProfile
import BleperaSessions

struct CloneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clone",
    abstract: "Write a profile of a device that is in range.",
    usage: "blepera clone <address> [<options>]",
    discussion: """
      The profile contains the device's services, characteristics, descriptors, readable values and advertisement. \
      Values of read-only characteristics are cached values; others are echoed or constant. Comments list the values \
      that could not be read and the attributes that an app cannot publish. For a value that requires an encrypted link, \
      bluetoothd pairs with the device, which stays paired; an unpaired device is removed from bluetoothd afterwards. \
      'blepera scan' lists addresses; in a lab:

        blepera lab --public-address --serve profiles/smart-lock.plist -- \\
          blepera clone 00:AA:01:00:00:01 --output clone.plist

      The exit status is 1 if the device cannot be discovered or read, and 130 after Ctrl-C.
      """)

  @Argument(
    help: ArgumentHelp("The device's address, such as 00:11:22:33:44:55.", valueName: "address"),
    transform: CloneCommand.address)
  var address: String

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file to write, which must not exist (default: standard output).", valueName: "file"),
    completion: .propertyList)
  var output: String?

  @Option(help: ArgumentHelp("The adapter to use (default: the first that is powered on).", valueName: "hciN"))
  var adapter: String?

  @Option(help: ArgumentHelp("How long to scan for the device.", valueName: "seconds"))
  var seconds = 30

  func validate() throws {
    guard (1...86400).contains(seconds) else {
      throw ValidationError.outOfRange("--seconds", "1 to 86400", Double(seconds))
    }
  }

  func run() async throws {
    let errors = Terminal(.error)
    // Fail before the device is cloned.
    if let output { try OutputFile(path: output).checkIsFree() }
    OutputQueues.begin(.error)
    let session = CloneSession(
      address: address, adapter: adapter, limit: .seconds(seconds), endProcess: ProcessEnd.perform
    ) { note in
      errors.print(errors.styled(note, .dim))
    }
    let device: ClonedDevice
    do throws(CloneSession.Failure) {
      device = try await session.run()
    } catch {
      switch error {
      case .interrupted: throw ExitCode(130)
      case .reason(let reason): throw CommandFailure.exit(reason)
      }
    }
    let text = ClonedProfile(device: device).text
    for diagnostic in Profile.check(Array(text.utf8), file: output ?? "profile").diagnostics {
      errors.print(DiagnosticText(terminal: errors).line(diagnostic))
    }
    try write(text)
    let rest = device.failures == 0 ? "" : "; \(device.failures) values could not be read, see the comments"
    errors.print(errors.styled("Cloned \(device.counts)\(rest).", .dim))
  }

  private func write(_ text: String) throws {
    guard let output else { return Terminal(.output).print(text: text) }
    try OutputFile(path: output).create(Array(text.utf8))
  }

  @Sendable private static func address(_ text: String) throws -> String {
    let parts = text.uppercased().split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 6, parts.allSatisfy({ $0.count == 2 && $0.allSatisfy { $0.isASCII && $0.isHexDigit } }) else {
      throw ValidationError("expected an address such as 00:11:22:33:44:55")
    }
    return parts.joined(separator: ":")
  }
}
