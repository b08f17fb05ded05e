import BleperaController
import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import Testing

@testable import BleperaBlueZ
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

  private static let adapters: [(isBlocked: Bool, ControllerFailure.Cause?, isKnown: Bool, Finding)] = [
    (
      false, nil, true,
      Finding(.good, "controller", "--controller hci0 takes the adapter, powered off, from bluetoothd")
    ),
    (
      false, nil, false,
      Finding(.note, "controller", "bluetoothd does not have hci0: another program may have it")
    ),
    (
      false, .noCapability, true,
      Finding(
        .note, "controller", "--controller hci0 cannot be used here: the capability CAP_NET_ADMIN is missing",
        advice: "use the system unit blepera-controller, or start with sudo")
    ),
    (
      true, nil, true,
      Finding(
        .note, "controller", "--controller hci0 cannot be used here: rfkill blocks the adapter",
        advice: "run 'rfkill unblock bluetooth', or use the machine's switch")
    ),
  ]

  @Test(arguments: adapters)
  func `the doctor lists the adapters that a phone can take`(
    isBlocked: Bool, obstacle: ControllerFailure.Cause?, isKnown: Bool, finding: Finding
  ) {
    var report = MachineReport(bus: .system)
    report.controllers = ["hci0"]
    if isKnown { report.adapters = [Adapter(path: "/org/bluez/hci0", isPowered: false)] }
    if isBlocked { report.blocked = [MachineReport.RadioBlock(controller: "hci0", isHard: false)] }
    #expect(ControllerDoctor.adapters(report, obstacle: obstacle) == [finding])
  }

  @Test(.timeLimit(.minutes(5)))
  func `a controller that is not there is a problem`() async {
    let findings = await ControllerDoctor.findings(of: .unix(path: "/nonexistent/hci"), on: EventLoop(name: "test"))
    #expect(findings.map(\.severity) == [.problem])
    #expect(
      findings.first?.state.hasPrefix("unix:/nonexistent/hci cannot be opened: No such file or directory") == true)
  }
}
