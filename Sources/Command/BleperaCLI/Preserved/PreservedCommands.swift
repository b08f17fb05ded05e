import ArgumentParser
import BleperaAppLink
import BleperaBluetooth
import BleperaPreservation
import BleperaSessions

struct PreservedCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "preserved",
    abstract: "Show or remove the preserved state of apps.",
    discussion: """
      The services, advertisement and subscribers of apps with a restoration identifier are preserved on disk, whether \
      the phone runs or not.
      """,
    subcommands: [PreservedListCommand.self, PreservedShowCommand.self, PreservedForgetCommand.self],
    defaultSubcommand: PreservedListCommand.self)
}

struct PreservedListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List preserved apps with their termination cause and preserved state.")

  @OptionGroup var system: PreservedPhone

  @Flag(help: "Print a JSON object on one line.")
  var json = false

  func run() async throws {
    PreservedReport(try await PreservedFile.of(system).apps, isWhole: false).print(on: Terminal(.output), asJSON: json)
  }
}

struct PreservedShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show the preserved state of an app: services, handles, advertisement, subscribers.",
    usage: "blepera preserved show [<options>] <identifier>")

  @Argument(help: ArgumentHelp("The app's bundle identifier, restoration identifier or name.", valueName: "identifier"))
  var app: String

  @OptionGroup var system: PreservedPhone

  @Flag(help: "Print a JSON object on one line.")
  var json = false

  func run() async throws {
    let found = try await PreservedFile.of(system).find(app)
    PreservedReport([found], isWhole: true).print(on: Terminal(.output), asJSON: json)
  }
}

struct PreservedForgetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Remove the preserved state of an app that does not run: it is no longer advertised or relaunched.")

  @Argument(help: ArgumentHelp("The app's bundle identifier, restoration identifier or name.", valueName: "identifier"))
  var app: String

  @OptionGroup var system: PreservedPhone

  func run() async throws {
    let file = try await PreservedFile.of(system)
    let found = try file.find(app)
    let identifier = found.identity.bundleIdentifier
    let reply: ControlReply
    do throws(ControlFailure) {
      reply = try await ControlConnection.ask(ControlRequest(.forget, app: identifier), at: try system.address)
    } catch {
      // Without a phone, no other process uses the file.
      guard case .notRunning = error else { throw CommandFailure.exit("\(error)") }
      return try file.forget(identifier)
    }
    if let error = reply.error { throw CommandFailure.exit(error) }
  }
}

/// Selects the phone whose state is on disk.
struct PreservedPhone: ParsableArguments {
  @OptionGroup var system: PhoneName

  @Flag(
    name: .customLong("virtual"),
    help: "The phone of --virtual, where no phone of the name runs; a phone that runs needs no option.")
  var isVirtual = false

  var address: ControlAddress {
    get throws(ControlFailure) { try system.address }
  }
}

/// The preserved state of a phone on disk. A running phone reports its folder; a phone that does not run has left its
/// state in the folder with its name.
struct PreservedFile {
  private let store: FilePreservationStore
  private let state: PreservedState
  var apps: [PreservedApp] { state.apps }

  static func of(_ phone: PreservedPhone) async throws -> PreservedFile {
    var folder: StateFolder?
    do throws(ControlFailure) {
      let status = try await ControlConnection.ask(ControlRequest(.status), at: try phone.address).status
      folder = status?.stateFolder.flatMap { StateFolder(path: $0) }
    } catch {
      guard case .notRunning = error else { throw CommandFailure.exit("\(error)") }
    }
    do throws(PreservationFailure) {
      if let folder { return try PreservedFile(folder) }
      return try PreservedFile(try StateFolder(name: phone.system.name, isVirtual: phone.isVirtual))
    } catch {
      throw CommandFailure.exit("\(error)")
    }
  }

  private init(_ folder: StateFolder) throws(PreservationFailure) {
    store = FilePreservationStore(folder: folder)
    state = try store.read()
  }

  func find(_ name: String) throws -> PreservedApp {
    let found = apps.first { app in
      ([app.identity.bundleIdentifier, app.identity.name] + app.managers.compactMap(\.id.restoreIdentifier)).contains(
        name)
    }
    if let found { return found }
    let known = apps.map(\.identity.bundleIdentifier).joined(separator: ", ")
    throw CommandFailure.exit(
      "no preserved app: '\(name)'. Preserved apps: \(known.isEmpty ? "none" : known).")
  }

  func forget(_ identifier: String) throws {
    var rest = state
    rest.apps.removeAll { $0.identity.bundleIdentifier == identifier }
    do throws(PreservationFailure) {
      try store.save(rest)
    } catch {
      throw CommandFailure.exit("\(error)")
    }
  }
}
