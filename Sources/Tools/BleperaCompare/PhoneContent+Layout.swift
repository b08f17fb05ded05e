import BleperaBluetooth

extension PhoneContent {
  /// The kinds of structures in the advertisement and the scan response, in order, without their values:
  /// `flags, TX power, Apple's 10 | overflow area, name`.
  var layout: String {
    [structures, response].filter { !$0.isEmpty }.map { $0.map(\.word).joined(separator: ", ") }
      .joined(separator: " | ")
  }
}

extension ADStructure {
  fileprivate var word: String {
    switch self {
    case .flags: "flags"
    case .serviceUUIDs(_, let isComplete): isComplete ? "services" : "some services"
    case .shortenedLocalName: "shortened name"
    case .completeLocalName: "name"
    case .txPowerLevel: "TX power"
    case .serviceSolicitation: "solicited services"
    case .serviceData: "service data"
    case .appearance: "appearance"
    case .manufacturerData(OverflowArea.companyIdentifier, let data):
      ((OverflowArea(in: [self]) == nil ? [] : ["overflow area"])
        + AppleItem.items(in: data[...]).map { "Apple's \(Hex.string([$0.type]))" }).joined(separator: ", ")
    case .manufacturerData: "manufacturer data"
    case .other(let type, _): "type \(Hex.string([type]))"
    }
  }
}
