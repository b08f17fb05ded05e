/// A command of HCI, by the name of the specification (Core Specification, Vol 4, Part E, 7). The raw value has the
/// group (OGF) in its upper six bits.
package enum HCIOpcode: UInt16, CaseIterable, Sendable {
  // Link control (7.1)
  case inquiry = 0x0401
  case inquiryCancel = 0x0402
  case createConnection = 0x0405
  case disconnect = 0x0406
  case createConnectionCancel = 0x0408
  case readRemoteVersionInformation = 0x041D

  // Controller and baseband (7.3)
  case setEventMask = 0x0C01
  case reset = 0x0C03
  case setEventFilter = 0x0C05
  case writeLocalName = 0x0C13
  case readLocalName = 0x0C14
  case writeConnectionAcceptTimeout = 0x0C16
  case readPageTimeout = 0x0C17
  case writePageTimeout = 0x0C18
  case readScanEnable = 0x0C19
  case writeScanEnable = 0x0C1A
  case readPageScanActivity = 0x0C1B
  case writePageScanActivity = 0x0C1C
  case readClassOfDevice = 0x0C23
  case writeClassOfDevice = 0x0C24
  case readVoiceSetting = 0x0C25
  case readTransmitPowerLevel = 0x0C2D
  case readNumberOfSupportedIAC = 0x0C38
  case readCurrentIACLAP = 0x0C39
  case writeCurrentIACLAP = 0x0C3A
  case readPageScanType = 0x0C46
  case writePageScanType = 0x0C47
  case readExtendedInquiryResponse = 0x0C51
  case writeExtendedInquiryResponse = 0x0C52
  case readSimplePairingMode = 0x0C55
  case writeSimplePairingMode = 0x0C56
  case setEventMaskPage2 = 0x0C63
  case readLEHostSupport = 0x0C6C
  case writeLEHostSupport = 0x0C6D
  case readAuthenticatedPayloadTimeout = 0x0C7B
  case writeAuthenticatedPayloadTimeout = 0x0C7C

  // Informational parameters (7.4)
  case readLocalVersionInformation = 0x1001
  case readLocalSupportedCommands = 0x1002
  case readLocalSupportedFeatures = 0x1003
  case readLocalExtendedFeatures = 0x1004
  case readBufferSize = 0x1005
  case readBDADDR = 0x1009

  // Status parameters (7.5)
  case readRSSI = 0x1405

  // LE controller (7.8)
  case leSetEventMask = 0x2001
  case leReadBufferSize = 0x2002
  case leReadLocalSupportedFeatures = 0x2003
  case leSetRandomAddress = 0x2005
  case leSetAdvertisingParameters = 0x2006
  case leReadAdvertisingPhysicalChannelTxPower = 0x2007
  case leSetAdvertisingData = 0x2008
  case leSetScanResponseData = 0x2009
  case leSetAdvertisingEnable = 0x200A
  case leSetScanParameters = 0x200B
  case leSetScanEnable = 0x200C
  case leCreateConnection = 0x200D
  case leCreateConnectionCancel = 0x200E
  case leReadFilterAcceptListSize = 0x200F
  case leClearFilterAcceptList = 0x2010
  case leAddDeviceToFilterAcceptList = 0x2011
  case leRemoveDeviceFromFilterAcceptList = 0x2012
  case leConnectionUpdate = 0x2013
  case leSetHostChannelClassification = 0x2014
  case leReadChannelMap = 0x2015
  case leReadRemoteFeatures = 0x2016
  case leEncrypt = 0x2017
  case leRand = 0x2018
  case leEnableEncryption = 0x2019
  case leLongTermKeyRequestReply = 0x201A
  case leLongTermKeyRequestNegativeReply = 0x201B
  case leReadSupportedStates = 0x201C
  case leRemoteConnectionParameterRequestReply = 0x2020
  case leRemoteConnectionParameterRequestNegativeReply = 0x2021
  case leSetDataLength = 0x2022
  case leReadSuggestedDefaultDataLength = 0x2023
  case leWriteSuggestedDefaultDataLength = 0x2024
  case leAddDeviceToResolvingList = 0x2027
  case leRemoveDeviceFromResolvingList = 0x2028
  case leClearResolvingList = 0x2029
  case leReadResolvingListSize = 0x202A
  case leSetAddressResolutionEnable = 0x202D
  case leSetResolvablePrivateAddressTimeout = 0x202E
  case leReadMaximumDataLength = 0x202F
  case leReadPHY = 0x2030
  case leSetDefaultPHY = 0x2031
  case leSetPHY = 0x2032
  case leSetAdvertisingSetRandomAddress = 0x2035
  case leSetExtendedAdvertisingParameters = 0x2036
  case leSetExtendedAdvertisingData = 0x2037
  case leSetExtendedScanResponseData = 0x2038
  case leSetExtendedAdvertisingEnable = 0x2039
  case leReadMaximumAdvertisingDataLength = 0x203A
  case leReadNumberOfSupportedAdvertisingSets = 0x203B
  case leRemoveAdvertisingSet = 0x203C
  case leClearAdvertisingSets = 0x203D
  case leSetExtendedScanParameters = 0x2041
  case leSetExtendedScanEnable = 0x2042
  case leExtendedCreateConnection = 0x2043
  case leSetPrivacyMode = 0x204E
  case leSetExtendedAdvertisingParametersV2 = 0x207F
  case leExtendedCreateConnectionV2 = 0x2085

  // Vendor commands, by names of blepera
  case broadcomScan = 0xFE3A
  case appleScanEnable = 0xFF3E
  case appleScan = 0xFF42
}
