import ArgumentParser
import Glibc
import Profile

struct CloneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clone",
    abstract: "Write a profile from a device: connect to it and read what can be read.",
    usage: "blepera clone <address> [<options>]",
    discussion: """
      The profile has the device's services, characteristics, descriptors, the values that can be read, and what it \
      advertises. Values of characteristics that can only be read are cached ones; others are echoed or stay as they \
      were read. Comments say what could not be read and what an app cannot have. A value that needs an encrypted link \
      has bluetoothd pair with the device, which stays paired; others bluetoothd forgets again. 'blepera scan' shows \
      addresses; in a lab:

        blepera lab --serve profiles/smart-lock.plist -- \\
          blepera clone 00:AA:01:00:00:01 --output clone.plist

      The exit status is 1 if the device cannot be heard or read, and 130 after Ctrl-C.
      """)

  @Argument(
    help: ArgumentHelp("The device's address, such as 00:11:22:33:44:55.", valueName: "address"),
    transform: CloneCommand.address)
  var address: String

  @Option(
    help: ArgumentHelp(
      "The file to be written, which must not be there yet; by default standard output.", valueName: "file"))
  var output: String?

  @Option(help: ArgumentHelp("The adapter to be used; by default the first that is powered on.", valueName: "hciN"))
  var adapter: String?

  @Option(help: ArgumentHelp("How long the device is looked for.", valueName: "seconds"))
  var seconds = 30

  func validate() throws {
    guard (1...86400).contains(seconds) else {
      throw ValidationError("'--seconds \(seconds)' is not between 1 and 86400 seconds.")
    }
  }

  func run() async throws {
    let errors = Terminal(.error)
    // Nobody wants to wait for a device and then hear that.
    if let output { try checkIsFree(output) }
    let session = CloneSession(address: address, adapter: adapter, limit: .seconds(seconds)) { note in
      errors.print(errors.styled(note, .dim))
    }
    let device: ClonedDevice
    do throws(CloneSession.Failure) {
      device = try await session.run()
    } catch {
      switch error {
      case .interrupted: throw ExitCode(130)
      case .reason(let reason): throw CommandFailure.of(reason)
      }
    }
    let text = ClonedProfile(device: device).text
    for diagnostic in Profile.check(Array(text.utf8), file: output ?? "profile").diagnostics {
      errors.print(DiagnosticText(terminal: errors).line(diagnostic))
    }
    try write(text)
    let rest = device.failures == 0 ? "" : "; \(device.failures) of its values could not be read, see the comments"
    errors.print(errors.styled("Cloned \(device.counts)\(rest).", .dim))
  }

  private func checkIsFree(_ output: String) throws {
    guard unsafe access(output, F_OK) != 0 else {
      throw CommandFailure.of("\(output) is there already; name another file, or remove it")
    }
    let folder = output.lastIndex(of: "/").map { String(output[...$0]) } ?? "."
    guard unsafe access(folder, W_OK) == 0 else { throw failure(output) }
  }

  private func write(_ text: String) throws {
    guard let output else { return Terminal(.output).print(String(text.dropLast())) }
    guard let file = unsafe fopen(output, "wx") else { throw failure(output) }
    let bytes = Array(text.utf8)
    let count = unsafe fwrite(bytes, 1, bytes.count, file)
    guard unsafe fclose(file) == 0, count == bytes.count else { throw failure(output) }
  }

  private func failure(_ output: String) -> ExitCode {
    CommandFailure.of("\(output) cannot be written: \(unsafe String(cString: strerror(errno)))")
  }

  @Sendable private static func address(_ text: String) throws -> String {
    let parts = text.uppercased().split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 6, parts.allSatisfy({ $0.count == 2 && $0.allSatisfy { $0.isASCII && $0.isHexDigit } }) else {
      throw ValidationError("expected an address such as 00:11:22:33:44:55")
    }
    return parts.joined(separator: ":")
  }
}
