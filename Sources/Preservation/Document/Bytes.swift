import FoundationEssentials

/// Bytes as `<data>`.
struct Bytes: StoredForm {
  let value: [UInt8]

  init(_ value: [UInt8]) { self.value = value }

  init(from decoder: any Decoder) throws {
    value = Array(try decoder.singleValueContainer().decode(Data.self))
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Data(value))
  }
}
