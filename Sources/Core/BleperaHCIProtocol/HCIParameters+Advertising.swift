package import BleperaBluetooth

/// The parameters of LE Set Advertising Parameters (7.8.5).
package struct HCIAdvertisingParameters: HCIParameters {
  /// The least and the greatest interval, in units of 0.625 ms.
  package var least: UInt16 = 0x0800
  package var most: UInt16 = 0x0800
  /// 0 connectable and scannable, 1 and 4 directed, 2 scannable, 3 neither.
  package var type: UInt8 = 0
  package var ownType: UInt8 = 0
  package var peer = DeviceAddress(bits: 0)
  package var channels: UInt8 = 7
  package var policy: UInt8 = 0

  package init() {}
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.number(&least)
    try coder.number(&most)
    try coder.number(&type, in: 0...4)
    try coder.number(&ownType, in: 0...3)
    try coder.typedAddress(&peer)
    try coder.number(&channels, in: 1...7)
    try coder.number(&policy, in: 0...3)
  }
}

/// Data of legacy packets: a length and 31 octets, of which the first ones are data.
package struct HCILegacyData: HCIParameters {
  package var data: [UInt8] = []
  package static let longest = 31

  package init() {}
  package init(_ data: [UInt8]) { self.data = data }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    var length = UInt8(clamping: data.count)
    try coder.number(&length, in: 0...UInt8(Self.longest))
    try coder.octets(&data, Self.longest)
    data = Array(data.prefix(Int(length)))
  }
}

package struct HCISetAddress: HCIParameters {
  package var set: UInt8 = 0
  package var address = DeviceAddress(bits: 0, isRandom: true)

  package init() {}
  package init(_ set: UInt8, _ address: DeviceAddress) { (self.set, self.address) = (set, address) }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.number(&set, in: 0...0xEF)
    try coder.address(&address, isRandom: true)
  }
}

/// The parameters of LE Set Extended Advertising Parameters (7.8.53).
package struct HCISetParameters: HCIParameters {
  package struct Properties: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }
    package static let connectable = Self(rawValue: 1 << 0)
    package static let scannable = Self(rawValue: 1 << 1)
    package static let directed = Self(rawValue: 1 << 2)
    package static let highDuty = Self(rawValue: 1 << 3)
    package static let legacy = Self(rawValue: 1 << 4)
    package static let anonymous = Self(rawValue: 1 << 5)
    package static let power = Self(rawValue: 1 << 6)
  }

  package var set: UInt8 = 0
  package var properties: Properties = []
  /// In units of 0.625 ms.
  package var least = 0x800
  package var most = 0x800
  package var channels: UInt8 = 7
  package var ownType: UInt8 = 0
  package var peer = DeviceAddress(bits: 0)
  package var policy: UInt8 = 0
  /// In dBm; 127 for no preference.
  package var power: UInt8 = 0x7F
  package var primary: UInt8 = 1
  package var skip: UInt8 = 0
  package var secondary: UInt8 = 1
  package var identifier: UInt8 = 0
  package var isNotified = false

  package init() {}
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.number(&set, in: 0...0xEF)
    var raw = properties.rawValue
    try coder.number(&raw)
    properties = Properties(rawValue: raw)
    try coder.number24(&least)
    try coder.number24(&most)
    try coder.number(&channels, in: 1...7)
    try coder.number(&ownType, in: 0...3)
    try coder.typedAddress(&peer)
    try coder.number(&policy, in: 0...3)
    try coder.number(&power)
    try coder.number(&primary)
    try coder.number(&skip)
    try coder.number(&secondary)
    try coder.number(&identifier, in: 0...0x0F)
    try coder.flag(&isNotified)
  }
}

/// Version 2, with the options of both PHYs.
package struct HCISetParametersV2: HCIParameters {
  package var parameters = HCISetParameters()
  package var primaryOptions: UInt8 = 0
  package var secondaryOptions: UInt8 = 0

  package init() {}
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try parameters.code(&coder)
    try coder.number(&primaryOptions)
    try coder.number(&secondaryOptions)
  }
}

/// Whole data of a set, or a fragment (7.8.54).
package struct HCISetData: HCIParameters {
  /// 0 a middle fragment, 1 the first, 2 the last, 3 whole, 4 unchanged.
  package var operation: UInt8 = 3
  package var set: UInt8 = 0
  /// Whether the controller should not fragment.
  package var isUnfragmented = true
  package var data: [UInt8] = []
  /// The most data in one command.
  package static let longest = 251

  package init() {}
  package init(_ set: UInt8, operation: UInt8 = 3, _ data: [UInt8]) {
    (self.set, self.operation, self.data) = (set, operation, data)
  }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.number(&set, in: 0...0xEF)
    try coder.number(&operation, in: 0...4)
    try coder.flag(&isUnfragmented)
    try coder.data(&data)
  }
}

/// The sets that are switched on or off; none with off for all.
package struct HCISetsEnable: HCIParameters {
  package struct Entry: HCIParameters {
    package var set: UInt8 = 0
    /// In units of 10 ms; 0 for no limit.
    package var duration: UInt16 = 0
    /// 0 for no limit.
    package var events: UInt8 = 0

    package init() {}
    package init(_ set: UInt8) { self.set = set }
    package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
      try coder.number(&set, in: 0...0xEF)
      try coder.number(&duration)
      try coder.number(&events)
    }
  }

  package var isOn = false
  package var sets: [Entry] = []

  package init() {}
  package init(_ isOn: Bool, _ sets: [UInt8]) { (self.isOn, self.sets) = (isOn, sets.map { Entry($0) }) }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.flag(&isOn)
    try coder.list(&sets)
  }
}
