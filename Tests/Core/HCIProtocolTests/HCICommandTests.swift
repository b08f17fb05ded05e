import BleperaBluetooth
import Testing

@testable import BleperaHCIProtocol

@Suite("HCI: commands")
struct HCICommandTests {
  /// The parameters of a command and what it returns, as octets in hexadecimal.
  struct Row: Sendable, CustomTestStringConvertible {
    typealias Coding = @Sendable ([UInt8]) throws(HCIError) -> [UInt8]

    let opcode: HCIOpcode
    let place: HCICommandPlace?
    let parameters: String
    let returns: String
    /// Decodes and encodes.
    let recodeParameters: Coding
    let recodeReturns: Coding
    let defaults: [[UInt8]]

    init<Parameters, Returns>(
      _ type: HCICommandType<Parameters, Returns>, _ parameters: String = "", returns: String = ""
    ) {
      (opcode, place, self.parameters, self.returns) = (type.opcode, type.place, parameters, returns)
      recodeParameters = { bytes throws(HCIError) in try Parameters(bytes).bytes }
      recodeReturns = { bytes throws(HCIError) in try Returns(bytes).bytes }
      defaults = [Parameters().bytes, Returns().bytes]
    }

    var testDescription: String { "\(opcode)" }
  }

  private static let peer = "01 0102030405C6"
  private static let own = "0102030405C6"
  private static let link = "0600 1800 0400 4800 0000 0100"
  private static let set = "03 1300 A00000 A10000 07 01 \(peer) 00 7F 01 00 02 04 01"
  private static let key = "000102030405060708090A0B0C0D0E0F"

  private static func octets(_ count: Int) -> String { String(repeating: "A5", count: count) }

