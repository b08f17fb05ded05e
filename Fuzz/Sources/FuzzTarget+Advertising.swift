import BleperaBluetooth

@testable import BleperaCLI

extension FuzzTarget {
  /// Advertising data, the overflow area in each of its forms, and their texts.
  static let advertising = FuzzTarget("advertising") { bytes in
    let received = AdvertisingData(leniently: bytes)
    do throws(AdvertisingDataError) {
      let data = try AdvertisingData(decoding: bytes)
      require(data == received, "whole structures are decoded equally")
      require(bytes.starts(with: data.bytes) && data.length == data.bytes.count, "structures keep their bytes")
      require((try? AdvertisingData(decoding: data.bytes)) == data, "data is decoded as it was encoded")
      let rest = bytes.dropFirst(data.length)
      require(rest.isEmpty || rest.first == 0, "only a length of zero ends the data early")
    } catch {
      require(!"\(error)".isEmpty, "an error has a text")
    }
    for structure in received.structures { check(structure) }
    checkArea(bytes)
    if let type = bytes.first {
      let structure = ADStructure(
        type: type, payload: Array(bytes.dropFirst().prefix(ADStructure.maximumPayloadLength)))
      require(structure.type == type, "a structure keeps its type")
      check(structure)
    }
    checkText(String(decoding: bytes, as: UTF8.self))
  }

  private static func check(_ structure: ADStructure) {
    require(ADStructure(type: structure.type, payload: structure.payload) == structure, "a structure keeps its payload")
    require(structure.length == structure.bytes.count, "a structure has the length of its bytes")
    let text = ADStructureText(structure: structure)
    require(!text.type.isEmpty && !text.text.isEmpty, "a structure has a text")
    require(!text.text.utf8.contains { $0 < 0x20 }, "a text has no control characters")
    if let area = OverflowArea(structure) { check(area) }
  }

  private static func checkArea(_ bytes: [UInt8]) {
    do throws(OverflowAreaError) {
      check(try OverflowArea(decoding: bytes), in: bytes)
    } catch {
      require(!"\(error)".isEmpty, "an error has a text")
    }
  }

  private static func check(_ area: OverflowArea, in bytes: [UInt8]? = nil) {
    require((try? OverflowArea(decoding: area.bytes)) == area, "a mask is decoded as it was encoded")
    require(OverflowArea(area.structure) == area, "a structure has its area")
    let uuids = area.bits.compactMap { OverflowArea.uuid(forBit: $0) }
    require(OverflowArea(uuids) == area, "each bit has a UUID")
    let input = OverflowInput(bytes: bytes ?? area.bytes, area: area)
    require(OverflowDecodeReport(input, candidates: uuids).unexplained ?? [] == [], "its UUIDs explain an area")
    require(!OverflowDecodeReport(input).lines(for: .plain).isEmpty, "an area has a text")
  }

  /// The text as arguments of `overflow`.
  private static func checkText(_ text: String) {
    if let uuid = BluetoothUUID(text) {
      require(BluetoothUUID("\(uuid)") == uuid, "a UUID is read as it was written")
      require(BluetoothUUID(littleEndian: uuid.littleEndianBytes) == uuid, "a UUID is decoded as it was encoded")
      require(!OverflowEncodeReport([uuid]).lines(for: .plain).isEmpty, "a UUID has a bit")
    }
    if let input = try? OverflowInput.argument(text) { check(input.area, in: input.bytes) }
    if let bytes = Hex.bytes(text) {
      require(Hex.bytes(Hex.string(bytes)) == bytes, "hexadecimal digits are read as they were written")
    }
  }
}
