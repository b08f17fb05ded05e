import BleperaBluetooth
import BleperaProfile
package import BleperaPropertyLists
import BleperaRules

extension HelpTopic {
  package static var profile: HelpTopic {
    HelpTopic(
      "profile", "The keys of a profile.",
      [
        .paragraph(
          "A profile is a property list that describes an app: an Info.plist with the dictionary BLEPeripheral, "
            + "BLECentral or both. It is text, XML or binary; keys of others are allowed beside those of the file. [] stands "
            + "for each element of an array. Where some kinds of behavior have a key, its meaning begins with them."),
        .paragraph(
          "'blepera init' writes a commented profile, 'blepera check' reports every error with its place, and 'blepera "
            + "convert' changes the form."),
      ] + parts(of: Profile.schema))
  }

  package static var accessory: HelpTopic {
    HelpTopic(
      "accessory", "The keys of an accessory.",
      [
        .paragraph(
          "An accessory is a device that is no phone, to which no rule of iOS applies: a property list of 'blepera lab "
            + "--accessory', of a scenario or of a story. Services is as in a profile, whose keys 'blepera help profile' "
            + "lists, but may be any that a device does not have of its own. What needs encryption needs the accessory's "
            + "Pairing. Without Services nobody can connect. A profile is an accessory too, with its LocalName, its "
            + "ServiceUUIDs and its Services.")
      ] + parts(of: AccessoryDescription.schema))
  }

  /// The parts for every dictionary of a schema, with each key once.
  package static func parts(of schema: [SchemaSection]) -> [Part] {
    var paths: [String] = []
    for section in schema where !paths.contains(section.path) { paths.append(section.path) }
    return paths.flatMap { path -> [Part] in
      let sections = schema.filter { $0.path == path }
      var keys: [SchemaKey] = []
      for key in sections.flatMap(\.keys) where !keys.contains(key) { keys.append(key) }
      let terms = keys.map { key -> Part in
        let owners = sections.filter { $0.keys.contains(key) }.compactMap { $0.choice?.split(separator: " ").last }
        let kinds = owners.count == sections.count || owners.isEmpty ? "" : "\(owners.joined(separator: ", ")): "
        return .term(
          key.name, notes: key.isRequired ? "\(key.type.word), required" : key.type.word, meaning: kinds + key.meaning)
      }
      return [.heading(path.isEmpty ? "The file" : path)] + terms
    }
  }

  /// The topic `rules`, without values and sources, which depend on the version of iOS.
  package static var rules: HelpTopic {
    HelpTopic(
      "rules", "The rules of the emulated iPhone.",
      [
        .paragraph(
          "Each rule is what iOS does, with the apps that it applies to. 'blepera rules' prints the rules with their values "
            + "in a version of iOS and the sources, 'blepera rules R2' one of them.")
      ]
        + RuleSet.rules.map { rule in .term("\(rule.id) \(rule.name)", notes: rule.scope, meaning: rule.meaning) })
  }

  private static let example = BluetoothUUID(UInt16(0x180D))

  package static var overflow: HelpTopic {
    let area = OverflowArea([example])
    let bit = area.bits[0]
    return HelpTopic(
      "overflow", "The overflow area, where an iPhone advertises services as bits.",
      [
        .paragraph(
          "An app in the background advertises neither its name nor its service UUIDs. Each UUID is one bit of the "
            + "overflow area instead: \(OverflowArea.maskLength * 8) bits in manufacturer data of Apple, company "
            + "004C, type \(Hex.string([OverflowArea.itemType])). So are UUIDs that do not fit into the advertisement of an app "
            + "in the foreground. The service \(example) is bit \(bit):"),
        .example(["AD    \(Hex.string(area.structure.bytes))", "mask  \(Hex.string(area.bytes))"]),
        .paragraph(
          "An iPhone that scans for a service recognizes its bit. Any other central has to test the bit itself: byte n of "
            + "the mask has the bits 8n to 8n+7, the least significant first."),
        .heading("What a central has to do"),
        .term("Test the bit, not the whole mask", meaning: "Other apps of the phone set bits of their own."),
        .term(
          "Connect and look for the service",
          meaning: "Many UUIDs share a bit, so a set bit does not show that the service is there."),
        .term("Do not filter by name or by service UUID", meaning: "Neither is on the air in the background."),
        .heading("Commands"),
        .term("blepera overflow encode \(example)", meaning: "prints the bit of a UUID and the bytes to look for."),
        .term(
          "blepera overflow decode HEX --candidates \(example)", meaning: "prints the bits that received bytes set."),
        .term("blepera overflow find \(bit)", meaning: "prints UUIDs with that bit."),
        .term("blepera explain FILE", meaning: "prints what a profile advertises in each state."),
        .paragraph(
          "Apple has not published the layout or how a UUID's bit is chosen. Both follow published captures of iPhones; the "
            + "documentation has the evidence."),
      ])
  }
}
