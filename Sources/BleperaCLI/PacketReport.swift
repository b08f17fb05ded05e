import GATT

/// The bytes of one packet, as JSON.
struct PacketReport: Encodable, Equatable {
  let hex: String
  let length: Int
  let structures: [Structure]

  struct Structure: Encodable, Equatable {
    let hex: String
    let length: Int
    let type: String
    let text: String
  }

  init(_ data: AdvertisingData) {
    hex = Hex.string(data.bytes)
    length = data.length
    structures = data.structures.map { structure in
      let text = ADStructureText(structure: structure)
      return Structure(hex: Hex.string(structure.bytes), length: structure.length, type: text.type, text: text.text)
    }
  }
}
