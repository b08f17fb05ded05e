/// The keys of behaviors.
extension SchemaKey {
  static let kind = Self(
    "Kind", .string, required: true, Quote.list(Behavior.Kind.allCases.map(\.rawValue)))
  static let source = Self(
    "Source", .uuid, "the characteristic of the same service whose writes are echoed; default: this one")
  static let initialValue = Self("InitialValue", .bytes, "what is read before the first write; default: nothing")
  static let format = Self(
    "Format", .string, required: true,
    "uint8 to uint64, sint8 to sint64, float32, float64, medfloat16, medfloat32, utf8, hex")
  static let interval = Self("Interval", .number, "seconds between values, 0.02 to 86400; default: 1")
  static let prefix = Self("Prefix", .bytes, "bytes that stand before each value; default: none")
  static let start = Self("Start", .number, "the first value; default: 0")
  static let counterStep = Self("Step", .number, "what each value is more than the one before; default: 1")
  static let rampStep = Self("Step", .number, "what each value is more than the one before, above 0; default: 1")
  static let minimum = Self("Minimum", .number, required: true, "the least value")
  static let maximum = Self("Maximum", .number, required: true, "the greatest value")
  static let period = Self("Period", .number, required: true, "seconds of a whole wave, 0.001 to 31536000")
  static let values = Self(
    "Values", .values, required: true, "numbers; strings for utf8; hexadecimal strings or data for hex")
  static let seed = Self("Seed", .integer, "makes the values the same in each run; default: other ones in each")
}
