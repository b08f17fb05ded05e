import BlueZ
import DBus
import EventLoop
import Testing

@testable import BleperaCLI

@Suite struct RadioDoctorTests {
  @Test(.timeLimit(.minutes(1)))
  func `without a bus it says what is missing and what to do`() async {
    let reason = await RadioDoctor.explain(
      "something", Peripheral.Options(), bus: BusAddress("unix:path=/nonexistent/bus"), on: EventLoop(name: "test"))
    #expect(reason.contains("/nonexistent/bus: No such file or directory; "))
    #expect(reason.contains("systemctl start dbus"))
  }
}
