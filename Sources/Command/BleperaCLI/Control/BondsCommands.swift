import ArgumentParser
import BleperaAppLink
import BleperaBluetooth
import BleperaSessions

struct BondsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bonds",
    abstract: "List or forget the bonds of a running phone.",
    discussion: """
      A bond is the keys that the phone shares with a central or a peripheral. Each side can lose its keys; the phone \
      reports which side has, once it has noticed.
      """,
    subcommands: [BondsListCommand.self, BondsForgetCommand.self], defaultSubcommand: BondsListCommand.self)
}

struct BondsListCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the devices with which the phone shares keys.")

  @OptionGroup var system: PhoneName

  @Flag(help: "Print a JSON object on one line.")
  var json = false

  var request: ControlRequest { ControlRequest(.status) }

  func run() async throws {
    BondsReport(bonds: try await ask().status?.bonds ?? []).print(on: Terminal(.output), asJSON: json)
  }
}

struct BondsForgetCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Forget a device, as the user does in Settings.",
    usage: "blepera bonds forget [<options>] <device>\n       blepera bonds forget --all [<options>]",
    discussion: """
      The phone deletes its keys of the device and ends the connection; the device keeps its own keys. The phone pairs \
      again when it needs an encrypted link. Over BlueZ, bluetoothd removes the device; '--all' removes those that \
      have bonded since the phone's start, because the others belong to the computer.
      """)

  @Argument(help: ArgumentHelp("The device's address or name.", valueName: "device"))
  var device: String?

  @Flag(help: "Forget all devices, as a reset of the network settings does.")
  var all = false

  @OptionGroup var system: PhoneName

  func validate() throws {
    guard (device == nil) != all else { return }
    throw ValidationError(all ? "'--all' applies without a device." : "name a device, or all with '--all'.")
  }

  var request: ControlRequest { ControlRequest(.forgetBonds, device: device) }
}

/// The bonds of a phone. docs/schema/bonds.json describes the keys.
struct BondsReport: CommandReport {
  let bonds: [PhoneStatus.Bond]

  func lines(for terminal: Terminal) -> [String] {
    bonds.isEmpty
      ? ["No bonds."] : bonds.flatMap { Self.lines($0) }.map { $0.heading.isEmpty ? "  \($0.text)" : $0.text }
  }

  /// The bond, and its problem without a heading.
  static func lines(_ bond: PhoneStatus.Bond) -> [(heading: String, text: String)] {
    let parts = [bond.address, bond.name.map { Quote.text($0) }, bond.role, bond.isConnected ? "connected" : nil]
    return [("bond", parts.compactMap(\.self).joined(separator: "  "))] + (bond.advice.map { [("", $0)] } ?? [])
  }
}
