import BlueZ
import DBus
import Profile
import Testing

@testable import BleperaCLI

@Suite struct ServeSessionTests {
  @Test(.timeLimit(.minutes(1)))
  func `without a bus, serving ends with what is missing and what to do`() async {
    let bus = BusAddress("unix:path=/nonexistent/bus")
    let session = ServeSession(printer: EventPrinter(isJSON: true), bus: bus, options: Peripheral.Options())
    let reason = await session.run(Profile(), name: "test")
    #expect(reason?.contains("/nonexistent/bus: No such file or directory; ") == true)
    #expect(reason?.contains("systemctl start dbus") == true)
  }
}
