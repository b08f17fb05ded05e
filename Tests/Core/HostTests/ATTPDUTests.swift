import BleperaBluetooth
import Testing

@testable import BleperaHost

@Suite("The PDUs of the Attribute Protocol, of Vol 3, Part F, 3.4")
struct ATTPDUTests {
  private static let uuid = BluetoothUUID("6E400001-B5A3-F393-E0A9-E50E24DCCA9E") ?? BluetoothUUID(0 as UInt16)
  private static let uuidBytes = "9ECADC240EE5A9E093F3A3B50100406E"
  private static let service = BluetoothUUID(0x2800 as UInt16)
  private static let signature = [UInt8](0x10...0x1B)

  static let samples: [(ATTPDU, String)] = [
    (.errorResponse(ATTErrorResponse(opcode: 0x0A, handle: 0x0102, error: .readNotPermitted)), "010A020102"),
    (.exchangeMTURequest(527), "020F02"),
    (.exchangeMTUResponse(517), "030502"),
    (.findInformationRequest(0x0001...0xFFFF), "040100FFFF"),
    (
      .findInformationResponse([
        ATTInformation(handle: 1, type: service),
        ATTInformation(handle: 2, type: BluetoothUUID(0x2803 as UInt16)),
      ]), "050101000028" + "02000328"
    ),
    (.findInformationResponse([ATTInformation(handle: 3, type: uuid)]), "05020300" + uuidBytes),
    (.findByTypeValueRequest(0x0001...0xFFFF, type: service, value: [0x0D, 0x18]), "060100FFFF00280D18"),
    (.findByTypeValueRequest(0x0010...0x0010, type: service, value: []), "06100010000028"),
    (.findByTypeValueResponse([0x0010...0x0015, 0x0020...0xFFFF]), "0710001500" + "2000FFFF"),
    (.readByTypeRequest(0x0001...0x0005, type: BluetoothUUID(0x2A00 as UInt16)), "0801000500002A"),
    (.readByTypeRequest(0x0001...0x0005, type: uuid), "0801000500" + uuidBytes),
    (.readByTypeResponse([ATTHandleValue(handle: 3, value: [0x61, 0x62])]), "090403006162"),
    (
      .readByTypeResponse([ATTHandleValue(handle: 3, value: []), ATTHandleValue(handle: 5, value: [])]),
      "090203000500"
    ),
    (.readRequest(0x0102), "0A0201"),
    (.readResponse([0xAB, 0xCD]), "0BABCD"),
    (.readResponse([]), "0B"),
    (.readBlobRequest(0x0102, offset: 0x0203), "0C02010302"),
    (.readBlobResponse([0xAB]), "0DAB"),
    (.readMultipleRequest([3, 0x0105]), "0E03000501"),
    (.readMultipleResponse([1, 2, 3]), "0F010203"),
    (.readByGroupTypeRequest(0x0001...0xFFFF, type: service), "100100FFFF0028"),
    (
      .readByGroupTypeResponse([
        ATTGroup(range: 1...5, value: [0x00, 0x18]), ATTGroup(range: 6...9, value: [0x01, 0x18]),
      ]), "1106010005000018" + "060009000118"
    ),
    (.writeRequest(0x0102, [1, 2]), "1202010102"),
    (.writeResponse, "13"),
    (.prepareWriteRequest(AttributeWrite(handle: 0x0102, offset: 0x0203, value: [1, 2])), "16020103020102"),
    (.prepareWriteResponse(AttributeWrite(handle: 0x0102, offset: 0x0203, value: [1, 2])), "17020103020102"),
    (.executeWriteRequest(true), "1801"),
    (.executeWriteRequest(false), "1800"),
    (.executeWriteResponse, "19"),
    (.handleValueNotification(0x0102, [1, 2]), "1B02010102"),
    (.handleValueIndication(0x0102, [1, 2]), "1D02010102"),
    (.handleValueConfirmation, "1E"),
    (.readMultipleVariableRequest([3, 5]), "2003000500"),
    (.readMultipleVariableResponse(ATTPDU.lengthsAndValues([[1, 2], [], [3]])), "2102000102" + "0000" + "010003"),
    (
      .multipleHandleValueNotification([
        ATTHandleValue(handle: 3, value: [1]), ATTHandleValue(handle: 5, value: []),
      ]), "230300010001" + "05000000"
    ),
    (.writeCommand(0x0102, [1, 2]), "5202010102"),
    (.signedWriteCommand(0x0102, [1, 2], signature: signature), "D202010102101112131415161718191A1B"),
  ]

  @Test("A PDU is written as the specification has it, and read again", arguments: samples)
  func sample(pdu: ATTPDU, hex: String) throws {
    #expect(Hex.string(pdu.bytes) == hex)
    #expect(try ATTPDU(pdu.bytes) == pdu)
    #expect(pdu.bytes.first == pdu.opcode.rawValue)
  }

  @Test("There is a sample of every opcode")
  func complete() {
    #expect(Set(Self.samples.map(\.0.opcode)) == Set(ATTOpcode.allCases))
  }

  /// Requires that a PDU which was read is written with the same bytes, and that a fault of a request names its opcode.
  private func check(_ bytes: [UInt8]) {
    do throws(ATTFault) {
      #expect(try ATTPDU(bytes).bytes == bytes)
    } catch {
      let kind = bytes.first.flatMap { ATTOpcode(rawValue: $0) }?.kind
      switch error {
      case .answered(let response):
        #expect(response.opcode == bytes.first)
        #expect(kind == .request || kind == nil && response.opcode & 0x40 == 0)
      case .unanswered: #expect(kind != .request)
      }
    }
  }

