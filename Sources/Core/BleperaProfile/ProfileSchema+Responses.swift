import BleperaPropertyLists

/// The dictionaries of a table of responses.
extension SchemaSection {
  static let response = Self(
    "BLEPeripheral.Services[].Characteristics[].Behavior.Responses[]",
    [
      .write, .writeText, .when, .unlessSubscribed, .responseError, .responseValue, .responseText, .sets, .cancels,
      .then,
    ])
  static let step = Self(
    "BLEPeripheral.Services[].Characteristics[].Behavior.Responses[].Then[]",
    [.after, .stepCharacteristic, .stepValue, .stepText, .sets])
}

/// The keys of a service and of a behavior that are for responses.
extension SchemaKey {
  static let states = Self(
    "States", .strings, "the names of states that responses require and set; initially the first")
  static let firstValue = Self(
    "InitialValue", .bytes, "the first value of a characteristic without Value and Behavior; default: empty")
  static let responses = Self(
    "Responses", .dictionaries, required: true, "the reactions to a write; the first row that matches applies")
  static let otherwise = Self(
    "Otherwise", .attError, "the error for a write that no response matches; default: 0x80")
  static let storedValue = Self("InitialValue", .bytes, "the value before the first write; default: empty")
}

/// The keys of a response and of its steps.
extension SchemaKey {
  static let write = Self(
    "Write", .pattern,
    "the written value: bytes, .. for any byte, {name:2} to capture two, at the end {name} or * for the rest; default: any"
  )
  static let writeText = Self("WriteText", .string, "Write as text, in which .. means two dots")
  static let when = Self("When", .strings, "the states in which the response applies; default: all")
  static let unlessSubscribed = Self(
    "UnlessSubscribed", .uuids,
    "the response applies only if the central is not subscribed to each of these characteristics"
  )
  static let responseError = Self("Error", .attError, "the write is refused with this error, and nothing is stored")
  static let responseValue = Self(
    "Value", .pattern, "the value to store, with {name} for captured bytes; default: the written value")
  static let responseText = Self("Text", .string, "Value as text")
  static let sets = Self("Sets", .string, "the service's next state")
  static let cancels = Self(
    "Cancels", .boolean,
    "whether steps of earlier responses of the service that are still to come are dropped; default: false")
  static let then = Self("Then", .dictionaries, "the steps that follow the response, in order")

  static let after = Self("After", .number, "seconds after the response or the previous step, 0 to 86400; default: 0")
  static let stepCharacteristic = Self(
    "Characteristic", .uuid, "the characteristic of the same service that gets the value; default: the written one")
  static let stepValue = Self(
    "Value", .pattern, "the new value, which subscribers get, with {name} for captured bytes")
  static let stepText = Self("Text", .string, "Value as text")
}
