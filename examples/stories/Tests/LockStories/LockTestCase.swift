import BleperaTesting
import XCTest

/// A story with XCTest.
final class LockTestCase: StoryTestCase {
  func testForceQuitTakesTheServicesAway() async throws {
    let air = Air()
    let phone = Phone(on: air)
    let door = Central(on: air, named: "door")
    let app = phone.launch(Lock().definition)
    try await door.connect(to: phone)
    phone.forceQuit()
    await air.advance(by: .seconds(1))
    XCTAssertEqual(app.state, .notRunning)
    XCTAssertFalse(door.services.contains(Lock.service))
  }
}
