package import BleperaAir

/// The kind of radio of a story's phones and centrals: `.virtual`, or those that `BleperaTestingBlueZ` adds.
public struct Radio: Sendable {
  /// Equal for equal radios, such as `virtual` and `bluez:hci0,hci1`.
  private let name: String
  package let isVirtual: Bool
  package let makeBackend: @Sendable (_ seed: UInt64, _ conditions: AirConditions) -> any Backend

  package init(
    _ name: String, isVirtual: Bool = false,
    makeBackend: @escaping @Sendable (_ seed: UInt64, _ conditions: AirConditions) -> any Backend
  ) {
    self.name = name
    self.isVirtual = isVirtual
    self.makeBackend = makeBackend
  }

  /// An air within the process, on a virtual clock.
  public static let virtual = Radio("virtual", isVirtual: true) { VirtualBackend(seed: $0, conditions: $1) }

  /// A virtual air whose clock is no faster than real time, for hosts outside the process.
  package static let paced = Radio("virtual, in real time", isVirtual: true) {
    VirtualBackend(seed: $0, conditions: $1, isPaced: true)
  }
}

extension Radio: Hashable, CustomStringConvertible {
  public static func == (left: Radio, right: Radio) -> Bool { left.name == right.name }
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  public var description: String { name }
}
