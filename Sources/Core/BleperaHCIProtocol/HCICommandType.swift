package import BleperaBluetooth

/// A command with the types of its parameters and of the values that it returns after its status.
package struct HCICommandType<Parameters: HCIParameters, Returns: HCIParameters>: Sendable {
  package let opcode: HCIOpcode
  /// The place in Supported Commands; nil for Read Local Supported Commands itself.
  package let place: HCICommandPlace?
  /// Whether the command is answered with Command Status, and an event follows.
  package let isStatus: Bool

  init(_ opcode: HCIOpcode, _ octet: Int, _ bit: Int, isStatus: Bool = false) {
    (self.opcode, place, self.isStatus) = (opcode, HCICommandPlace(octet: octet, bit: bit), isStatus)
  }

  init(_ opcode: HCIOpcode) { (self.opcode, place, isStatus) = (opcode, nil, false) }
}

/// The octet and the bit of a command in Supported Commands (Core Specification, Vol 4, Part E, 6.27).
package struct HCICommandPlace: Hashable, Sendable {
  package let octet: Int
  package let bit: Int

  /// - Parameter mask: what Read Local Supported Commands returns.
  package func isNamed(in mask: [UInt8]) -> Bool { octet < mask.count && mask[octet] >> bit & 1 == 1 }
}

