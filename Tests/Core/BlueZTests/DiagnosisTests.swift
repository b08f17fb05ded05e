import BleperaBlueZProtocol
import BleperaBluetooth
import BleperaDBus
import BleperaRadio
import Testing

@testable import BleperaBlueZ

@Suite("The doctor")
struct DiagnosisTests {
  private static let off: @Sendable (inout MachineReport) -> Void = adapters(("hci0", false))
  private static let pairing =
    "note pairing: bluetoothd reads the phones that connect, which makes them ask their user to pair"

  private static func faults(_ version: String, _ what: [String]) -> [String] {
    what.map { "note faults: bluetoothd \(version) \($0)" }
  }
  private static let old = [
    "can crash when a program ends that has acquired notifications",
    "stores an old Database Hash if a peripheral adds services during a connection",
    "connects without end to a device that has lost its keys",
  ]
  private static let page =
    "on a dual-mode adapter pages the private address of a connected iPhone, and the page's timeout ends the link after "
    + "about 5 s"
  private static let aborts = "aborts where the kernel refuses a change of a live advertisement"
  private static let volumeControl =
    "note faults: bluetoothd 5.66 with -E can crash when a link to a device with Volume Control ends"

  private static let machines: [Machine] = [
    Machine("all is well", []) { _ in },
    Machine("no bus", ["problem message bus: no system bus at unix:path=/run/bus: refused"]) {
      $0.busFailure = "refused"
    },
    Machine("no bus, and the reason names it", ["problem message bus: no system bus: cannot open /run/bus"]) {
      $0.busFailure = "cannot open /run/bus"
    },
    Machine("no daemon", ["problem bluetoothd: bluetoothd is not running: nobody owns org.bluez on the bus"]) {
      $0.hasDaemon = false
    },
    Machine("no permission", ["problem bluetoothd: the bus does not let this user talk to bluetoothd"]) {
      $0.daemonFailure = .remote(DBusErrorReply(name: .accessDenied, message: "no"))
    },
    Machine("no answer", ["problem bluetoothd: bluetoothd does not answer (no answer within 5.0 seconds)"]) {
      $0.daemonFailure = .timedOut(.seconds(5))
    },
    Machine("an unknown release", ["note bluetoothd: running, release unknown"]) {
      $0.adapters = [Machine.adapter("hci0", version: nil)]
    },
    Machine("no adapter", ["problem adapter: no Bluetooth adapter"]) {
      $0.adapters = []
      $0.controllers = []
    },
    Machine("no adapter, and the settings as they come", ["problem adapter: no Bluetooth adapter", pairing]) {
      $0.adapters = []
      $0.controllers = []
      $0.configuration = DaemonConfiguration(text: "")
    },
    Machine(
      "an adapter that bluetoothd does not see",
      ["problem adapter: bluetoothd shows no adapter, though the kernel has hci0"]
    ) { $0.adapters = [] },
    Machine(
      "an adapter that bluetoothd does not see, because LE is off",
      ["problem adapter: bluetoothd shows no adapter, though the kernel has hci0", pairing]
    ) {
      $0.adapters = []
      $0.configuration = DaemonConfiguration(text: "[General]\nControllerMode = bredr\n")
    },
    Machine(
      "a dual-mode adapter whose LE is off",
      ["problem hci0: bluetoothd offers no LEAdvertisingManager1 on hci0", pairing]
    ) {
      $0.adapters = [Machine.adapter("hci0", free: nil)]
      $0.configuration = DaemonConfiguration(text: "[General]\nControllerMode = bredr\n")
    },
    Machine(
      "a file that is no key file",
      [
        "note main.conf: bluetoothd ignores the whole main.conf for its line 2", pairing,
        "note mode: the adapter is dual-mode, so phones may connect over BR/EDR instead of LE",
      ] + faults("5.82", [page])
    ) {
      $0.configuration = DaemonConfiguration(text: "[General]\nnonsense\nControllerMode = le\n[GATT]\nClient = false")
    },
    Machine(
      "names that bluetoothd does not know",
      [
        "note main.conf: bluetoothd knows no key ControlerMode under [General] (line 2)",
        "note main.conf: bluetoothd knows no section [Gatt] (line 4)",
      ]
    ) {
      $0.configuration = DaemonConfiguration(
        text: "[General]\nControlerMode = le\nControllerMode = le\n[Gatt]\nChannels = 1\n[GATT]\nClient = false")
    },
    Machine(
      "values that bluetoothd does not take",
      [
        "note main.conf: bluetoothd does not take Client = False (line 3)",
        "note main.conf: bluetoothd does not take ControllerMode = LE (line 5)",
        "note main.conf: bluetoothd does not take Channels = 99 (line 7)",
        "note main.conf: bluetoothd does not take ExchangeMTU = 5 (line 8)", pairing,
        "note mode: the adapter is dual-mode, so phones may connect over BR/EDR instead of LE",
      ] + faults("5.82", [page])
    ) {
      $0.configuration = DaemonConfiguration(
        text: "# mine\n[GATT]\nClient = False\n[General]\nControllerMode = LE\n[GATT]\nChannels = 99\nExchangeMTU = 5")
    },
    Machine("another adapter than the one asked for", adapter: "hci1", ["problem hci1: there is no adapter hci1"]) {
      _ in
    },
    Machine("the adapter asked for", adapter: "hci0", []) { _ in },
    Machine("an adapter that is off", ["problem hci0: adapter hci0 is powered off"], changing: off),
    Machine(
      "an adapter that is off and will be powered on", powersOn: true,
      ["note hci0: 00:AA:01:00:00:00, powered off; will be powered on"], changing: off),
    Machine("an adapter that is blocked", powersOn: true, ["problem hci0: adapter hci0 is blocked by rfkill"]) {
      off(&$0)
      $0.blocked = [.init(controller: "hci0", isHard: false)]
    },
    Machine("an adapter that a switch blocks", ["problem hci0: adapter hci0 is blocked by a switch"]) {
      off(&$0)
      $0.blocked = [.init(controller: "hci0", isHard: true)]
    },
    Machine("another adapter that is blocked", ["problem hci0: adapter hci0 is powered off"]) {
      off(&$0)
      $0.blocked = [.init(controller: "hci1", isHard: true)]
    },
    Machine(
      "another adapter that is off", ["note hci1: adapter hci1 is powered off"],
      changing: adapters(("hci0", true), ("hci1", false))),
    Machine(
      "the first adapter is off, the second is on", ["note hci0: adapter hci0 is powered off"],
      changing: adapters(("hci0", false), ("hci1", true))),
    Machine(
      "the adapter asked for is off, another is on", adapter: "hci0", ["problem hci0: adapter hci0 is powered off"],
      changing: adapters(("hci0", false), ("hci1", true))),
    Machine(
      "hci2 comes before hci10",
      ["problem hci2: adapter hci2 is powered off", "note hci10: adapter hci10 is powered off"],
      changing: adapters(("hci10", false), ("hci2", false))),
    Machine("no GATT manager", ["problem hci0: bluetoothd offers no GattManager1 on hci0"]) {
      $0.adapters = [Machine.adapter("hci0", hasGATT: false)]
    },
    Machine("no advertising manager", ["problem hci0: bluetoothd offers no LEAdvertisingManager1 on hci0"]) {
      $0.adapters = [Machine.adapter("hci0", free: nil)]
    },
    Machine("no advertising manager on an adapter that is off", ["problem hci0: adapter hci0 is powered off"]) {
      $0.adapters = [Machine.adapter("hci0", isPowered: false, free: nil)]
    },
    Machine("no free instance", ["problem advertising: no free advertising instance on hci0: 4 are taken"]) {
      $0.adapters = [Machine.adapter("hci0", free: 0)]
    },
    Machine(
      "no free instance on an adapter that is not used", adapter: "hci1",
      ["note advertising: no free advertising instance on hci0: 4 are taken"]
    ) {
      $0.adapters = [Machine.adapter("hci0", free: 0), Machine.adapter("hci1")]
    },
    Machine(
      "Debian 12's bluetoothd",
      [
        "note EATT: bluetoothd 5.66 opens three ATT bearers to phones that can, which some handle badly",
        "note intervals: bluetoothd 5.66 ignores advertising intervals and always uses 1280 ms",
      ] + faults("5.66", old + [aborts])
    ) { $0.adapters = [Machine.adapter("hci0", version: DaemonVersion(5, 66), hasCapabilities: false)] },
    Machine(
      "the same with experimental interfaces",
      [
        "note EATT: bluetoothd 5.66 opens three ATT bearers to phones that can, which some handle badly",
        volumeControl,
      ] + faults("5.66", old + [aborts])
    ) { $0.adapters = [Machine.adapter("hci0", version: DaemonVersion(5, 66))] },
    Machine("the same with one ATT bearer", faults("5.66", old + [aborts]) + [volumeControl]) {
      $0.adapters = [Machine.adapter("hci0", version: DaemonVersion(5, 66))]
      $0.configuration = DaemonConfiguration(
        text: "[General]\nControllerMode=le\nReverseServiceDiscovery=false\n[GATT]\nChannels=1")
    },
    Machine(
      "a kernel that checks more than bluetoothd knows",
      ["note kernel: 6.12.93+deb13-amd64 with bluetoothd 5.82 may refuse every advertisement (0x0d)"]
    ) { $0.kernel = "6.12.93+deb13-amd64" },
    Machine(
      "the same kernel with a bluetoothd that knows",
      faults(
        "5.87",
        [
          "crashes where a program discovers with a filter of services", "crashes when a connected device is removed",
        ])
    ) {
      $0.kernel = "6.12.93+deb13-amd64"
      $0.adapters = [Machine.adapter("hci0", version: DaemonVersion(5, 87))]
    },
    Machine(
      "no right to the kernel's interface",
      ["note exact: --exact cannot be used here: the capability CAP_NET_ADMIN is missing"]
    ) { $0.exact = .failure(.noCapability) },
    Machine("an old kernel", ["note exact: --exact cannot be used here: the kernel is older than Linux 5.11"]) {
      $0.exact = .failure(.tooOld)
    },
    Machine(
      "a container",
      ["note exact: --exact cannot be used here: this container has a network of its own, and so no Bluetooth sockets"]
    ) { $0.exact = .failure(.otherNamespace) },
    Machine("no Bluetooth sockets", ["note exact: --exact cannot be used here: the kernel has no Bluetooth"]) {
      $0.exact = .failure(.noBluetooth)
    },
    Machine("the right to the kernel's interface", []) { $0.exact = .success(4) },
    Machine(
      "advertisements of programs that have ended",
      ["note advertising: bluetoothd counts 4 advertisements, and the kernel lists 2"]
    ) { $0.exact = .success(2) },
    Machine(
      "Debian 12's bluetoothd, and the right to the kernel's interface",
      [
        "note EATT: bluetoothd 5.66 opens three ATT bearers to phones that can, which some handle badly",
        "note intervals: bluetoothd 5.66 ignores advertising intervals, so blepera sets the adapter's default",
      ] + faults("5.66", old + [aborts])
    ) {
      $0.adapters = [Machine.adapter("hci0", version: DaemonVersion(5, 66), hasCapabilities: false)]
      $0.exact = .success(4)
    },
    Machine("no configuration to be read", []) { $0.configuration = nil },
    Machine(
      "the settings as they come",
      [pairing, "note mode: the adapter is dual-mode, so phones may connect over BR/EDR instead of LE"]
        + faults("5.82", [page])
    ) { $0.configuration = DaemonConfiguration(text: "") },
    Machine("a GATT client that is off", []) {
      $0.configuration = DaemonConfiguration(text: "[General]\nControllerMode = le\n[GATT]\nClient = false")
    },
    Machine(
      "a setting that this release does not know",
      [
        "note intervals: bluetoothd 5.73 ignores advertising intervals and always uses 1280 ms", pairing,
      ] + faults("5.73", old + [aborts])
    ) {
      $0.configuration = DaemonConfiguration(text: "[General]\nControllerMode = le\n[GATT]\nClient = false")
      $0.adapters = [Machine.adapter("hci0", version: DaemonVersion(5, 73), hasCapabilities: false)]
    },
  ]

