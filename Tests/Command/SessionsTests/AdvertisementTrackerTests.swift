import BleperaBluetooth
import Testing

@testable import BleperaSessions

@Suite("What is on the air now")
struct AdvertisementTrackerTests {
  private static let device = "00:AA:01:00:00:00"

  private static func content(
    _ name: String?, _ uuids: [UInt16] = [], _ data: [UInt16: [UInt8]] = [:]
  ) -> AdvertisedContent {
    var content = AdvertisedContent()
    content.name = name
    content.serviceUUIDs = uuids.map { BluetoothUUID($0) }
    content.manufacturerData = data
    return content
  }

  private static let front = content("Heart", [0x180D])
  private static let back = content(nil, [], [0x4C: [1, 0]])

  /// The findings of `count` advertisements, `interval` milliseconds apart.
  private static func receive(
    _ tracker: inout AdvertisementTracker, _ content: AdvertisedContent, _ count: Int, from start: Int,
    every interval: Int
  ) -> [AdvertisementTracker.Finding] {
    (0..<count).flatMap { tracker.receive(content, of: device, at: .milliseconds(start + $0 * interval)) }
  }

  @Test("A content is reported once, and its interval after four gaps")
  func once() {
    var tracker = AdvertisementTracker()
    #expect(
      Self.receive(&tracker, Self.front, 20, from: 0, every: 185)
        == [.discovered, .intervalMeasured(.milliseconds(185))])
    #expect(!tracker.isEmpty)
  }

  @Test("A content stays on the air for the loss timeout where advertisements are not received one by one")
  func lossTimeout() {
    var tracker = AdvertisementTracker(lossTimeout: .seconds(30))
    #expect(Self.receive(&tracker, Self.front, 20, from: 0, every: 185) == [.discovered])
    #expect(tracker.receive(Self.front, of: Self.device, at: .seconds(33)) == [])
    #expect(tracker.check(at: .seconds(62)) == [])
    // The content in its place is reported before, and the first again after that one.
    #expect(tracker.receive(Self.back, of: Self.device, at: .seconds(62)) == [.discovered])
    #expect(Self.receive(&tracker, Self.front, 4, from: 62_500, every: 1_000) == [.discovered])
    #expect(tracker.check(at: .seconds(96)) == [Self.device])
  }

  @Test("An advertisement that is lost makes no interval longer")
  func loss() {
    var tracker = AdvertisementTracker()
    let times = [0, 180, 540, 730, 920]
    let findings = times.flatMap { tracker.receive(Self.front, of: Self.device, at: .milliseconds($0)) }
    #expect(findings.last == .intervalMeasured((.milliseconds(560) / 3)))
  }

  @Test("The background is reported at once, and the foreground after it")
  func background() {
    var tracker = AdvertisementTracker()
    _ = Self.receive(&tracker, Self.front, 10, from: 0, every: 185)
    #expect(tracker.receive(Self.back, of: Self.device, at: .milliseconds(1700)) == [.discovered])
    #expect(
      Self.receive(&tracker, Self.back, 9, from: 2700, every: 1027)
        == [.intervalMeasured(.microseconds((1_000_000 + 3 * 1_027_000) / 4))])
    #expect(tracker.receive(Self.front, of: Self.device, at: .milliseconds(12_000)).first == .discovered)
    #expect(tracker.receive(Self.back, of: Self.device, at: .milliseconds(13_000)) == [])
  }

  @Test("A short time in the background is reported at its start and at its end")
  func shortBackground() {
    var tracker = AdvertisementTracker()
    _ = Self.receive(&tracker, Self.front, 10, from: 0, every: 185)
    #expect(tracker.receive(Self.back, of: Self.device, at: .milliseconds(1700)) == [.discovered])
    // Four intervals of the foreground have passed without it.
    #expect(tracker.receive(Self.front, of: Self.device, at: .milliseconds(2600)) == [.discovered])
  }

  @Test("A time too short to differ from two advertisements side by side is reported once it is certain")
  func shortestBackground() {
    var tracker = AdvertisementTracker()
    _ = Self.receive(&tracker, Self.front, 10, from: 0, every: 185)
    #expect(tracker.receive(Self.back, of: Self.device, at: .milliseconds(1700)) == [.discovered])
    #expect(Self.receive(&tracker, Self.front, 3, from: 1800, every: 185) == [])
    #expect(Self.receive(&tracker, Self.front, 5, from: 2355, every: 185) == [.discovered])
  }

  @Test("Two advertisements side by side are reported once each")
  func twoSets() {
    var tracker = AdvertisementTracker()
    var discovered: [AdvertisedContent] = []
    for number in 0..<40 {
      for (content, time) in [(Self.front, number * 185), (Self.back, number * 186 + 3)] {
        let findings = tracker.receive(content, of: Self.device, at: .milliseconds(time))
        if findings.contains(.discovered) { discovered.append(content) }
      }
    }
    #expect(discovered == [Self.front, Self.back])
  }

  @Test("Of two contents at one time the second stays on the air, though bluetoothd reports only the first by itself")
  func together() {
    var tracker = AdvertisementTracker()
    _ = tracker.receive(Self.back, of: Self.device, at: .zero)
    for number in 1..<20 {
      let now = Duration.milliseconds(number * 185)
      _ = tracker.receive(Self.front, of: Self.device, at: now)
      tracker.receiveMerged(Self.content("Heart", [0x180D], [0x4C: [1, 0]]), of: Self.device, at: now)
    }
    #expect(!tracker.receive(Self.back, of: Self.device, at: .milliseconds(3700)).contains(.discovered))
  }

  @Test("Silence is reported when the last content was missed four times, and not before two seconds")
  func silence() {
    var tracker = AdvertisementTracker()
    #expect(tracker.deadline == nil)
    _ = Self.receive(&tracker, Self.front, 11, from: 0, every: 185)
    #expect(tracker.deadline == .milliseconds(3850))
    #expect(tracker.check(at: .milliseconds(3849)) == [])
    #expect(tracker.check(at: .milliseconds(3850)) == [Self.device])
    #expect(tracker.isEmpty && tracker.deadline == nil)
    #expect(tracker.receive(Self.front, of: Self.device, at: .seconds(9)) == [.discovered])
    #expect(tracker.deadline == .milliseconds(14_200))
  }

  @Test("After a pause in scanning nothing is new, and the pause is no interval")
  func resume() {
    var tracker = AdvertisementTracker()
    _ = Self.receive(&tracker, Self.front, 2, from: 0, every: 185)
    tracker.resume(at: .seconds(60))
    #expect(tracker.receive(Self.front, of: Self.device, at: .milliseconds(60_010)) == [])
    #expect(
      Self.receive(&tracker, Self.front, 3, from: 60_195, every: 185)
        == [.intervalMeasured(.milliseconds(185))])
  }
}
