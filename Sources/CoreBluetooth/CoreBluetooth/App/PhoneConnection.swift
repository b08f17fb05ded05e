import BleperaAppLink
import BleperaPreservation
import Glibc

/// Finds the user's phone, or starts one.
enum PhoneConnection {
  /// The variable that has the phone's name, for several phones side by side.
  static let nameVariable = "BLEPERA_SYSTEM"
  /// The variable that selects the radio of a phone that the app starts: `virtual`, otherwise BlueZ.
  static let radioVariable = "BLEPERA_RADIO"
  /// The variable that has the path of `blepera`; without it, PATH is searched.
  static let programVariable = "BLEPERA_PROGRAM"

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  static func open(startsPhone: Bool) throws -> AppSocket {
    let environment = ProcessInfo.processInfo.environment
    let address = try ControlAddress(name: environment[nameVariable] ?? ControlAddress.defaultName)
    if let socket = try connect(address, orStarts: startsPhone) { return socket }
    try start(address, environment)
    return AppSocket(try address.connect())
  }

  /// Connects to the phone; nil if no phone runs and the app may start one.
  private static func connect(_ address: ControlAddress, orStarts startsPhone: Bool) throws -> AppSocket? {
    do throws(ControlFailure) {
      return AppSocket(try address.connect())
    } catch {
      if startsPhone, case .notRunning = error { return nil }
      throw error
    }
  }

  /// Starts `blepera system` as a process of its own, and returns when apps can connect.
  private static func start(_ address: ControlAddress, _ environment: [String: String]) throws {
    let program = try findProgram(environment)
    let radio = environment[radioVariable] ?? ""
    guard radio.isEmpty || radio == "virtual" || radio.hasPrefix("bluez") else {
      throw Failure(description: "\(radioVariable) is '\(radio)'; it can be 'virtual', or unset for BlueZ")
    }
    let process = Process()
    // The phone outlives the app: Ctrl-C in the app's terminal is not for the phone.
    process.executableURL = URL(fileURLWithPath: "/usr/bin/setsid")
    process.arguments = [program] + address.startArguments + (radio == "virtual" ? ["--virtual"] : [])
    let output = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    let folder = try StateFolder(name: address.name)
    try folder.prepare()
    let log = StateFolder.openLog(folder.systemLog)
    process.standardError = log >= 0 ? FileHandle(fileDescriptor: log, closeOnDealloc: true) : FileHandle.nullDevice
    try process.run()
    try? output.fileHandleForWriting.close()
    guard let line = firstLine(of: output.fileHandleForReading, within: startTimeout) else {
      process.terminate()
      throw Failure(description: "the phone does not respond; see \(folder.systemLog)")
    }
    guard line != ControlAddress.ready else { return }
    throw Failure(description: line.isEmpty ? "\(program) ended without a reason; try '\(program) system'" : line)
  }

  /// The timeout of the phone's start, as for `blepera serve`; the creation of the app's first manager waits for it.
  private static let startTimeout = Duration.seconds(20)

  /// The text before the first line feed or the end of the file; nil after the time limit.
  static func firstLine(of file: FileHandle, within limit: Duration) -> String? {
    let end = ContinuousClock.now + limit
    var line: [UInt8] = []
    while true {
      var poll = pollfd(fd: file.fileDescriptor, events: Int16(POLLIN), revents: 0)
      let rest = max(.zero, ContinuousClock.now.duration(to: end))
      let count = unsafe Glibc.poll(&poll, 1, CInt(clamping: Int64((rest / .milliseconds(1)).rounded(.up))))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      guard let byte = try? file.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") else { break }
      line.append(byte)
    }
    return String(decoding: line, as: UTF8.self)
  }

  private static func findProgram(_ environment: [String: String]) throws -> String {
    if let program = environment[programVariable] { return program }
    let folders = (environment["PATH"] ?? "").split(separator: ":")
    let candidates = folders.map { "\($0)/blepera" }
    guard let program = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
      throw Failure(
        description: """
          no phone runs, and 'blepera', which starts one, is not in PATH; install it, start 'blepera system' yourself, or \
          give its path in \(programVariable)
          """)
    }
    return program
  }
}