/// The commands, by their names in the specification (Core Specification, Vol 4, Part E, 7).
package enum HCI {
  package typealias Handle = HCINumber<UInt16>
  package typealias OfLink = HCIOfLink
  package typealias Simple<Parameters: HCIParameters> = HCICommandType<Parameters, HCINothing>
  package typealias Read<Returns: HCIParameters> = HCICommandType<HCINothing, Returns>

  // MARK: Link control (7.1)
  package static let disconnect = Simple<OfLink<HCINumber<UInt8>>>(.disconnect, 0, 5, isStatus: true)
  package static let readRemoteVersionInformation =
    Simple<Handle>(.readRemoteVersionInformation, 2, 7, isStatus: true)

  // MARK: Controller and baseband (7.3)
  package static let setEventMask = Simple<HCINumber<UInt64>>(.setEventMask, 5, 6)
  package static let reset = Simple<HCINothing>(.reset, 5, 7)
  package static let readTransmitPowerLevel =
    HCICommandType<OfLink<HCIFlag>, OfLink<HCINumber<Int8>>>(.readTransmitPowerLevel, 10, 2)
  package static let setEventMaskPage2 = Simple<HCINumber<UInt64>>(.setEventMaskPage2, 22, 2)
  package static let readAuthenticatedPayloadTimeout =
    HCICommandType<Handle, OfLink<HCINumber<UInt16>>>(.readAuthenticatedPayloadTimeout, 32, 4)
  package static let writeAuthenticatedPayloadTimeout =
    HCICommandType<OfLink<HCINumber<UInt16>>, Handle>(.writeAuthenticatedPayloadTimeout, 32, 5)

  // MARK: Information and status (7.4, 7.5)
  package static let readLocalVersionInformation = Read<HCIVersion>(.readLocalVersionInformation, 14, 3)
  package static let readLocalSupportedCommands = Read<HCICommandMask>(.readLocalSupportedCommands)
  package static let readLocalSupportedFeatures = Read<HCINumber<UInt64>>(.readLocalSupportedFeatures, 14, 5)
  package static let readBDADDR = Read<HCIPublicAddress>(.readBDADDR, 15, 1)
  package static let readRSSI = HCICommandType<Handle, OfLink<HCINumber<Int8>>>(.readRSSI, 15, 5)

  // MARK: LE controller, start and lists (7.8)
  package static let leSetEventMask = Simple<HCINumber<UInt64>>(.leSetEventMask, 25, 0)
  package static let leReadBufferSize = Read<HCIBufferSize>(.leReadBufferSize, 25, 1)
  package static let leReadLocalSupportedFeatures = Read<HCINumber<UInt64>>(.leReadLocalSupportedFeatures, 25, 2)
  package static let leSetRandomAddress = Simple<HCIRandomAddress>(.leSetRandomAddress, 25, 4)
  package static let leReadFilterAcceptListSize = Read<HCINumber<UInt8>>(.leReadFilterAcceptListSize, 26, 6)
  package static let leClearFilterAcceptList = Simple<HCINothing>(.leClearFilterAcceptList, 26, 7)
  package static let leAddDeviceToFilterAcceptList =
    Simple<HCIAcceptListEntry>(.leAddDeviceToFilterAcceptList, 27, 0)
  package static let leRemoveDeviceFromFilterAcceptList =
    Simple<HCIAcceptListEntry>(.leRemoveDeviceFromFilterAcceptList, 27, 1)
  package static let leEncrypt = HCICommandType<HCIEncrypt, HCIBlock>(.leEncrypt, 27, 6)
  package static let leRand = Read<HCINumber<UInt64>>(.leRand, 27, 7)
  package static let leReadSupportedStates = Read<HCINumber<UInt64>>(.leReadSupportedStates, 28, 3)
  package static let leAddDeviceToResolvingList = Simple<HCIResolvingListEntry>(.leAddDeviceToResolvingList, 34, 3)
  package static let leRemoveDeviceFromResolvingList =
    Simple<HCITypedAddress>(.leRemoveDeviceFromResolvingList, 34, 4)
  package static let leClearResolvingList = Simple<HCINothing>(.leClearResolvingList, 34, 5)
  package static let leReadResolvingListSize = Read<HCINumber<UInt8>>(.leReadResolvingListSize, 34, 6)
  package static let leSetAddressResolutionEnable = Simple<HCIFlag>(.leSetAddressResolutionEnable, 35, 1)
  package static let leSetResolvablePrivateAddressTimeout =
    Simple<HCINumber<UInt16>>(.leSetResolvablePrivateAddressTimeout, 35, 2)
  package static let leSetPrivacyMode = Simple<HCIPrivacyMode>(.leSetPrivacyMode, 39, 2)

  // MARK: Legacy advertising
  package static let leSetAdvertisingParameters =
    Simple<HCIAdvertisingParameters>(.leSetAdvertisingParameters, 25, 5)
  package static let leReadAdvertisingPhysicalChannelTxPower =
    Read<HCINumber<UInt8>>(.leReadAdvertisingPhysicalChannelTxPower, 25, 6)
  package static let leSetAdvertisingData = Simple<HCILegacyData>(.leSetAdvertisingData, 25, 7)
  package static let leSetScanResponseData = Simple<HCILegacyData>(.leSetScanResponseData, 26, 0)
  package static let leSetAdvertisingEnable = Simple<HCIFlag>(.leSetAdvertisingEnable, 26, 1)

  // MARK: Advertising sets
  package static let leSetAdvertisingSetRandomAddress =
    Simple<HCISetAddress>(.leSetAdvertisingSetRandomAddress, 36, 1)
  package static let leSetExtendedAdvertisingParameters =
    HCICommandType<HCISetParameters, HCINumber<UInt8>>(.leSetExtendedAdvertisingParameters, 36, 2)
  package static let leSetExtendedAdvertisingParametersV2 =
    HCICommandType<HCISetParametersV2, HCINumber<UInt8>>(.leSetExtendedAdvertisingParametersV2, 46, 2)
  package static let leSetExtendedAdvertisingData = Simple<HCISetData>(.leSetExtendedAdvertisingData, 36, 3)
  package static let leSetExtendedScanResponseData = Simple<HCISetData>(.leSetExtendedScanResponseData, 36, 4)
  package static let leSetExtendedAdvertisingEnable = Simple<HCISetsEnable>(.leSetExtendedAdvertisingEnable, 36, 5)
  package static let leReadMaximumAdvertisingDataLength =
    Read<HCINumber<UInt16>>(.leReadMaximumAdvertisingDataLength, 36, 6)
  package static let leReadNumberOfSupportedAdvertisingSets =
    Read<HCINumber<UInt8>>(.leReadNumberOfSupportedAdvertisingSets, 36, 7)
  package static let leRemoveAdvertisingSet = Simple<HCINumber<UInt8>>(.leRemoveAdvertisingSet, 37, 0)
  package static let leClearAdvertisingSets = Simple<HCINothing>(.leClearAdvertisingSets, 37, 1)

  // MARK: Scanning
  package static let leSetScanParameters = Simple<HCIScanParameters>(.leSetScanParameters, 26, 2)
  package static let leSetScanEnable = Simple<HCIScanEnable>(.leSetScanEnable, 26, 3)
  package static let leSetExtendedScanParameters =
    Simple<HCIExtendedScanParameters>(.leSetExtendedScanParameters, 37, 5)
  package static let leSetExtendedScanEnable = Simple<HCIExtendedScanEnable>(.leSetExtendedScanEnable, 37, 6)

  // MARK: Connections
  package static let leCreateConnection = Simple<HCICreateConnection>(.leCreateConnection, 26, 4, isStatus: true)
  package static let leExtendedCreateConnection =
    Simple<HCIExtendedCreateConnection>(.leExtendedCreateConnection, 37, 7, isStatus: true)
  package static let leExtendedCreateConnectionV2 =
    Simple<HCIExtendedCreateConnectionV2>(.leExtendedCreateConnectionV2, 47, 0, isStatus: true)
  package static let leCreateConnectionCancel =
    Simple<HCINothing>(.leCreateConnectionCancel, 26, 5)
  package static let leConnectionUpdate = Simple<OfLink<HCIConnectionParameters>>(
    .leConnectionUpdate, 27, 2, isStatus: true)
  package static let leSetHostChannelClassification = Simple<HCIChannelMap>(.leSetHostChannelClassification, 27, 3)
  package static let leReadChannelMap = HCICommandType<Handle, OfLink<HCIChannelMap>>(.leReadChannelMap, 27, 4)
  package static let leReadRemoteFeatures = Simple<Handle>(.leReadRemoteFeatures, 27, 5, isStatus: true)
  package static let leEnableEncryption = Simple<HCIEnableEncryption>(.leEnableEncryption, 28, 0, isStatus: true)
  package static let leLongTermKeyRequestReply = HCICommandType<OfLink<HCINumber<UInt128>>, Handle>(
    .leLongTermKeyRequestReply, 28, 1)
  package static let leLongTermKeyRequestNegativeReply =
    HCICommandType<Handle, Handle>(.leLongTermKeyRequestNegativeReply, 28, 2)
  package static let leRemoteConnectionParameterRequestReply =
    HCICommandType<OfLink<HCIConnectionParameters>, Handle>(.leRemoteConnectionParameterRequestReply, 33, 4)
  package static let leRemoteConnectionParameterRequestNegativeReply =
    HCICommandType<OfLink<HCINumber<UInt8>>, Handle>(.leRemoteConnectionParameterRequestNegativeReply, 33, 5)
  package static let leSetDataLength = HCICommandType<OfLink<HCISuggestedDataLength>, Handle>(.leSetDataLength, 33, 6)
  package static let leReadSuggestedDefaultDataLength =
    Read<HCISuggestedDataLength>(.leReadSuggestedDefaultDataLength, 33, 7)
  package static let leWriteSuggestedDefaultDataLength =
    Simple<HCISuggestedDataLength>(.leWriteSuggestedDefaultDataLength, 34, 0)
  package static let leReadMaximumDataLength = Read<HCIMaximumDataLength>(.leReadMaximumDataLength, 35, 3)
  package static let leReadPHY = HCICommandType<Handle, OfLink<HCIPHYs>>(.leReadPHY, 35, 4)
  package static let leSetDefaultPHY = Simple<HCIPHYPreference>(.leSetDefaultPHY, 35, 5)
  package static let leSetPHY = Simple<HCISetPHY>(.leSetPHY, 35, 6, isStatus: true)
}
