import BlueZ
import Control
import DBus
import Glibc
import Policy
import Profile
import Testing

@testable import BleperaCLI

@Suite struct ServeSessionTests {
  @Test(.timeLimit(.minutes(1)))
  func `without a bus, serving ends with what is missing and what to do`() async throws {
    let bus = BusAddress("unix:path=/nonexistent/bus")
    let session = ServeSession(
      printer: EventPrinter(isJSON: true), bus: bus, options: Peripheral.Options(), rules: .newest, launch: .foreground)
    let address = try ControlAddress(name: "test-\(getpid())")
    let reason = try await session.run([NamedProfile(profile: Profile(), name: "test")], at: address)
    #expect(reason?.contains("/nonexistent/bus: No such file or directory; ") == true)
    #expect(reason?.contains("systemctl start dbus") == true)
  }
}
