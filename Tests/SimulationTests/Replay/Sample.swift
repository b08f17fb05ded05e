import BleperaAppLink
import BleperaBluetooth
import BleperaProfile
import BleperaPropertyLists
import Testing

@testable import BleperaRecording
@testable import BleperaSimulation

/// A lock with a pulse, and a trace of it.
enum Sample {
  static func plist(second: String = "AQ==", isComplete: Bool = true) -> String {
    let location = """
      <dict>
        <key>UUID</key><string>2A38</string>
        <key>Properties</key><array><string>read</string></array>
        <key>Permissions</key><array><string>readable</string></array>
        <key>Value</key><data>\(second)</data>
      </dict>
      """
    return """
      <plist version="1.0"><dict>
        <key>CFBundleIdentifier</key><string>org.example.lock</string>
        <key>UIBackgroundModes</key><array><string>bluetooth-peripheral</string></array>
        <key>BLEPeripheral</key><dict>
          <key>RestoreIdentifier</key><string>lock</string>
          <key>Advertisement</key><dict>
            <key>LocalName</key><string>Lock</string>
            <key>ServiceUUIDs</key><array><string>180D</string></array>
          </dict>
          <key>Services</key><array><dict>
            <key>UUID</key><string>180D</string>
            <key>Characteristics</key><array>
              <dict>
                <key>UUID</key><string>2A37</string>
                <key>Properties</key><array><string>read</string><string>notify</string></array>
                <key>Permissions</key><array><string>readable</string></array>
                <key>Behavior</key><dict>
                  <key>Kind</key><string>random</string><key>Format</key><string>uint16</string>
                  <key>Minimum</key><integer>0</integer><key>Maximum</key><integer>65535</integer>
                </dict>
              </dict>
              <dict>
                <key>UUID</key><string>2A39</string>
                <key>Properties</key><array><string>write</string><string>notify</string></array>
                <key>Permissions</key><array><string>writeable</string></array>
                <key>Behavior</key><dict><key>Kind</key><string>echo</string></dict>
              </dict>
              \(isComplete ? location : "")
            </array>
          </dict></array>
        </dict>
      </dict></plist>
      """
  }

  static func app(_ plist: String = plist()) throws -> ReplayedApp {
    let check = Profile.check(Array(plist.utf8), file: "lock.plist")
    return ReplayedApp(profile: try #require(check.profile, "\(check.diagnostics)"), name: "lock")
  }

  static let central = "00:11:22:33:44:55"

  static let header = TraceHeader(
    time: Timestamp(seconds: 0, milliseconds: 0), blepera: nil, command: "lab", ios: 26, bluez: "5.66",
    launch: "foreground", seed: 5, phones: [.init(apps: ["org.example.lock"])])

  /// The actions in it; a replay makes the other events.
  static let actions: [EventRecord] = [
    record(.state, at: 0) { $0[.state] = .text("foreground") },
    record(.poweredOn, at: 0.001) { _ in },
    record(.published, at: 0.01) {
      $0[.service] = .short(0x180D)
      $0.app = "org.example.lock"
    },
    record(.connected, at: 2.2) { $0[.central] = .text(central) },
    record(.subscribed, at: 2.4, 0x2A37) { _ in },
    record(.read, at: 2.5, 0x2A38) { _ in },
    record(.read, at: 3.5, 0x2A37) { _ in },
    record(.subscribed, at: 4.2, 0x2A39) { _ in },
    record(.write, at: 4.3, 0x2A39) { $0[.value] = .hex("2A") },
    record(.commandReceived, at: 5.1) { $0[.command] = .text("background") },
    record(.unsubscribed, at: 10.5, 0x2A37) { _ in },
    record(.commandReceived, at: 20) {
      $0[.command] = .text("terminate")
      $0.app = nil
    },
    record(.write, at: 30, 0x2A39) { $0[.value] = .hex("2B") },
    record(.disconnected, at: 31) { $0[.central] = .text(central) },
    record(.commandReceived, at: 40) { $0[.command] = .text("lock") },
    record(.commandReceived, at: 41.3) { $0[.command] = .text("reboot") },
    record(.commandReceived, at: 43) { $0[.command] = .text("unlock") },
  ]

  private static func record(
    _ event: EventRecord.Kind, at seconds: Double, _ characteristic: UInt16? = nil, _ body: (inout EventRecord) -> Void
  ) -> EventRecord {
    var record = EventRecord(event)
    record.time = Timestamp(sinceEpoch: .seconds(seconds)).date
    if let characteristic {
      record[.central] = .text(central)
      record[.service] = .short(0x180D)
      record[.characteristic] = .short(characteristic)
    }
    if event == .state || characteristic != nil { record.app = "org.example.lock" }
    body(&record)
    return record
  }

  static func trace(_ records: [EventRecord], radio: TraceHeader.Radio? = nil) throws -> TraceFile {
    var header = header
    header.radio = radio
    let text = ([header.json] + records.map(\.json)).joined(separator: "\n") + "\n"
    return try TraceFile(Array(text.utf8))
  }

  static func play(_ trace: TraceFile, _ app: ReplayedApp) throws -> TraceComparison {
    try ReplayPlayer(trace, try ReplayScript(trace), apps: [app], bluezTimeLimit: .milliseconds(4500)).play()
  }

  /// The trace that `serve` would write for these actions.
  static func recorded(_ actions: [EventRecord] = actions, radio: TraceHeader.Radio? = nil) throws -> TraceFile {
    let played = try play(try trace(actions, radio: radio), try app())
    return try trace(
      played.actual.map { entry in
        var record = entry.record
        record.time = Timestamp(sinceEpoch: entry.time).date
        return record
      }, radio: radio)
  }
}

extension EventValue {
  static func short(_ uuid: UInt16) -> EventValue { .uuid(BluetoothUUID(uuid)) }
  static func hex(_ digits: String) -> EventValue { Hex.bytes(digits).map { .bytes($0) } ?? .text(digits) }
}