  private static func adapters(_ adapters: (String, Bool)...) -> @Sendable (inout MachineReport) -> Void {
    { $0.adapters = adapters.map { Machine.adapter($0.0, isPowered: $0.1) } }
  }

  @Test("Exactly the problems are reported", arguments: machines)
  func findings(machine: Machine) {
    let findings = Diagnosis.findings(of: machine.report, adapter: machine.adapter, powersOn: machine.powersOn)
    let lines = findings.filter { $0.severity != .good }.map { "\($0.severity) \($0.subject): \($0.state)" }
    // The machine in order has the faults of its release.
    let usual = machine.report.version == DaemonVersion(5, 82) ? Self.faults("5.82", Self.old) : []
    let isReleaseShown = findings.contains { $0.subject == "kernel" }
    #expect(lines.sorted() == (machine.lines + (isReleaseShown ? usual : [])).sorted())
    #expect(findings.allSatisfy { ($0.advice != nil) == ($0.severity != .good) || $0.state.contains("will be") })
  }

  @Test("The reason is the first problem with its advice, and there is none without a problem", arguments: machines)
  func reason(machine: Machine) {
    let findings = Diagnosis.findings(of: machine.report, adapter: machine.adapter, powersOn: machine.powersOn)
    let problems = machine.lines.filter { $0.hasPrefix("problem") }
    let reason = Diagnosis.reason(findings)
    #expect((reason == nil) == problems.isEmpty)
    guard let reason, let first = findings.first(where: { $0.severity == .problem }) else { return }
    #expect(reason.hasPrefix(first.state))
    #expect(reason.hasSuffix(first.advice ?? ""))
  }

