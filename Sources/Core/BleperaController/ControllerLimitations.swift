import BleperaBluetooth
import BleperaHCIProtocol
package import BleperaRadio

/// The abilities of an iPhone's controller that another controller lacks.
extension RadioLimitation {
  private struct Row: Sendable {
    let limitation: RadioLimitation
    let applies: @Sendable (ControllerDescription) -> Bool

    init(
      _ id: String, rule: String, iPhone: String, instead: String,
      where applies: @escaping @Sendable (ControllerDescription) -> Bool
    ) {
      limitation = RadioLimitation(id: id, iPhone: iPhone, instead: instead, rule: rule)
      self.applies = applies
    }
  }

  private static let rows = [
    Row(
      "advertising-sets", rule: "R3", iPhone: "An iPhone sends its own packets beside those of apps.",
      instead: "The packets take turns: the controller has one advertising set (LE Read Number Of Supported "
        + "Advertising Sets)."
    ) { $0.sets < 2 },
    Row(
      "extended-advertising", rule: "R16", iPhone: "An iPhone's scan receives extended advertisements.",
      instead: "The scan receives legacy advertisements alone: the controller has no LE Set Extended Scan Enable."
    ) { !$0.isExtended },
    Row(
      "data-length", rule: "R17", iPhone: "The controllers of a link exchange the data length.",
      instead: "A packet has 27 bytes at most, unless the other side asks: the controller has no LE Set Data Length."
    ) { !$0.has(.dataLength) },
    Row(
      "parameter-request", rule: "R17",
      iPhone: "An iPhone's link layer takes a peripheral's request for other connection parameters.",
      instead: "Only requests by L2CAP are taken: the controller has no LE Remote Connection Parameter Request Reply."
    ) { !$0.has(.parameterRequest) },
  ]

  /// The limitations that a controller may have without a refusal of a command.
  package static let ofControllers = rows.map(\.limitation)

  /// The limitations of a controller, and one for each command that it has not performed.
  static func limitations(
    of controller: ControllerDescription, refusing refusals: [ControllerRefusal]
  ) -> [RadioLimitation] {
    rows.filter { $0.applies(controller) }.map(\.limitation)
      + refusals.map { refusal in
        let code = Hex.string([UInt8(refusal.opcode >> 8), UInt8(refusal.opcode & 0xFF)])
        let name = HCIOpcode(rawValue: refusal.opcode).map { " (\($0.name))" } ?? ""
        return RadioLimitation(
          id: "command-\(code)", iPhone: "An iPhone's controller performs every command that the phone sends.",
          instead: "\(refusal)\(name)")
      }
  }
}

extension HCIOpcode {
  /// `LE Set Data Length`.
  package var name: String {
    var words = ""
    for character in "\(self)" {
      if character.isUppercase, words.last?.isUppercase == false { words += " " }
      words.append(character)
    }
    return words.hasPrefix("le ") ? "LE" + words.dropFirst(2) : words.prefix(1).uppercased() + words.dropFirst()
  }
}