  static let rows: [Row] = [
    Row(HCI.disconnect, "4000 13"), Row(HCI.readRemoteVersionInformation, "4000"),
    Row(HCI.setEventMask, "FFFFFFFFFFFF1F20"), Row(HCI.reset),
    Row(HCI.readTransmitPowerLevel, "4000 01", returns: "4000 F4"), Row(HCI.setEventMaskPage2, octets(8)),
    Row(HCI.readAuthenticatedPayloadTimeout, "4000", returns: "4000 B80B"),
    Row(HCI.writeAuthenticatedPayloadTimeout, "4000 B80B", returns: "4000"),
    Row(HCI.readLocalVersionInformation, returns: "0D 0100 0D FFFF 0200"),
    Row(HCI.readLocalSupportedCommands, returns: octets(64)), Row(HCI.readLocalSupportedFeatures, returns: octets(8)),
    Row(HCI.readBDADDR, returns: own), Row(HCI.readRSSI, "4000", returns: "4000 CE"),
    Row(HCI.leSetEventMask, "FF1F000000000000"), Row(HCI.leReadBufferSize, returns: "FB00 08"),
    Row(HCI.leReadLocalSupportedFeatures, returns: octets(8)), Row(HCI.leSetRandomAddress, own),
    Row(HCI.leReadFilterAcceptListSize, returns: "10"), Row(HCI.leClearFilterAcceptList),
    Row(HCI.leAddDeviceToFilterAcceptList, peer),
    Row(HCI.leRemoveDeviceFromFilterAcceptList, "FF 000000000000"),
    Row(HCI.leEncrypt, key + octets(16), returns: key), Row(HCI.leRand, returns: octets(8)),
    Row(HCI.leReadSupportedStates, returns: octets(8)), Row(HCI.leAddDeviceToResolvingList, peer + key + octets(16)),
    Row(HCI.leRemoveDeviceFromResolvingList, peer), Row(HCI.leClearResolvingList),
    Row(HCI.leReadResolvingListSize, returns: "10"), Row(HCI.leSetAddressResolutionEnable, "01"),
    Row(HCI.leSetResolvablePrivateAddressTimeout, "8403"), Row(HCI.leSetPrivacyMode, peer + "01"),
    Row(HCI.leSetAdvertisingParameters, "A000 A100 03 01 \(peer) 07 00"),
    Row(HCI.leReadAdvertisingPhysicalChannelTxPower, returns: "08"),
    Row(HCI.leSetAdvertisingData, "03 02011A" + String(repeating: "00", count: 28)),
    Row(HCI.leSetScanResponseData, "1F" + octets(31)), Row(HCI.leSetAdvertisingEnable, "01"),
    Row(HCI.leSetAdvertisingSetRandomAddress, "03 \(own)"),
    Row(HCI.leSetExtendedAdvertisingParameters, set, returns: "08"),
    Row(HCI.leSetExtendedAdvertisingParametersV2, set + "0102", returns: "08"),
    Row(HCI.leSetExtendedAdvertisingData, "03 03 01 03 02011A"),
    Row(HCI.leSetExtendedScanResponseData, "03 01 00 FB" + octets(251)),
    Row(HCI.leSetExtendedAdvertisingEnable, "01 02 00 0000 00 03 6400 05"),
    Row(HCI.leReadMaximumAdvertisingDataLength, returns: "7206"),
    Row(HCI.leReadNumberOfSupportedAdvertisingSets, returns: "10"), Row(HCI.leRemoveAdvertisingSet, "03"),
    Row(HCI.leClearAdvertisingSets), Row(HCI.leSetScanParameters, "01 6000 3000 01 01"),
    Row(HCI.leSetScanEnable, "01 01"), Row(HCI.leSetExtendedScanParameters, "01 01 01 01 6000 3000"),
    Row(HCI.leSetExtendedScanEnable, "01 02 0A00 0100"),
    Row(HCI.leCreateConnection, "6000 3000 00 \(peer) 01 \(link)"),
    Row(HCI.leExtendedCreateConnection, "01 01 \(peer) 01 6000 3000 \(link)"),
    Row(HCI.leExtendedCreateConnectionV2, "FF FF 01 01 \(peer) 01 6000 3000 \(link)"),
    Row(HCI.leCreateConnectionCancel), Row(HCI.leConnectionUpdate, "4000" + link),
    Row(HCI.leSetHostChannelClassification, "FFFFFFFF1F"),
    Row(HCI.leReadChannelMap, "4000", returns: "4000 FFFFFF001F"),
    Row(HCI.leReadRemoteFeatures, "4000"), Row(HCI.leEnableEncryption, "4000" + octets(8) + "0102" + key),
    Row(HCI.leLongTermKeyRequestReply, "4000" + key, returns: "4000"),
    Row(HCI.leLongTermKeyRequestNegativeReply, "4000", returns: "4000"),
    Row(HCI.leRemoteConnectionParameterRequestReply, "4000" + link, returns: "4000"),
    Row(HCI.leRemoteConnectionParameterRequestNegativeReply, "4000 3B", returns: "4000"),
    Row(HCI.leSetDataLength, "4000 FB00 4808", returns: "4000"),
    Row(HCI.leReadSuggestedDefaultDataLength, returns: "1B00 4801"),
    Row(HCI.leWriteSuggestedDefaultDataLength, "FB00 9042"),
    Row(HCI.leReadMaximumDataLength, returns: "FB00 4808 1B00 4801"),
    Row(HCI.leReadPHY, "4000", returns: "4000 01 02"), Row(HCI.leSetDefaultPHY, "03 00 07"),
    Row(HCI.leSetPHY, "4000 00 01 02 0100"),
    Row(HCI.inquiry, "338B9E 30 00"), Row(HCI.inquiryCancel), Row(HCI.createConnection, own + octets(7)),
    Row(HCI.createConnectionCancel, own, returns: own), Row(HCI.setEventFilter, "00"),
    Row(HCI.writeLocalName, octets(248)), Row(HCI.readLocalName, returns: octets(248)),
    Row(HCI.writeConnectionAcceptTimeout, "007D"), Row(HCI.readPageTimeout, returns: "0020"),
    Row(HCI.writePageTimeout, "0020"), Row(HCI.readScanEnable, returns: "03"), Row(HCI.writeScanEnable, "03"),
    Row(HCI.readPageScanActivity, returns: "00081200"), Row(HCI.writePageScanActivity, "00081200"),
    Row(HCI.readClassOfDevice, returns: octets(3)), Row(HCI.writeClassOfDevice, octets(3)),
    Row(HCI.readVoiceSetting, returns: "6000"), Row(HCI.readNumberOfSupportedIAC, returns: "01"),
    Row(HCI.readCurrentIACLAP, returns: "01 338B9E"), Row(HCI.writeCurrentIACLAP, "02 338B9E 008B9E"),
    Row(HCI.readPageScanType, returns: "01"), Row(HCI.writePageScanType, "01"),
    Row(HCI.readExtendedInquiryResponse, returns: octets(241)), Row(HCI.writeExtendedInquiryResponse, octets(241)),
    Row(HCI.readSimplePairingMode, returns: "01"), Row(HCI.writeSimplePairingMode, "01"),
    Row(HCI.readLEHostSupport, returns: "01 00"), Row(HCI.writeLEHostSupport, "01 00"),
    Row(HCI.readLocalExtendedFeatures, "01", returns: "01 01" + octets(8)),
    Row(HCI.readBufferSize, returns: "0002 40 0800 0100"),
  ]