  @Test("A machine in order has a line for each check")
  func sound() {
    let lines = Diagnosis.findings(of: Machine.sound).map { "\($0.severity) \($0.subject): \($0.state)" }
    #expect(
      lines == [
        "good message bus: reachable at unix:path=/run/bus", "good bluetoothd: 5.82",
        "good hci0: 00:AA:01:00:00:00, powered on", "good advertising: 3 free instances on hci0",
        "good kernel: 6.1.192-2",
      ] + Self.faults("5.82", Self.old) + ["good pairing: bluetoothd does not read the phones that connect"])
  }

  @Test("Advice about intervals names the adapter's default first, and its other users where blepera sets it")
  func intervals() throws {
    var report = Machine.sound
    report.adapters = [Machine.adapter("hci0", version: DaemonVersion(5, 66), hasCapabilities: false)]
    func advice() -> String { Diagnosis.findings(of: report).first { $0.subject == "intervals" }?.advice ?? "" }
    #expect(advice().hasPrefix("Let blepera set the adapter's default interval, which needs CAP_NET_ADMIN; or "))
    report.exact = .success(4)
    #expect(advice().hasPrefix("other programs that register an advertisement meanwhile get that interval too"))
    #expect(Diagnosis.findings(of: report).contains { $0.subject == "exact" && $0.severity == .good })
  }

  private static let streams = ["one-central", "unsubscribe", "kept-updates"]

  @Test(
    "Limitations are those of the running release, and none without bluetoothd",
    arguments: [
      (66, false, ["intervals"] + streams + ["att-error-fd", "long-writes", "signed-writes", "disconnection-cause"]),
      (66, true, streams + ["att-error-fd", "long-writes", "signed-writes", "disconnection-cause"]),
      (73, false, ["intervals"] + streams + ["att-error-fd", "disconnection-cause"]),
      (82, true, ["disconnection-cause"]),
    ])
  func limitations(minor: Int, hasCapabilities: Bool, fixedLater: [String]) {
    var report = Machine.sound
    report.adapters = [Machine.adapter("hci0", version: DaemonVersion(5, minor), hasCapabilities: hasCapabilities)]
    let found = Diagnosis.limitations(report)
    #expect(found.filter { $0.fixedIn != nil }.map(\.id) == fixedLater)
    #expect(found.count == BlueZLimitation.all.count - 13 + fixedLater.count)
    #expect(found.contains { $0.instead.contains("`bluetoothctl system-alias NAME`") })
    report.hasDaemon = false
    #expect(Diagnosis.limitations(report) == [])
  }

  @Test(
    "A private address that main.conf asks for is no limitation",
    arguments: [
      ("device", false), ("network", false), ("on", false), ("limited-device", true), ("off", true), (nil, true),
    ] as [(String?, Bool)])
  func address(privacy: String?, isLimitation: Bool) {
    var report = Machine.sound
    report.configuration = DaemonConfiguration(text: "[General]\n" + (privacy.map { "Privacy = \($0)\n" } ?? ""))
    #expect(Diagnosis.limitations(report).contains { $0.id == "address" } == isLimitation)
  }

  @Test(
    "Advice about the GATT client is for the release that runs",
    arguments: [(73, ["General"]), (74, ["GATT"]), (nil, ["General", "GATT"])] as [(Int?, [String])])
  func advice(minor: Int?, sections: [String]) {
    var report = Machine.sound
    report.configuration = DaemonConfiguration(text: "")
    report.adapters = [Machine.adapter("hci0", version: minor.map { DaemonVersion(5, $0) })]
    let advice = Diagnosis.findings(of: report).first { $0.subject == "pairing" }?.advice ?? ""
    #expect(["General", "GATT"].filter { advice.contains("[\($0)]") } == sections)
  }

  @Test(
    "An adapter that bluetoothd does not show has a reason where main.conf has one",
    arguments: [
      ("[General]\nControllerMode = bredr", "main.conf switches LE off: set ControllerMode = le"),
      ("[GATT]\nExchangeMTU = 23", "with the ExchangeMTU of main.conf bluetoothd starts no adapter: set 48 or more"),
      ("[GATT]\nExchangeMTU = 48", "look at its log (journalctl -u bluetooth), then restart it"),
      ("", "look at its log"),
    ])
  func reason(configuration: String, start: String) throws {
    var report = Machine.sound
    report.adapters = []
    report.configuration = DaemonConfiguration(text: configuration)
    let problem = try #require(Diagnosis.findings(of: report).first { $0.severity == .problem })
    #expect(problem.advice?.hasPrefix(start) == true, "\(problem.advice ?? "")")
  }

  @Test("Without an adapter the release is unknown, and no check depends on it")
  func unknown() {
    var report = Machine.sound
    report.adapters = []
    report.configuration = DaemonConfiguration(text: "")
    #expect(Diagnosis.limitations(report) == [])
    let lines = Diagnosis.findings(of: report).filter { $0.subject == "bluetoothd" }
    #expect(lines == [Finding(.good, "bluetoothd", "running; an adapter names its release")])
  }

  @Test("DeviceID is the reason for an unknown release where main.conf has it", arguments: [true, false])
  func release(isHidden: Bool) {
    var report = Machine.sound
    report.adapters = [Machine.adapter("hci0", version: nil)]
    report.configuration = DaemonConfiguration(text: isHidden ? "[General]\nDeviceID = false" : "")
    let finding = Diagnosis.findings(of: report).first { $0.subject == "bluetoothd" }
    #expect(finding?.advice?.contains("DeviceID") == isHidden)
  }
}
