import BleperaBluetooth
import BleperaProfile
import BleperaPropertyLists

/// A profile of an app in the central role that uses standard services, with comments for the person who continues it.
struct NewCentral {
  let services: [StandardService]
  /// The name of the peripheral; nil for any.
  var name: String?
  var runsInBackground = true

  /// The text form.
  var text: String {
    let app = "\(services.first?.name ?? "app")-central"
    let connection: [PropertyListWriter.Entry] = name.map { [.value("Name", .string($0))] } ?? []
    let restoration: [PropertyListWriter.Entry] = [
      .comment("iOS keeps scan and connections, and launches the app again under this name."),
      .value("RestoreIdentifier", .string(app)),
    ]
    return PropertyListWriter.dictionary([
      .value("CFBundleIdentifier", .string("org.example.\(app)")),
      .value("CFBundleName", .string("\(services.first?.device ?? "") Central")),
      .comment(
        runsInBackground
          ? "Discoveries, connections and notifications wake the app."
          : "Without a mode events wait for the foreground."),
      .value("UIBackgroundModes", .strings(runsInBackground ? [AppIdentity.centralBackgroundMode] : [])),
      .value(
        "BLECentral",
        .dictionary(
          (runsInBackground ? restoration : []) + [
            .value("ScanServices", .strings(services.map(\.uuid))),
            .comment("To the first peripheral, and again after a loss."),
            .value("Connect", .dictionary(connection)),
            .comment("Used in this order after each connection."),
            .value("Characteristics", .array(services.flatMap(Self.characteristics))),
          ])),
    ])
    .text(
      head: ["A central of \(Quote.list(services.map { "\($0.title) (\($0.uuid))" }, "and")), by blepera init."],
      ScalarTypes(Profile.schema))
  }

  private static func characteristics(_ service: StandardService) -> [PropertyListWriter] {
    service.characteristics.map { characteristic in
      let title = BluetoothUUID(characteristic.uuid)?.assignedName
      let properties = Set(characteristic.properties)
      var entries: [PropertyListWriter.Entry] = [
        .comment([title, characteristic.format].compactMap(\.self).joined(separator: ": ")),
        .value("Service", .string(service.uuid)),
        .value("UUID", .string(characteristic.uuid)),
      ]
      if !properties.isDisjoint(with: ["notify", "indicate"]) { entries.append(.value("Subscribe", .boolean(true))) }
      if properties.contains("read") { entries.append(.value("Read", .boolean(true))) }
      if properties.contains("write") || properties.contains("writeWithoutResponse") {
        entries.append(.value("Write", .data(SampleWrite.defaultValue)))
        if !properties.contains("write") { entries.append(.value("WithoutResponse", .boolean(true))) }
      }
      return .dictionary(entries)
    }
  }
}

extension StandardService.Characteristic {
  /// The format of the value; nil for a constant, whose comment describes the value itself.
  fileprivate var format: String? {
    if case .constant = source { nil } else { comment }
  }
}
