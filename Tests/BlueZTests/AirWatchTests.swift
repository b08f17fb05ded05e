import BleperaBluetooth
import BleperaDBus
import Testing

@testable import BleperaBlueZ

@Suite("What is on the air now")
struct AirWatchTests {
  private static let path: ObjectPath = "/org/bluez/hci1/dev_00_AA_01_00_00_00"

  private static func device(
    _ name: String?, _ uuids: [UInt16] = [], _ data: [UInt16: [UInt8]] = [:]
  ) -> FoundDevice {
    var device = FoundDevice(path: path)
    device.advertised.name = name
    device.advertised.serviceUUIDs = uuids.map { BluetoothUUID($0) }
    device.advertised.manufacturerData = data
    return device
  }

  private static let front = device("Heart", [0x180D])
  private static let back = device(nil, [], [0x4C: [1, 0]])

  /// One advertisement after the other, so many milliseconds apart; what is told of each.
  private static func hear(
    _ watch: inout AirWatch, _ device: FoundDevice, _ count: Int, from start: Int, every interval: Int
  ) -> [AirWatch.Finding] {
    (0..<count).flatMap { watch.heard(device, at: .milliseconds(start + $0 * interval)) }
  }

  @Test("A content is told once, and its interval after four gaps")
  func once() {
    var watch = AirWatch()
    #expect(
      Self.hear(&watch, Self.front, 20, from: 0, every: 185)
        == [.heard(Self.front), .paced(Self.front, every: .milliseconds(185))])
    #expect(watch.present == [Self.front])
  }

  @Test("Where advertisements do not come one by one, a content may be unheard for as long as that takes")
  func patience() {
    var watch = AirWatch(lossTimeout: .seconds(30))
    #expect(Self.hear(&watch, Self.front, 20, from: 0, every: 185) == [.heard(Self.front)])
    #expect(watch.heard(Self.front, at: .seconds(33)) == [])
    #expect(watch.check(at: .seconds(62)) == [])
    // What stands in its place is told before, and itself when it is back.
    #expect(watch.heard(Self.back, at: .seconds(62)) == [.heard(Self.back)])
    #expect(Self.hear(&watch, Self.front, 4, from: 62_500, every: 1_000) == [.heard(Self.front)])
    #expect(watch.check(at: .seconds(96)) == [.silent(Self.front)])
  }

  @Test("An advertisement that is lost makes no interval longer")
  func loss() {
    var watch = AirWatch()
    let times = [0, 180, 540, 730, 920]
    let findings = times.flatMap { watch.heard(Self.front, at: .milliseconds($0)) }
    #expect(findings.last == .paced(Self.front, every: (.milliseconds(560) / 3)))
  }

  @Test("The background is told at once, and the foreground after it")
  func background() {
    var watch = AirWatch()
    _ = Self.hear(&watch, Self.front, 10, from: 0, every: 185)
    #expect(watch.heard(Self.back, at: .milliseconds(1700)) == [.heard(Self.back)])
    #expect(
      Self.hear(&watch, Self.back, 9, from: 2700, every: 1027)
        == [.paced(Self.back, every: .microseconds((1_000_000 + 3 * 1_027_000) / 4))])
    #expect(watch.heard(Self.front, at: .milliseconds(12_000)).first == .heard(Self.front))
    #expect(watch.heard(Self.back, at: .milliseconds(13_000)) == [])
  }

  @Test("A short visit to the background is told both ways")
  func shortBackground() {
    var watch = AirWatch()
    _ = Self.hear(&watch, Self.front, 10, from: 0, every: 185)
    #expect(watch.heard(Self.back, at: .milliseconds(1700)) == [.heard(Self.back)])
    // Four intervals of the foreground have passed without it.
    #expect(watch.heard(Self.front, at: .milliseconds(2600)) == [.heard(Self.front)])
  }

  @Test("One that is too short to be told from two advertisements side by side is told when it is clear")
  func shortestBackground() {
    var watch = AirWatch()
    _ = Self.hear(&watch, Self.front, 10, from: 0, every: 185)
    #expect(watch.heard(Self.back, at: .milliseconds(1700)) == [.heard(Self.back)])
    #expect(Self.hear(&watch, Self.front, 3, from: 1800, every: 185) == [])
    #expect(Self.hear(&watch, Self.front, 5, from: 2355, every: 185) == [.heard(Self.front)])
  }

  @Test("Two advertisements side by side are told once each")
  func twoSets() {
    var watch = AirWatch()
    var findings: [AirWatch.Finding] = []
    for number in 0..<40 {
      findings += watch.heard(Self.front, at: .milliseconds(number * 185))
      findings += watch.heard(Self.back, at: .milliseconds(number * 186 + 3))
    }
    #expect(findings.filter { if case .heard = $0 { true } else { false } } == [.heard(Self.front), .heard(Self.back)])
  }

  @Test("Of two at the same moment the second is not taken for gone, though only the first is told by itself")
  func together() {
    var watch = AirWatch()
    _ = watch.heard(Self.back, at: .zero)
    var findings: [AirWatch.Finding] = []
    for number in 1..<20 {
      let now = Duration.milliseconds(number * 185)
      findings += watch.heard(Self.front, at: now)
      watch.heardMore(Self.device("Heart", [0x180D], [0x4C: [1, 0]]), at: now)
    }
    findings += watch.heard(Self.back, at: .milliseconds(3700))
    #expect(!findings.contains(.heard(Self.back)))
  }

  @Test("Silence is told when the last content has been missed four times, and not before two seconds")
  func silence() {
    var watch = AirWatch()
    #expect(watch.deadline == nil)
    _ = Self.hear(&watch, Self.front, 11, from: 0, every: 185)
    #expect(watch.deadline == .milliseconds(3850))
    #expect(watch.check(at: .milliseconds(3849)) == [])
    #expect(watch.check(at: .milliseconds(3850)) == [.silent(Self.front)])
    #expect(watch.present.isEmpty && watch.deadline == nil)
    #expect(watch.heard(Self.front, at: .seconds(9)) == [.heard(Self.front)])
    #expect(watch.deadline == .milliseconds(14_200))
  }

  @Test("After a time in which nobody listened nothing is new, and that time is no interval")
  func resume() {
    var watch = AirWatch()
    _ = Self.hear(&watch, Self.front, 2, from: 0, every: 185)
    watch.resume(at: .seconds(60))
    #expect(watch.heard(Self.front, at: .milliseconds(60_010)) == [])
    #expect(
      Self.hear(&watch, Self.front, 3, from: 60_195, every: 185)
        == [.paced(Self.front, every: .milliseconds(185))])
  }
}
