import BleperaBlueZ
import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import Testing

@testable import BleperaCLI
@testable import BleperaSessions

@Suite struct RadioDoctorTests {
  @Test(.timeLimit(.minutes(5)))
  func `without a bus it says what is missing and what to do`() async {
    let reason = await RadioDoctor.explain(
      "something", BlueZRadio.Options(), bus: BusAddress("unix:path=/nonexistent/bus"), on: EventLoop(name: "test"))
    #expect(reason.contains("/nonexistent/bus: No such file or directory; "))
    #expect(reason.contains("systemctl start dbus"))
  }
}
