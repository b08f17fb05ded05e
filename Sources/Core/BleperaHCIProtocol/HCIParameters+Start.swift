package import BleperaBluetooth

/// The values that Read Local Version Information returns: the numbers of versions are those of Assigned Numbers, 2.1.
package struct HCIVersion: HCIParameters {
  package var hci: UInt8 = 0
  package var hciRevision: UInt16 = 0
  package var lmp: UInt8 = 0
  /// The identifier of the company (Assigned Numbers, 7).
  package var company: UInt16 = 0
  package var lmpRevision: UInt16 = 0

  package init() {}
  package init(_ version: UInt8, company: UInt16) { (hci, lmp, self.company) = (version, version, company) }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.number(&hci)
    try coder.number(&hciRevision)
    try coder.number(&lmp)
    try coder.number(&company)
    try coder.number(&lmpRevision)
  }
}

/// Supported Commands.
package typealias HCICommandMask = HCIFixed<64>

/// The public device address.
package struct HCIPublicAddress: HCIParameters {
  package var address = DeviceAddress(bits: 0)

  package init() {}
  package init(_ address: DeviceAddress) { self.address = address }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.address(&address, isRandom: false)
  }
}

/// The length of the data in an ACL packet in octets, and the number of packets.
package struct HCIBufferSize: HCIParameters {
  package var length: UInt16 = 0
  package var packets: UInt8 = 0

  package init() {}
  package init(length: UInt16, packets: UInt8) { (self.length, self.packets) = (length, packets) }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.number(&length)
    try coder.number(&packets)
  }
}

package struct HCIRandomAddress: HCIParameters {
  package var address = DeviceAddress(bits: 0, isRandom: true)

  package init() {}
  package init(_ address: DeviceAddress) { self.address = address }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) { try coder.address(&address, isRandom: true) }
}

/// A device of the filter accept list.
package struct HCIAcceptListEntry: HCIParameters {
  /// Nil for devices that advertise anonymously.
  package var address: DeviceAddress?

  package init() {}
  package init(_ address: DeviceAddress?) { self.address = address }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    var type: UInt8 = address.map { $0.isRandom ? 1 : 0 } ?? 0xFF
    try coder.number(&type)
    guard type <= 1 || type == 0xFF else { throw .invalidParameters }
    var address = address ?? DeviceAddress(bits: 0)
    try coder.address(&address, isRandom: type == 1)
    self.address = type <= 1 ? address : nil
  }
}

/// The type and the address of a device.
package struct HCITypedAddress: HCIParameters {
  package var address = DeviceAddress(bits: 0)

  package init() {}
  package init(_ address: DeviceAddress) { self.address = address }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) { try coder.typedAddress(&address) }
}

/// An identity address with the keys of both sides; the keys have their least significant octet first, and zeros where
/// there is none.
package struct HCIResolvingListEntry: HCIParameters {
  package var identity = DeviceAddress(bits: 0)
  package var peerKey: UInt128 = 0
  package var ownKey: UInt128 = 0

  package init() {}
  package init(_ identity: DeviceAddress, peerKey: UInt128, ownKey: UInt128) {
    (self.identity, self.peerKey, self.ownKey) = (identity, peerKey, ownKey)
  }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.typedAddress(&identity)
    try coder.number(&peerKey)
    try coder.number(&ownKey)
  }
}

package struct HCIPrivacyMode: HCIParameters {
  package var identity = DeviceAddress(bits: 0)
  /// Device privacy mode, otherwise network privacy mode.
  package var isDeviceMode = false

  package init() {}
  package init(_ identity: DeviceAddress, isDeviceMode: Bool) {
    (self.identity, self.isDeviceMode) = (identity, isDeviceMode)
  }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.typedAddress(&identity)
    try coder.flag(&isDeviceMode)
  }
}

package struct HCIFlag: HCIParameters {
  package var isOn = false

  package init() {}
  package init(_ isOn: Bool) { self.isOn = isOn }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) { try coder.flag(&isOn) }
}

/// A key and a block, least significant octet first, unlike FIPS 197.
package struct HCIEncrypt: HCIParameters {
  package var key = HCIBlock()
  package var block = HCIBlock()

  package init() {}
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try key.code(&coder)
    try block.code(&coder)
  }
}

/// A block of AES, least significant octet first.
package typealias HCIBlock = HCIFixed<16>
