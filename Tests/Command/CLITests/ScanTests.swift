import ArgumentParser
import BleperaBluetooth
import BleperaEventLoop
import BleperaLoop
import BleperaRules
import BusTesting
import Glibc
import Testing

@testable import BleperaCLI
@testable import BleperaCommands
@testable import BleperaSessions

@Suite(.serialized) struct ScanTests {
  private static let heartRate = BluetoothUUID(0x180D as UInt16)
  /// Has the bit of 180D.
  private static let rival = BluetoothUUID(0x00A3 as UInt16)

  /// The records of a scan for a phone with the heart rate profile.
  private static func scan(
    _ launch: LaunchMode, _ options: ScanSession.Options
  ) async throws -> (records: [ScanRecord], failure: String?) {
    let path = try #require(ShippedProfiles.paths.first { $0.hasSuffix("/heart-rate.plist") })
    let profile = try #require(ProfileFiles([path], coloredFor: .plain).profiles?.first)
    let records = Mailbox<ScanRecord>()
    var received: [ScanRecord] = []
    var failure: String?
    try await PhonesOnAir.run(adapters: 2) { air in
      try await air.serve(profile, on: "hci1", launch)
      let session = ScanSession(options) { records.put($0) }
      let bus = air.address
      async let end = session.run(on: bus)
      while received.last?.event != .discovered { received.append(try await records.next()) }
      await session.stop()
      failure = await end
    }
    return (received, failure)
  }

  private static func options(
    _ services: [BluetoothUUID], _ place: ScanRecord.Place = .foreground
  ) -> ScanSession.Options {
    ScanSession.Options(adapter: "hci0", request: ScanRequest(services: services), place: place)
  }

  /// The requested services, the state of the app, and the services that are found by their bits; nil if none is found.
  private static let backgrounded: [([BluetoothUUID], ScanRecord.Place, [BluetoothUUID]?)] = [
    ([heartRate], .background, [heartRate]), ([rival], .foreground, [rival]), ([heartRate], .screenOff, nil),
  ]

  @Test(.timeLimit(.minutes(5)), arguments: backgrounded.indices)
  func `a phone in the background is found by its bit`(index: Int) async throws {
    let (services, place, expected) = Self.backgrounded[index]
    let (records, failure) = try await Self.scan(.leftForeground, Self.options(services, place))
    #expect(records.map(\.event) == [.scanning, .discovered] && failure == nil)
    let record = try #require(records.last)
    #expect(record.peripheral == "00:AA:01:00:00:01" && record.overflowBits == [61])
    let ios = try #require(record.views?.ios)
    #expect(ios.isDiscovered == (expected != nil))
    if case .discovered(let discovery) = ios.outcome {
      #expect(discovery.overflowServiceUUIDs.map(\.uuid) == expected)
    }
    #expect(record.views?.android.manufacturerData?.map(\.company) == ["004C"])
    #expect(record.views?.bluez?.name == nil && record.views?.bluez?.serviceUUIDs == [])
  }

  @Test(.timeLimit(.minutes(5)))
  func `a phone in the foreground is found by what it lists`() async throws {
    let (records, _) = try await Self.scan(.foreground, Self.options([Self.heartRate]))
    guard case .discovered(let discovery) = records.last?.views?.ios.outcome else {
      Issue.record("not found")
      return
    }
    #expect(discovery.serviceUUIDs == [Self.heartRate] && discovery.overflowServiceUUIDs == [])
    #expect(discovery.localName == "Heart Rate" && records.last?.views?.android.name == "Heart Rate")
  }

  @Test(
    arguments: [
      ("", [], .foreground, .ios26, nil),
      ("--services 180D 00A3 --seconds 2.5", [heartRate, rival], .foreground, .ios26, 2.5),
      ("--background --services 180D --ios 14", [heartRate], .background, .ios14, nil),
      ("--screen-off --background", [], .screenOff, .ios26, nil),
      ("--background --live-activity --ios 27", [], .background, .ios27, nil),
    ] as [(String, [BluetoothUUID], ScanRecord.Place, IOSVersion, Double?)])
  func `options say who scans for what`(
    words: String, services: [BluetoothUUID], place: ScanRecord.Place, version: IOSVersion, seconds: Double?
  ) throws {
    let words = ["scan"] + words.split(separator: " ").map(String.init)
    let options = try #require(try Blepera.parseAsRoot(words) as? ScanCommand).options
    #expect(options.request.services == services && options.place == place)
    #expect(options.hasLiveActivity == words.contains("--live-activity"))
    #expect(options.rules.version == version && options.limit.map { $0 / .seconds(1) } == seconds)
  }

  @Test(arguments: [
    "--services 18", "--seconds 0", "--ios 19", "180D", "--live-activity", "--background --live-activity --ios 18",
  ])
  func `what is wrong is refused`(words: String) {
    #expect(throws: (any Error).self) {
      try Blepera.parseAsRoot(["scan"] + words.split(separator: " ").map(String.init))
    }
  }

  @Test(.timeLimit(.minutes(5)), arguments: [(SIGINT, 0), (SIGTERM, 143)] as [(CInt, CInt)])
  func `a signal ends it`(signal: CInt, status: CInt) async throws {
    try await PhonesOnAir.run(adapters: 1) { air in
      let program = try WatchedProgram(["scan", "--json"], on: air.address)
      #expect(try await program.nextLine().hasPrefix(#"{"event":"started","time":"#))
      #expect(try await program.nextLine().hasPrefix(#"{"adapter":"hci0","event":"scanning","interval":40,"ios":26,"#))
      #expect(try await program.end(by: signal) == .exited(status))
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `an adapter that is not there is no radio`() async throws {
    try await PhonesOnAir.run(adapters: 1) { air in
      var options = Self.options([])
      options.adapter = "hci7"
      let failure = await ScanSession(options) { _ in }.run(on: air.address)
      #expect(failure?.contains("hci7") == true)
    }
  }
}
