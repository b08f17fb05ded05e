import BleperaBluetooth
import BleperaRules
import Testing

@testable import BleperaCompare

@Suite struct ScenesTests {
  static let second: Int64 = 1_000_000_000
  static let start: Int64 = 1_700_000_000 * second

  /// All scenes as they are asked for.
  static let played: PlayedScenes = {
    var (played, time) = (PlayedScenes(), start)
    for scene in Scene.all {
      played.add(scene, at: time)
      time += Int64(scene.seconds) * second
    }
    return played
  }()

  /// A phone that advertises while the scenes are played, by a clock that is ahead.
  static func capture(_ ahead: Int64, lag: Int64 = 0, without last: Int = 0) throws -> [CapturedPacket] {
    var packets: [CapturedPacket] = []
    let entries = played.entries.filter { $0.scene.isLocked != nil || $0.scene.app != nil }.dropLast(last)
    for (entry, next) in zip(entries, played.entries.dropFirst()) {
      let isLocked = entry.scene.isLocked ?? (entry.scene.name == "dark")
      let interval: Int64 = entry.scene.app == .front ? 30_000_000 : 270_000_000
      let data = "02011A 0BFF4C00 1006 \(isLocked ? "33" : "7B")1EA3DD89E0"
      for time in stride(from: entry.start + (isLocked ? lag : 0), to: next.start, by: Int(interval)) {
        let pdu = try #require(Hex.bytes("4012" + "010203040560" + data.filter { $0 != " " }))
        packets.append(
          CapturedPacket(
            number: 0, time: time + ahead,
            content: .air(AirPacket(channel: 37, signal: nil, accessAddress: 0x8E89_BED6, pdu: pdu, isCRCRight: true))))
      }
    }
    return packets
  }

  private static func comparison(_ packets: [CapturedPacket], scenes: PlayedScenes? = nil) -> CaptureComparison {
    var comparison = CaptureComparison(PhoneSelection(addresses: [0x6005_0403_0201]))
    comparison.beginCapture(scenes: scenes)
    for packet in packets { comparison.add(packet) }
    return comparison
  }

  @Test("a scene file is read as it was written; another text is none")
  func file() throws {
    #expect(PlayedScenes(Self.played.text) == Self.played)
    #expect(Self.played.text.contains("\n1700000005.000 unlock1\n"))
    // In nanoseconds, a double of 2023 is not exact.
    let twice = "1700000000.1234 lock1\n1700000000.1234 unlock1"
    #expect(PlayedScenes(twice).flatMap { PlayedScenes($0.text) }?.entries.count == 2)
    for text in ["", "1700000000 dance", "1700000001 lock1\n1700000000 unlock1", "now lock1", "-1 lock1", "1e30 lock1"]
    {
      #expect(PlayedScenes(text) == nil, "\(text)")
    }
  }

  @Test("the pairs of lock and unlock show the offset of the clocks", arguments: [0, -7200, 86_400] as [Int64])
  func offset(ahead: Int64) throws {
    let changes = Self.comparison(try Self.capture(ahead * Self.second, lag: 1_400_000_000)).lockChanges
    let found = try #require(ClockOffset(of: Self.played, in: changes))
    // A phone is locked a second or two after its button.
    #expect(found.error == 700_000_000)
    #expect(abs(found.nanoseconds - ahead * Self.second) <= found.error)
  }

  @Test("without the pairs there is no offset")
  func noOffset() throws {
    let changes = Self.comparison(try Self.capture(0, without: 6)).lockChanges
    #expect(ClockOffset(of: Self.played, in: changes) == nil)
    #expect(ClockOffset(of: Self.played, in: LockChanges()) == nil)
    #expect(ClockOffset(seconds: .infinity) == nil && ClockOffset(seconds: -3.5)?.nanoseconds == -3_500_000_000)
  }

  @Test("packets without an overflow area count as the app's where the scene says that it is behind")
  func states() throws {
    let packets = try Self.capture(60 * Self.second)
    func content(_ name: String, _ comparison: CaptureComparison) -> RuleContent? {
      comparison.compare(with: RuleSet(.newest)).first { $0.name == name }?.measured?.content
    }
    let changes = Self.comparison(packets).lockChanges
    let offset = try #require(ClockOffset(of: Self.played, in: changes))
    let byScene = Self.comparison(packets, scenes: Self.played.shifted(by: offset))
    #expect(content("backgroundInterval", byScene) == .milliseconds(270))
    #expect(content("backgroundInterval", Self.comparison(packets)) == nil)
  }
}
