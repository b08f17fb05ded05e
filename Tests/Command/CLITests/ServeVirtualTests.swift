import BleperaAppLink
import BleperaBluetooth
import BleperaEventLoop
import BleperaLoop
import BleperaSessions
import BusTesting
import FoundationEssentials
import Glibc
import Synchronization
import Testing

@testable import BleperaCLI

@Suite struct ServeVirtualTests {
  /// Notified twenty times a second, so that a visit of the central is short.
  static let profile = """
    <plist version="1.0"><dict>
      <key>CFBundleIdentifier</key><string>org.example.quick</string>
      <key>UIBackgroundModes</key><array><string>bluetooth-peripheral</string></array>
      <key>BLEPeripheral</key><dict>
        <key>Advertisement</key><dict>
          <key>LocalName</key><string>Quick</string>
          <key>ServiceUUIDs</key><array><string>180D</string></array>
        </dict>
        <key>Services</key><array><dict>
          <key>UUID</key><string>180D</string>
          <key>Characteristics</key><array><dict>
            <key>UUID</key><string>2A37</string>
            <key>Properties</key><array><string>read</string><string>notify</string></array>
            <key>Permissions</key><array><string>readable</string></array>
            <key>Behavior</key><dict>
              <key>Kind</key><string>counter</string><key>Format</key><string>uint16</string>
              <key>Interval</key><real>0.05</real>
            </dict>
          </dict></array>
        </dict></array>
      </dict>
    </dict></plist>
    """

  /// The keys of a line of JSON that the tests use.
  private struct Line: Decodable {
    struct Data: Decodable {
      let company: String
      let data: String
    }

    let side: String?
    let event: String
    let state: String?
    let localName: String?
    let peripheral: String?
    let manufacturerData: [Data]?
    let value: String?
    let seconds: Double?
  }

  /// A run of the command, and the folder that it has for itself. Nothing here waits with a thread: the tests have few.
  private final class Run {
    let folder: TemporaryFolder
    let program: WatchedProgram
    let address: ControlAddress

    init(_ arguments: [String] = ["--json"]) throws {
      folder = try TemporaryFolder()
      let profile = try folder.write(ServeVirtualTests.profile, to: "quick.plist")
      program = try WatchedProgram(
        ["serve", "--virtual", profile] + arguments,
        environment: [
          "XDG_RUNTIME_DIR": folder.path, "BLEPERA_RUNTIME_DIR": "", "BLEPERA_STATE_DIR": "\(folder.path)/state",
        ])
      address = try ControlAddress(name: "default", folder: "\(folder.path)/blepera")
    }

    func nextLine() async throws -> String {
      let line = try await program.nextLine()
      try #require(!line.isEmpty, "it has ended")
      return line
    }

    /// The next line that `match` takes; an error at the end of all.
    @discardableResult
    func wait(_ side: String, _ event: String, _ match: (Line) -> Bool = { _ in true }) async throws -> Line {
      while true {
        let line = try JSONDecoder().decode(Line.self, from: Data(try await nextLine().utf8))
        if line.side == side, line.event == event, match(line) { return line }
      }
    }

    /// The files left in the command's folder after its end, without the profile and the phone's state.
    func leftovers() throws -> [String] {
      let folder = unsafe try #require(unsafe opendir(self.folder.path))
      defer { unsafe closedir(folder) }
      var names: [String] = []
      while let entry = unsafe readdir(folder) {
        let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) {
          unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        if ![".", "..", "quick.plist", "state"].contains(name) { names.append(name) }
      }
      return names
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `the central discovers the phone, uses it, and sees it move to the background`() async throws {
    let run = try Run()
    let discovered = try await run.wait("central", "discovered") { $0.localName == "Quick" }
    #expect(discovered.seconds != nil)
    let status = try await ControlConnection.ask(ControlRequest(.status), at: run.address).status
    let address = try #require(status?.address)
    #expect(address.identity.hasPrefix("00:AA:01:") && address.irk?.utf8.count == 32)
    #expect(discovered.peripheral == address.current && address.current != address.identity)
    try await run.wait("central", "connecting")
    try await run.wait("phone", "connected")
    try await run.wait("central", "read") { $0.value != nil }
    var values: [String?] = []
    for _ in 0..<5 { values.append(try await run.wait("central", "received").value) }
    // One after the other, little end first; a machine that is late leaves some out.
    let numbers = values.compactMap { $0.flatMap { Hex.bytes($0) } }.map { Int($0[0]) | Int($0[1]) << 8 }
    #expect(numbers.count == 5 && zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
    try await run.wait("phone", "disconnected")
    #expect(try await ControlConnection.ask(ControlRequest(.background), at: run.address) == .done)
    try await run.wait("phone", "state") { $0.state == "background" }
    let back = try await run.wait("central", "discovered")
    #expect(back.localName == nil)
    #expect(back.manufacturerData?.map(\.company) == ["004C"])
    #expect(back.manufacturerData?.first?.data == "0100000000000000200000000000000000")
    try await run.wait("central", "waiting") { $0.seconds == 12 }
    #expect(try await ControlConnection.ask(ControlRequest(.foreground), at: run.address) == .done)
    try await run.wait("central", "discovered") { $0.localName == "Quick" }
    #expect(try await run.program.end(by: SIGTERM) == .exited(143))
    unsafe rmdir(run.address.folder)
    #expect(try run.leftovers() == [])
  }

  @Test(.timeLimit(.minutes(5)))
  func `an app that was quit can be launched again, and shutdown ends it with status 0`() async throws {
    let run = try Run()
    try await run.wait("central", "discovered")
    #expect(try await ControlConnection.ask(ControlRequest(.quit), at: run.address) == .done)
    try await run.wait("phone", "removed")
    #expect(try await ControlConnection.ask(ControlRequest(.launch), at: run.address) == .done)
    try await run.wait("phone", "state") { $0.state == "foreground" }
    try await run.wait("phone", "advertising") { $0.localName == "Quick" }
    #expect(try await ControlConnection.ask(ControlRequest(.shutdown), at: run.address) == .done)
    #expect(try await run.program.end() == .exited(0))
  }

  @Test(.timeLimit(.minutes(5)), arguments: [(SIGINT, 0), (SIGHUP, 129)] as [(CInt, CInt)])
  func `a signal ends it, and each line says whose it is`(signal: CInt, status: CInt) async throws {
    let run = try Run(["--public-address"])
    var lines: [String] = []
    while lines.last?.contains("connecting") != true { lines.append(try await run.nextLine()) }
    #expect(try await run.program.end(by: signal) == .exited(status))
    #expect(lines.allSatisfy { $0.hasPrefix("phone   │ ") || $0.hasPrefix("central │ ") })
    #expect(
      lines.contains { $0.contains("discovered      00:AA:01:") && $0.contains(#"  "Quick"  180D Heart Rate"#) })
    unsafe rmdir(run.address.folder)
    #expect(try run.leftovers() == [])
  }
}