  @Test("Each opcode but those of vendors has a type, and each place in the mask is one command's")
  func complete() {
    let vendors: [HCIOpcode] = [.appleScan, .appleScanEnable, .broadcomScan]
    #expect(
      Self.rows.map(\.opcode.rawValue).sorted()
        == HCIOpcode.allCases.map(\.rawValue).filter { opcode in
          !vendors.contains { $0.rawValue == opcode }
        }.sorted())
    let places = Self.rows.compactMap(\.place)
    #expect(Set(places).count == Self.rows.count - 1 && places.allSatisfy { $0.octet < 64 && $0.bit < 8 })
  }

  @Test("What is decoded encodes to the same octets", arguments: rows)
  func coding(row: Row) throws {
    let (parameters, returns) = (try bytes(row.parameters), try bytes(row.returns))
    #expect(try row.recodeParameters(parameters) == parameters)
    #expect(try row.recodeReturns(returns) == returns)
    // Controllers may add values at the end.
    #expect(try row.recodeReturns(returns + [1, 2]) == returns)
  }

  @Test("The first values of a type can be encoded and decoded", arguments: rows)
  func defaults(row: Row) throws {
    #expect(try row.recodeParameters(row.defaults[0]) == row.defaults[0])
    #expect(try row.recodeReturns(row.defaults[1]) == row.defaults[1])
    let counts = [try bytes(row.returns).count, try bytes(row.parameters).count]
    #expect(row.defaults[1].count == counts[0])
    #expect(row.defaults[0].count <= counts[1])
  }

  @Test("Parameters and values that are cut are invalid", arguments: rows)
  func cut(row: Row) throws {
    for (text, recode) in [(row.parameters, row.recodeParameters), (row.returns, row.recodeReturns)] {
      let whole = try bytes(text)
      #expect(whole.indices.allSatisfy { (try? recode(Array(whole.prefix($0)))) == nil })
    }
  }

  @Test(
    "Values outside the specification's ranges are invalid",
    arguments: [
      (0x2027, "02 000000000000" + key + key), (0x2006, "A000 A100 05 01 \(peer) 07 00"),
      (0x2006, "A000 A100 00 04 \(peer) 07 00"), (0x2006, "A000 A100 00 00 \(peer) 00 00"),
      (0x2008, "20" + octets(31)), (0x200A, "02"), (0x2035, "F0 \(own)"), (0x2037, "03 05 01 00"),
      (0x2011, "02 \(own)"), (0x2022, "4000 1A00 4808"), (0x2022, "4000 FB00 9142"), (0x2042, "01 03 0000 0000"),
      (0x2041, "00 00 00 00 6000 3000"), (0x2031, "04 01 01"), (0x0401, "338B9E 31 00"), (0x0C3A, "00"),
    ] as [(UInt16, String)])
  func ranges(opcode: UInt16, parameters: String) throws {
    let row = try #require(Self.rows.first { $0.opcode.rawValue == opcode })
    #expect(throws: HCIError.invalidParameters) { try row.recodeParameters(bytes(parameters)) }
  }

  @Test("PHYs without 1M are not supported")
  func phys() throws {
    let parameters = try bytes("01 01 \(Self.peer) 04 6000 3000 \(Self.link)")
    #expect(throws: HCIError.unsupportedFeature) { try HCIExtendedCreateConnection(parameters) }
  }

  @Test("Fields have their places")
  func fields() throws {
    let set = try HCISetParameters(bytes(Self.set))
    #expect(set.set == 3 && set.properties == [.connectable, .scannable, .legacy] && set.least == 160)
    #expect(set.most == 161 && set.channels == 7 && set.ownType == 1 && set.secondary == 2 && set.isNotified)
    #expect(set.peer == DeviceAddress(bits: 0xC605_0403_0201, isRandom: true) && set.identifier == 4)
    let connection = try HCICreateConnection(bytes("6000 3000 00 \(Self.peer) 01 \(Self.link)"))
    #expect(connection.interval == 0x60 && connection.window == 0x30 && connection.peer == set.peer)
    #expect(connection.parameters.least == 6 && connection.parameters.most == 24)
    #expect(connection.parameters.latency == 4 && connection.parameters.timeout == 72)
    #expect(try HCIAcceptListEntry(bytes("FF 000000000000")).address == nil)
    #expect(try HCINumber<UInt128>(bytes(Self.key)).value == 0x0F0E_0D0C_0B0A_0908_0706_0504_0302_0100)
    #expect(HCIVersion(0x0D, company: 0xFFFF).bytes == [0x0D, 0, 0, 0x0D, 0xFF, 0xFF, 0, 0])
  }

  @Test("Values that are too long or too short for their fields are cut or filled")
  func lengths() {
    #expect(HCISetData(1, [UInt8](repeating: 7, count: 300)).bytes.count == 4 + 255)
    #expect(HCIFixed<3>(octets: [1]).bytes == [1, 0, 0] && HCIFixed<3>(octets: [1, 2, 3, 4]).bytes == [1, 2, 3])
    #expect(HCILegacyData([5]).bytes == [1, 5] + [UInt8](repeating: 0, count: 30))
  }

  @Test("The mask names a command by its place")
  func mask() throws {
    let place = try #require(HCI.leSetExtendedAdvertisingParameters.place)
    #expect(HCI.readLocalSupportedCommands.place == nil && place == HCICommandPlace(octet: 36, bit: 2))
    #expect(place.isNamed(in: [UInt8](repeating: 0, count: 36) + [4]))
    #expect(!place.isNamed(in: [UInt8](repeating: 0xFF, count: 36)) && !place.isNamed(in: []))
  }

  @Test("No octets make a command's values crash", arguments: rows)
  func random(row: Row) {
    var random = SplitMix64(seed: UInt64(row.opcode.rawValue))
    for _ in 0..<200 {
      let bytes = (0..<Int.random(in: 0...255, using: &random)).map { _ in
        UInt8.random(in: 0...UInt8.random(in: 0...255, using: &random), using: &random)
      }
      for recode in [row.recodeParameters, row.recodeReturns] {
        guard let encoded = try? recode(bytes), (try? recode(encoded)) != encoded else { continue }
        Issue.record("\(Hex.string(bytes))")
      }
    }
  }
}

/// The octets of hexadecimal digits, which spaces may separate.
func bytes(_ text: String) throws -> [UInt8] { try #require(Hex.bytes(text.filter { $0 != " " })) }
