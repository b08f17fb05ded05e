package import BleperaBluetooth

/// The commands of BR/EDR that Linux sends (Core Specification, Vol 4, Part E, 7.1, 7.3 and 7.4).
extension HCI {
  package static let inquiry = Simple<HCIInquiry>(.inquiry, 0, 0, isStatus: true)
  package static let inquiryCancel = Simple<HCINothing>(.inquiryCancel, 0, 1)
  package static let createConnection = Simple<HCIClassicPage>(.createConnection, 0, 4, isStatus: true)
  package static let createConnectionCancel =
    HCICommandType<HCIPublicAddress, HCIPublicAddress>(.createConnectionCancel, 0, 7)
  /// The type of the filter; its conditions are not read.
  package static let setEventFilter = Simple<HCINumber<UInt8>>(.setEventFilter, 6, 0)
  package static let writeLocalName = Simple<HCIFixed<248>>(.writeLocalName, 7, 0)
  package static let readLocalName = Read<HCIFixed<248>>(.readLocalName, 7, 1)
  package static let writeConnectionAcceptTimeout = Simple<HCINumber<UInt16>>(.writeConnectionAcceptTimeout, 7, 3)
  package static let readPageTimeout = Read<HCINumber<UInt16>>(.readPageTimeout, 7, 4)
  package static let writePageTimeout = Simple<HCINumber<UInt16>>(.writePageTimeout, 7, 5)
  package static let readScanEnable = Read<HCINumber<UInt8>>(.readScanEnable, 7, 6)
  package static let writeScanEnable = Simple<HCINumber<UInt8>>(.writeScanEnable, 7, 7)
  package static let readPageScanActivity = Read<HCIFixed<4>>(.readPageScanActivity, 8, 0)
  package static let writePageScanActivity = Simple<HCIFixed<4>>(.writePageScanActivity, 8, 1)
  package static let readClassOfDevice = Read<HCIFixed<3>>(.readClassOfDevice, 9, 0)
  package static let writeClassOfDevice = Simple<HCIFixed<3>>(.writeClassOfDevice, 9, 1)
  package static let readVoiceSetting = Read<HCINumber<UInt16>>(.readVoiceSetting, 9, 2)
  package static let readNumberOfSupportedIAC = Read<HCINumber<UInt8>>(.readNumberOfSupportedIAC, 11, 2)
  package static let readCurrentIACLAP = Read<HCIAccessCodes>(.readCurrentIACLAP, 11, 3)
  package static let writeCurrentIACLAP = Simple<HCIAccessCodes>(.writeCurrentIACLAP, 11, 4)
  package static let readPageScanType = Read<HCINumber<UInt8>>(.readPageScanType, 13, 0)
  package static let writePageScanType = Simple<HCINumber<UInt8>>(.writePageScanType, 13, 1)
  package static let readExtendedInquiryResponse = Read<HCIFixed<241>>(.readExtendedInquiryResponse, 17, 0)
  package static let writeExtendedInquiryResponse = Simple<HCIFixed<241>>(.writeExtendedInquiryResponse, 17, 1)
  package static let readSimplePairingMode = Read<HCIFlag>(.readSimplePairingMode, 17, 5)
  package static let writeSimplePairingMode = Simple<HCIFlag>(.writeSimplePairingMode, 17, 6)
  package static let readLEHostSupport = Read<HCILEHostSupport>(.readLEHostSupport, 24, 5)
  package static let writeLEHostSupport = Simple<HCILEHostSupport>(.writeLEHostSupport, 24, 6)
  package static let readLocalExtendedFeatures =
    HCICommandType<HCINumber<UInt8>, HCIExtendedFeatures>(.readLocalExtendedFeatures, 14, 6)
  package static let readBufferSize = Read<HCIClassicBufferSize>(.readBufferSize, 14, 7)
}

package struct HCIInquiry: HCIParameters {
  package var accessCode = HCIFixed<3>()
  /// In units of 1.28 s.
  package var length: UInt8 = 1
  /// 0 for no limit.
  package var responses: UInt8 = 0

  package init() {}
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try accessCode.code(&coder)
    try coder.number(&length, in: 1...0x30)
    try coder.number(&responses)
  }
}

package struct HCIClassicPage: HCIParameters {
  package var peer = HCIPublicAddress()
  /// Packet types, page scan repetition mode, clock offset, role switch.
  package var rest = HCIFixed<7>()

  package init() {}
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try peer.code(&coder)
    try rest.code(&coder)
  }
}

/// The inquiry access codes.
package struct HCIAccessCodes: HCIParameters {
  package var codes = [HCIFixed<3>()]

  package init() {}
  package init(code: [UInt8]) { codes = [HCIFixed(octets: code)] }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) { try coder.list(&codes, in: 1...0x40) }
}

package struct HCILEHostSupport: HCIParameters {
  package var isOn = false

  package init() {}
  package init(_ isOn: Bool) { self.isOn = isOn }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.flag(&isOn)
    try coder.unused([0])
  }
}

/// The features of a page.
package struct HCIExtendedFeatures: HCIParameters {
  package var page: UInt8 = 0
  package var last: UInt8 = 1
  package var features: UInt64 = 0

  package init() {}
  package init(_ page: UInt8, _ features: UInt64) { (self.page, self.features) = (page, features) }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.number(&page)
    try coder.number(&last)
    try coder.number(&features)
  }
}

/// The lengths and the numbers of ACL and of synchronous packets.
package struct HCIClassicBufferSize: HCIParameters {
  package var length: UInt16 = 0
  package var synchronousLength: UInt8 = 0
  package var packets: UInt16 = 0
  package var synchronousPackets: UInt16 = 0

  package init() {}
  package init(length: UInt16, packets: UInt16) { (self.length, self.packets) = (length, packets) }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.number(&length)
    try coder.number(&synchronousLength)
    try coder.number(&packets)
    try coder.number(&synchronousPackets)
  }
}

package struct HCIInquiryComplete: HCIEventParameters {
  package static let code = HCIEventCode(0x01, bit: 0)
  package var status: UInt8 = 0

  package init() {}
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) { try coder.number(&status) }
}

/// Connection Complete, of BR/EDR.
package struct HCIClassicComplete: HCIEventParameters {
  package static let code = HCIEventCode(0x03, bit: 2)
  package var status: UInt8 = 0
  package var handle: UInt16 = 0
  package var peer = HCIPublicAddress()
  /// 1 for ACL.
  package var kind: UInt8 = 1
  package var isEncrypted = false

  package init() {}
  package init(_ peer: DeviceAddress, status: UInt8) { (self.peer.address, self.status) = (peer, status) }
  package mutating func code(_ coder: inout HCICoder) throws(HCIError) {
    try coder.number(&status)
    try coder.number(&handle)
    try peer.code(&coder)
    try coder.number(&kind)
    try coder.flag(&isEncrypted)
  }
}
