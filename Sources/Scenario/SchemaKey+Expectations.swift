import Profile

/// The keys of `LookFor` and `Expect`.
extension SchemaKey {
  static let wantedName = Self("LocalName", .string, "that local name is advertised")
  static let wantedService = Self("ServiceUUID", .uuid, "the UUID is advertised as such")
  static let wantedOverflow = Self("OverflowUUID", .uuid, "the UUID's bit of the overflow area is set")
  static let wantedMask = Self(
    "OverflowMask", .uuids,
    "the overflow area is that of these UUIDs and of no others, which is how not to look for one")
  static let wantedServices = Self(
    "Services", .uuids, "what an app on an iPhone scans for; of a central of the kind iOS")
  static let wantedPhone = Self("Phone", .string, "it comes from that phone")

  static let found = Self("Found", .boolean, "whether it is found within that time; default: true")
  static let seenPhone = Self("Phone", .string, "the phone that it is")
  static let seenName = Self("LocalName", .string, "the local name that is advertised")
  static let noName = Self("NoLocalName", .boolean, "true: no local name is advertised")
  static let seenServices = Self(
    "ServiceUUIDs", .uuids, "UUIDs that are advertised, maybe among others; an empty array: none is")
  static let seenOverflow = Self(
    "OverflowUUIDs", .uuids, "UUIDs whose bits of the overflow area are set; an empty array: there is none")

  static let connected = Self("Connected", .boolean, "whether the central is connected")
  static let linkServices = Self("ServiceUUIDs", .uuids, "services that the central finds there, maybe among others")
  static let noServices = Self("NoServiceUUIDs", .uuids, "services that the central does not find there")

  static let value = Self("Value", .hex, "the value")
  static let error = Self("Error", .attError, "the ATT error that the central gets")
  static let missing = Self("Missing", .boolean, "true: the central finds no such characteristic")
  static let unconnected = Self("Connected", .boolean, "false: the central is not connected any more")
  static let received = Self("Received", .boolean, "whether it arrives within that time; default: true")

  static let state = Self(
    "State", .string, "where the app is: \(Quote.list(Scenario.AppState.allCases.map(\.rawValue)))")
  static let launches = Self("Launches", .integer, "how often it was launched, by the user or by the system")
  static let restoredServices = Self(
    "RestoredServices", .uuids, "what it was told at its last launch that was published; an empty array: nothing")
  static let restoredSubscribers = Self(
    "RestoredSubscribers", .strings, "the centrals that it was told were subscribed; an empty array: none")
}
