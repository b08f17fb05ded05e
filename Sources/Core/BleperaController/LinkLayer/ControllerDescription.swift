import BleperaBluetooth
package import BleperaHCIProtocol
package import BleperaRadio

/// A controller as its answers at the start describe it.
package struct ControllerDescription: Hashable, Sendable, CustomStringConvertible {
  package internal(set) var version = HCIVersion()
  /// The LE features (Core Specification, Vol 6, Part B, 4.6).
  package internal(set) var features: UInt64 = 0
  /// The commands that the controller names, which need not be those that it answers.
  package internal(set) var commands = HCICommandMask()
  /// The length of the data in a packet to the controller in bytes, and how many packets the controller keeps.
  package internal(set) var buffers = HCIBufferSize(length: 27, packets: 1)
  /// How many advertisements are on the air at a time; 1 without extended advertising.
  package internal(set) var sets = 1
  /// Whether the commands of extended advertising are used for advertising, scans and connections.
  package internal(set) var isExtended = false
  /// The longest data of an advertisement in bytes.
  package internal(set) var longestData = HCILegacyData.longest

  package init() {}

  package func names<Parameters, Returns>(_ command: HCICommandType<Parameters, Returns>) -> Bool {
    command.place?.isNamed(in: commands.octets) == true
  }

  package func has(_ feature: Feature) -> Bool { features >> feature.rawValue & 1 == 1 }

  /// A feature by its bit (Core Specification, Vol 6, Part B, 4.6).
  package enum Feature: Int, Sendable {
    case parameterRequest = 1
    case dataLength = 5
    case privacy = 6
    case extendedAdvertising = 12
  }

  /// The version of the Core Specification (Assigned Numbers, 2.1).
  package var versionName: String {
    let names: [UInt8: String] = [
      6: "4.0", 7: "4.1", 8: "4.2", 9: "5.0", 10: "5.1", 11: "5.2", 12: "5.3", 13: "5.4", 14: "6.0", 15: "6.1",
    ]
    return names[version.hci] ?? "version \(version.hci)"
  }

  /// The controller as users see it.
  package var summary: RadioController {
    RadioController(
      version: versionName, company: Hex.string([UInt8(version.company >> 8), UInt8(version.company & 0xFF)]),
      buffers: Int(buffers.packets), bufferLength: Int(buffers.length), sets: sets, extended: isExtended)
  }

  package var description: String { "\(summary)" }
}

/// A command that a controller has not performed.
package struct ControllerRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Reason: Hashable, Sendable {
    /// An error code of controllers (Core Specification, Vol 1, Part F, 1.3).
    case status(UInt8)
    case unanswered
    /// The controller's list has room for that many devices.
    case room(for: Int, of: Int)
    /// The controller has no packets of that kind or length.
    case unsupported
    /// The controller allows no further command.
    case withoutCredits
  }

  package let opcode: UInt16
  package let reason: Reason

  package init(_ opcode: UInt16, _ reason: Reason) { (self.opcode, self.reason) = (opcode, reason) }

  /// - Parameter status: nil for a command that was not answered.
  package init(_ opcode: UInt16, status: UInt8?) { self.init(opcode, status.map { .status($0) } ?? .unanswered) }

  package var status: UInt8? { if case .status(let status) = reason { status } else { nil } }

  package var description: String {
    let command = Hex.string([UInt8(opcode >> 8), UInt8(opcode & 0xFF)])
    return switch reason {
    case .status(let status): "the controller refuses command \(command) with error \(Hex.string([status]))"
    case .unanswered: "the controller does not answer command \(command)"
    case .room(let room, let count): "the controller waits for \(room) of \(count) devices: its list has no more room"
    case .unsupported: "the controller has no packets for that advertisement"
    case .withoutCredits: "the controller allows no further command after \(command)"
    }
  }
}
