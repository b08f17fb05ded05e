import BleperaBluetooth
import BleperaProfile
import BleperaProfileApp
import Testing

@testable import BleperaCLI

/// The values that the central of `serve --virtual` writes by itself.
@Suite struct SampleWriteTests {
  @Test(
    arguments: [
      ("heart-rate", []), ("smart-lock", ["01"]), ("slow-lock", ["01"]),
      // Ask for a challenge, answer it, lock again: no wrong answer.
      ("challenge-lock", ["01", "02A5E83C77F16BD40E", "00"]),
      ("nordic-uart", ["version?", "led hello", "count", "stop", "hello"]),
    ])
  func `the values show what a behavior is for`(name: String, values: [String]) throws {
    let path = "\(ShippedProfiles.folder)/\(name).plist"
    let profile = try #require(ProfileFiles([path], coloredFor: .plain).profiles?.first).profile
    let written = profile.sampleWrites.map(\.value)
    #expect(written == values.map { Hex.bytes($0) ?? Array($0.utf8) })
  }
}
