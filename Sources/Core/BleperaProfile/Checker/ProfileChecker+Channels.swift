import BleperaBluetooth
import BleperaPropertyLists

extension ProfileChecker {
  mutating func channels(_ peripheral: Fields, _ profile: Profile) -> [Profile.Channel] {
    var channels: [Profile.Channel] = []
    if let field = peripheral[.channels], case .array(let nodes) = field.node.value {
      let limit = L2CAPPSM.dynamic.count
      if nodes.count > limit {
        error(
          field, found: "\(nodes.count) channels", expected: "at most \(limit): there are no numbers for the others")
      }
      for (index, node) in nodes.prefix(limit).enumerated() {
        guard let fields = fields(of: node, .channel, field.path.index(index)) else { continue }
        if let kind = fields[.channelKind], case .string(let text) = kind.node.value, text != "echo" {
          error(kind, found: Quote.text(text), expected: "echo")
        }
        var channel = Profile.Channel()
        if let encryption = fields[.channelEncryption], case .boolean(let isRequired) = encryption.node.value {
          channel.requiresEncryption = isRequired
        }
        channels.append(channel)
      }
    }
    let count = profile.psmCharacteristics.count
    if count > channels.count, let services = peripheral[.services] {
      faults.warn(
        at: services.node.offset, services.path,
        found: "\(count) characteristics for PSMs (\(BluetoothUUID.l2capPSM)), and \(channels.count) L2CAPChannels",
        expected: "a channel for each: the others have no value")
    }
    return channels
  }
}
