/// Counts the bytes and the nesting of a signature, of types or of values, and refuses what is beyond the limits before
/// it has gone deeper than they allow.
struct SignatureMeter {
  private(set) var length = 0

  mutating func add(_ type: DBusType, arrays: Int = 0, structures: Int = 0) throws(MessageRefusal) {
    switch type {
    case .byte, .boolean, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double, .string, .objectPath, .signature,
      .unixFD, .variant:
      try count(1)
    case .array(let element):
      try enterArray(arrays)
      try add(element, arrays: arrays + 1, structures: structures)
    case .dictionary(let key, let value):
      try enterDictionary(arrays, key: key)
      try add(value, arrays: arrays + 1, structures: structures)
    case .structure(let fields):
      try enterStructure(structures, isEmpty: fields.isEmpty)
      for field in fields { try add(field, arrays: arrays, structures: structures + 1) }
    }
  }

  /// The same as for the type of the value, without making the type.
  mutating func add(_ value: DBusValue, arrays: Int = 0, structures: Int = 0) throws(MessageRefusal) {
    switch value {
    case .byte, .boolean, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double, .string, .objectPath, .signature,
      .unixFD, .variant:
      try count(1)
    case .bytes:
      try enterArray(arrays)
      try count(1)
    case .array(let array):
      try enterArray(arrays)
      try add(array.elementType, arrays: arrays + 1, structures: structures)
    case .dictionary(let dictionary):
      try enterDictionary(arrays, key: dictionary.keyType)
      try add(dictionary.valueType, arrays: arrays + 1, structures: structures)
    case .structure(let fields):
      try enterStructure(structures, isEmpty: fields.isEmpty)
      for field in fields { try add(field, arrays: arrays, structures: structures + 1) }
    }
  }

  private mutating func enterArray(_ arrays: Int) throws(MessageRefusal) {
    guard arrays < Signature.maximumNesting else { throw .nestedTooDeeply("\(arrays + 1) arrays") }
    try count(1)
  }

  private mutating func enterDictionary(_ arrays: Int, key: DBusType) throws(MessageRefusal) {
    try enterArray(arrays)
    guard key.isBasic else { throw .keyNotBasic }
    try count(3)
  }

  private mutating func enterStructure(_ structures: Int, isEmpty: Bool) throws(MessageRefusal) {
    guard structures < Signature.maximumNesting else { throw .nestedTooDeeply("\(structures + 1) structures") }
    guard !isEmpty else { throw .emptyStructure }
    try count(2)
  }

  private mutating func count(_ bytes: Int) throws(MessageRefusal) {
    length += bytes
    guard length <= Signature.maximumLength else { throw .signatureTooLong }
  }
}