  @Test("Every cut of every PDU, and every PDU with one byte more, is read or refused", arguments: samples)
  func cut(pdu: ATTPDU, _: String) {
    for count in 0..<pdu.bytes.count { check(Array(pdu.bytes.prefix(count))) }
    check(pdu.bytes + [0])
  }

  @Test("10,000 random PDUs are read or refused")
  func random() {
    var random = SplitMix64(seed: 35)
    for _ in 0..<10_000 {
      let opcode = ATTOpcode.allCases.randomElement(using: &random)?.rawValue ?? 0
      let isKnown = Int.random(in: 0..<8, using: &random) > 0
      let length = Int.random(in: 0...30, using: &random)
      // Small bytes form valid ranges, lengths and flags more often.
      let limit: UInt8 = Bool.random(using: &random) ? 8 : .max
      check(
        [isKnown ? opcode : UInt8.random(in: .min ... .max, using: &random)]
          + (0..<length).map { _ in UInt8.random(in: 0...limit, using: &random) })
    }
  }

  static let faults: [(String, ATTFault)] = [
    ("", .unanswered),
    // Unknown opcodes: an error, but nothing for a command.
    ("1A", .answered(ATTErrorResponse(opcode: 0x1A, error: .requestNotSupported))),
    ("3F0100", .answered(ATTErrorResponse(opcode: 0x3F, error: .requestNotSupported))),
    ("8A0100", .answered(ATTErrorResponse(opcode: 0x8A, error: .requestNotSupported))),
    ("40", .unanswered), ("53010002", .unanswered), ("FF", .unanswered),
    // Wrong lengths.
    ("02", .answered(ATTErrorResponse(opcode: 0x02, error: .invalidPdu))),
    ("0217", .answered(ATTErrorResponse(opcode: 0x02, error: .invalidPdu))),
    ("02170000", .answered(ATTErrorResponse(opcode: 0x02, error: .invalidPdu))),
    ("040100FF", .answered(ATTErrorResponse(opcode: 0x04, error: .invalidPdu))),
    ("060100050000", .answered(ATTErrorResponse(opcode: 0x06, error: .invalidPdu))),
    ("0801000500", .answered(ATTErrorResponse(opcode: 0x08, error: .invalidPdu))),
    ("080100050000280000", .answered(ATTErrorResponse(opcode: 0x08, error: .invalidPdu))),
    ("0A01", .answered(ATTErrorResponse(opcode: 0x0A, error: .invalidPdu))),
    ("0C010000", .answered(ATTErrorResponse(opcode: 0x0C, error: .invalidPdu))),
    ("0E0100", .answered(ATTErrorResponse(opcode: 0x0E, error: .invalidPdu))),
    ("0E010002", .answered(ATTErrorResponse(opcode: 0x0E, error: .invalidPdu))),
    ("200100", .answered(ATTErrorResponse(opcode: 0x20, error: .invalidPdu))),
    ("12", .answered(ATTErrorResponse(opcode: 0x12, error: .invalidPdu))),
    ("16010000", .answered(ATTErrorResponse(opcode: 0x16, error: .invalidPdu))),
    ("18", .answered(ATTErrorResponse(opcode: 0x18, error: .invalidPdu))),
    ("1802", .answered(ATTErrorResponse(opcode: 0x18, error: .invalidPdu))),
    // A length comes before a range.
    ("0400000100FF", .answered(ATTErrorResponse(opcode: 0x04, error: .invalidPdu))),
    // Ranges, with their first handle.
    ("0400000500", .answered(ATTErrorResponse(opcode: 0x04, error: .invalidHandle))),
    ("0406000500", .answered(ATTErrorResponse(opcode: 0x04, handle: 6, error: .invalidHandle))),
    ("06060005000028", .answered(ATTErrorResponse(opcode: 0x06, handle: 6, error: .invalidHandle))),
    ("08060005000028", .answered(ATTErrorResponse(opcode: 0x08, handle: 6, error: .invalidHandle))),
    ("10000005000028", .answered(ATTErrorResponse(opcode: 0x10, error: .invalidHandle))),
    // Responses and the like are never answered.
    ("01", .unanswered), ("03", .unanswered), ("050301000028", .unanswered), ("0501", .unanswered),
    ("07", .unanswered), ("0706000500", .unanswered), ("0901", .unanswered), ("0904", .unanswered),
    ("090301000203", .unanswered), ("1106060005000018", .unanswered), ("1103010002", .unanswered),
    ("1900", .unanswered), ("1B01", .unanswered), ("1D", .unanswered), ("1E00", .unanswered),
    ("2301000100", .unanswered), ("5201", .unanswered), ("D20100000102030405060708090A", .unanswered),
  ]

  @Test("Bytes that are no PDU", arguments: faults)
  func fault(hex: String, fault: ATTFault) {
    let bytes = Hex.bytes(hex) ?? []
    #expect(throws: fault) { try ATTPDU(bytes) }
  }

  @Test("A value is cut to the MTU, which is 23 at least", arguments: [(0, 23), (23, 23), (185, 185), (517, 513)])
  func cutting(mtu: Int, count: Int) {
    #expect(ATTPDU.readResponse([UInt8](repeating: 1, count: 512)).bytes(mtu: mtu).count == count)
  }
}
