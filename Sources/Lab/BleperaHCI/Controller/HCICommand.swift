import BleperaBluetooth
import BleperaHCIProtocol

/// A command of a controller.
struct HCICommand: Sendable {
  let opcode: HCIOpcode
  /// The octet and the bit of the command in Supported Commands (Core Specification, Vol 4, Part E, 6.27).
  let place: (octet: Int, bit: Int)?
  /// The number of octets that the command returns after its status, which are 0 where it fails.
  let returns: Int
  let kind: Kind
  /// Whether the command excludes the commands of the other kind.
  let isExclusive: Bool
  /// Whether the command is answered with Command Status, and an event follows.
  let isStatus: Bool
  let perform: @Sendable (inout HCIController, inout HCIFields) throws(HCIError) -> [UInt8]

  /// Commands of legacy and of extended advertising and scanning exclude each other (7.8, "Legacy and extended").
  enum Kind: Sendable {
    case common
    case legacy
    case extended
    /// A command of BR/EDR.
    case classic
  }

  init(
    _ opcode: HCIOpcode, _ place: (Int, Int)?, _ kind: Kind = .common, isExclusive: Bool = true, returns: Int = 0,
    isStatus: Bool = false,
    perform: @escaping @Sendable (inout HCIController, inout HCIFields) throws(HCIError) -> [UInt8]
  ) {
    (self.opcode, self.kind, self.returns, self.isStatus) = (opcode, kind, returns, isStatus)
    self.isExclusive = (kind == .legacy || kind == .extended) && isExclusive
    self.perform = perform
    self.place = place.map { (octet: $0.0, bit: $0.1) }
  }

  /// The commands that Supported Commands names, and Read Local Supported Commands itself, which has no bit.
  static let all: [HCICommand] =
    start + advertising + extendedAdvertising + scanning + connections + privacy
    + classic

  private static let byOpcode = Dictionary(uniqueKeysWithValues: all.map { ($0.opcode, $0) })

  static func find(_ opcode: UInt16) -> HCICommand? { HCIOpcode(rawValue: opcode).flatMap { byOpcode[$0] } }

  func isKnown(to controller: HCIController) -> Bool {
    switch kind {
    case .common, .legacy: true
    case .extended: !controller.isLegacy
    case .classic: controller.isDual
    }
  }

  static func mask(of controller: HCIController) -> [UInt8] {
    var mask = [UInt8](repeating: 0, count: 64)
    for command in all where command.isKnown(to: controller) {
      if let place = command.place { mask[place.octet] |= 1 << place.bit }
    }
    return mask
  }
}
