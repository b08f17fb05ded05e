import BleperaBluetooth
import BleperaHCIProtocol

/// A command that the controller performs.
struct HCICommand: Sendable {
  let opcode: HCIOpcode
  let place: HCICommandPlace?
  /// The number of octets that the command returns after its status, which are 0 where it fails.
  let returns: Int
  let kind: Kind
  /// Whether the command excludes the commands of the other kind.
  let isExclusive: Bool
  let isStatus: Bool
  let perform: @Sendable (inout HCIController, [UInt8]) throws(HCIError) -> [UInt8]

  /// Commands of legacy and of extended advertising and scanning exclude each other (7.8, "Legacy and extended").
  enum Kind: Sendable {
    case common
    case legacy
    case extended
    /// A command of BR/EDR.
    case classic
  }

  init<Parameters, Returns>(
    returning type: HCICommandType<Parameters, Returns>, _ kind: Kind = .common, isExclusive: Bool = true,
    perform: @escaping @Sendable (inout HCIController, Parameters) throws(HCIError) -> Returns
  ) {
    (opcode, place, isStatus) = (type.opcode, type.place, type.isStatus)
    (self.kind, returns) = (kind, Returns().bytes.count)
    self.isExclusive = (kind == .legacy || kind == .extended) && isExclusive
    self.perform = { controller, bytes throws(HCIError) in try perform(&controller, Parameters(bytes)).bytes }
  }

  /// Creates a command that returns its status alone.
  init<Parameters>(
    _ type: HCI.Simple<Parameters>, _ kind: Kind = .common, isExclusive: Bool = true,
    perform: @escaping @Sendable (inout HCIController, Parameters) throws(HCIError) -> Void
  ) {
    self.init(returning: type, kind, isExclusive: isExclusive) {
      controller, parameters throws(HCIError) -> HCINothing in
      try perform(&controller, parameters)
      return HCINothing()
    }
  }

  /// The commands that Supported Commands names, and Read Local Supported Commands itself, which has no bit.
  static let all: [HCICommand] =
    start + advertising + extendedAdvertising + scanning + connections + privacy + classic

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
