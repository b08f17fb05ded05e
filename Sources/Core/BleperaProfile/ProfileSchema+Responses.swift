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
    "InitialValue", .bytes, "what a characteristic without Value and Behavior has at first; default: nothing")
  static let responses = Self(
    "Responses", .dictionaries, required: true, "what follows a write; the first one that matches applies")
  static let otherwise = Self(
    "Otherwise", .attError, "what a write gets that no response matches; default: 0x80")
  static let storedValue = Self("InitialValue", .bytes, "what is read before the first write; default: nothing")
}

/// The keys of a response and of its steps.
extension SchemaKey {
  static let write = Self(
    "Write", .pattern,
    "the written value: bytes, .. for any byte, {name:2} to capture two, at the end {name} or * for the rest; default: any"
  )
  static let writeText = Self("WriteText", .string, "the same as text, where .. is two dots")
  static let when = Self("When", .strings, "the states in which it applies; default: all")
  static let unlessSubscribed = Self(
    "UnlessSubscribed", .uuids,
    "applies only where the central that writes is not subscribed to each of these characteristics"
  )
  static let responseError = Self("Error", .attError, "the write is refused with this error, and nothing is stored")
  static let responseValue = Self(
    "Value", .pattern, "what is stored, with {name} for what was captured; default: what was written")
  static let responseText = Self("Text", .string, "the same as text")
  static let sets = Self("Sets", .string, "the service's next state")
  static let cancels = Self(
    "Cancels", .boolean,
    "whether steps of earlier responses of the service that are still to come are dropped; default: false")
  static let then = Self("Then", .dictionaries, "the steps that follow the response, in order")

  static let after = Self("After", .number, "seconds after the response or the step before, 0 to 86400; default: 0")
  static let stepCharacteristic = Self(
    "Characteristic", .uuid, "the characteristic of the same service that gets the value; default: the written one")
  static let stepValue = Self(
    "Value", .pattern, "its new value, which subscribers get, with {name} for what was captured")
  static let stepText = Self("Text", .string, "the same as text")
}
