import BleperaBlueZ
import Testing

@Suite("Registrations with bluetoothd")
struct RegistrationMachineTests {
  @Test("Each event has its actions", arguments: Trace.wishes + Trace.world + Trace.failures + Trace.successors)
  func traces(trace: Trace) {
    #expect(trace.differences() == [])
  }

  @Test(
    "Waiting doubles with each failure, up to 5 s",
    arguments: zip(1...10, [100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000, 5000]))
  func backOff(failures: Int, milliseconds: Int) {
    #expect(RegistrationMachine.delay(after: failures) == .milliseconds(milliseconds))
  }

  @Test("Waiting is never longer, however often it has failed") func longBackOff() {
    #expect(RegistrationMachine.delay(after: .max) == .seconds(5))
  }
}
