/// A packet as JSON.
package struct PacketReport: Encodable, Equatable {
  package let hex: String
  package let length: Int
  package let structures: [Structure]

  package struct Structure: Encodable, Equatable {
    package let hex: String
    package let length: Int
    package let type: String
    package let text: String
  }

  package init(_ data: AdvertisingData) {
    hex = Hex.string(data.bytes)
    length = data.length
    structures = data.structures.map { structure in
      let text = ADStructureText(structure: structure)
      return Structure(hex: Hex.string(structure.bytes), length: structure.length, type: text.type, text: text.text)
    }
  }
}
