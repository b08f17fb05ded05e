import BleperaBluetooth
import BleperaProfile
import BleperaPropertyLists

/// A profile of standard services, with comments for the person who continues it.
struct NewProfile {
  /// The services, without services that Core Bluetooth refuses.
  let services: [StandardService]
  /// A note for each service that is left out, with advice.
  let notes: [String]
  private let name: String
  private let runsInBackground: Bool

  /// - Parameter name: The name to advertise; nil for one that suits the first service.
  init(_ services: [StandardService], name: String? = nil, runsInBackground: Bool = true) {
    self.services = services.filter { !$0.isRefused }
    notes = services.filter(\.isRefused).map { service in
      "\(service.title) (\(service.uuid)) is left out: iOS publishes its own, and Core Bluetooth refuses an app's. "
        + "'blepera serve --phone-services' publishes the phone's."
    }
    self.name = name ?? self.services.first?.device ?? ""
    self.runsInBackground = runsInBackground
  }

  /// The text form.
  var text: String {
    let uuids = services.map(\.uuid)
    let restoration: [PropertyListWriter.Entry] = [
      .comment("iOS preserves the app's services and launches it again under this name."),
      .value("RestoreIdentifier", .string(services.first?.name ?? "app")),
    ]
    return PropertyListWriter.dictionary([
      .value("CFBundleIdentifier", .string("org.example.\(services.first?.name ?? "app")")),
      .value("CFBundleName", .string(name)),
      .comment(
        runsInBackground ? "The app runs on in the background." : "Without a mode the app stops in the background."),
      .value("UIBackgroundModes", .strings(runsInBackground ? [Profile.peripheralBackgroundMode] : [])),
      .value(
        "BLEPeripheral",
        .dictionary(
          (runsInBackground ? restoration : []) + [
            .value(
              "Advertisement",
              .dictionary([.value("LocalName", .string(name)), .value("ServiceUUIDs", .strings(uuids))])
            ),
            .value("Services", .array(services.map(Self.service))),
          ])),
    ])
    .text(
      head: ["\(Quote.list(services.map { "\($0.title) (\($0.uuid))" }, "and")), by blepera init."]
        + notes.flatMap { $0.replacing(": ", with: ":\n").split(separator: "\n").map(String.init) },
      ScalarTypes(Profile.schema))
  }

  private static func service(_ service: StandardService) -> PropertyListWriter {
    .dictionary([
      .comment(service.title), .value("UUID", .string(service.uuid)),
      .value("Characteristics", .array(service.characteristics.map(characteristic))),
    ])
  }

  private static func characteristic(_ characteristic: StandardService.Characteristic) -> PropertyListWriter {
    let title = BluetoothUUID(characteristic.uuid)?.assignedName.map { "\($0): " } ?? ""
    return .dictionary(
      [
        .comment(title + characteristic.comment), .value("UUID", .string(characteristic.uuid)),
        .value("Properties", .strings(characteristic.properties)),
        .value("Permissions", .strings(characteristic.permissions)),
      ] + source(characteristic.source))
  }

  private static func source(_ source: StandardService.Source) -> [PropertyListWriter.Entry] {
    switch source {
    case .written: return []
    case .constant(let bytes): return [.value("Value", .data(bytes))]
    case .wave(let format, let range, let period, let interval, let prefix):
      return [
        behavior(
          "sine",
          [
            .value("Format", .string(format)), .value("Minimum", number(range.lowerBound)),
            .value("Maximum", number(range.upperBound)), .value("Period", .integer(Int128(period))),
            .value("Interval", .integer(Int128(interval))),
          ] + (format.hasPrefix("medfloat") ? [.value("Decimals", .integer(1))] : [])
            + (prefix.isEmpty ? [] : [.value("Prefix", .data(prefix))]))
      ]
    case .sequence(let values, let interval):
      return [
        behavior(
          "sequence",
          [
            .value("Format", .string("hex")), .value("Values", .array(values.map { .data($0) })),
            .value("Interval", .integer(Int128(interval))),
          ])
      ]
    case .echo(let uuid): return [behavior("echo", [.value("Source", .string(uuid))])]
    }
  }

  private static func number(_ value: Double) -> PropertyListWriter {
    value == value.rounded() ? .integer(Int128(value)) : .real(value)
  }

  private static func behavior(_ kind: String, _ entries: [PropertyListWriter.Entry]) -> PropertyListWriter.Entry {
    .value("Behavior", .dictionary([.value("Kind", .string(kind))] + entries))
  }
}
