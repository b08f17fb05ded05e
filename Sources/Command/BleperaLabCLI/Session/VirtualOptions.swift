package import BleperaAir
package import BleperaBluetooth
package import BleperaHCI
package import BleperaPhone
import BleperaPhoneLink
package import BleperaProfile
package import BleperaProfileApp
package import BleperaSessions
package import BleperaVirtualBlueZ

/// The settings of a virtual air, of the phones on it and of the BlueZ beside it.
package struct VirtualOptions: Sendable {
  /// A phone and the apps that it starts with.
  package struct Phone: Sendable {
    package var name: String
    package var apps: [NamedProfile]
    /// Runs an app in a process of its own, by `sh`; nil for none.
    package var command: String?

    package init(name: String, apps: [NamedProfile], command: String? = nil) {
      self.name = name
      self.apps = apps
      self.command = command
    }

    /// A phone for each app, named after it: those of profiles, and then those that are commands.
    package static func each(_ apps: [NamedProfile], commands: [String] = []) -> [Phone] {
      let plans =
        apps.map { Phone(name: $0.shortName, apps: [$0]) }
        + commands.map { Phone(name: program(of: $0), apps: [], command: $0) }
      return plans.reduce(into: []) { phones, plan in
        var phone = plan
        phone.name = ControlAddress.name(like: plan.name, besides: phones.map(\.name))
        phones.append(phone)
      }
    }

    /// `door-key` for `DOOR=1 .build/debug/door-key --open`.
    static func program(of command: String) -> String {
      let words = command.split { $0.isWhitespace || $0 == "'" || $0 == "\"" }
      let program = words.first { !$0.contains("=") && $0 != "env" && $0 != "exec" } ?? ""
      return program.split(separator: "/").last.map(String.init) ?? ""
    }
  }

  /// The command that runs, as in a trace: `lab`, `serve` or `system`.
  package var name = "lab"
  package var phones: [Phone] = []
  /// Devices that are no phones.
  package var accessories: [(name: String, description: AccessoryDescription)] = []
  /// Options of `blepera serve` that the phones have, defaults included.
  package var settings: [String] = []
  /// Whether what the user's phone has kept is removed first.
  package var isFresh = false
  /// Whether a central of blepera's uses the first phone.
  package var hasCentral = false
  /// How long the session continues while apps are preserved and none runs; nil for a session that does not end then.
  package var linger: Duration?
  /// Whether the session ends when the user has quit all apps.
  package var endsWithApps = false
  /// The names of the adapters for programs.
  package var ownAdapters = ["hci0"]
  package var behavior = DaemonBehavior()
  /// Whether pairings are agreed to for which no program has an agent.
  package var agrees = true
  package var conditions = AirConditions()
  package var seed: UInt64 = 0
  package var phone = PhoneSettings()
  /// The chosen Device Names of the phones, in their order; the phones after them have the name of `phone`.
  package var deviceNames: [String] = []
  package var launch = LaunchMode.foreground
  /// Where programs that speak HCI attach, an adapter each.
  package var doors: [HCIEndpoint] = []
  /// Where the packets of each door's hosts are written; empty for none.
  package var hostCaptures: [HCICapture] = []
  /// Receives the packets on the radio, as records after `AirCapture.fileHeader`; nil for none.
  package var capture: (@Sendable ([UInt8]) -> Void)?
  /// Which apps' processes the phones start again.
  package var relaunch = RelaunchOptions()
  /// Run once the phones serve; empty for none.
  package var command: [String] = []
  /// How long an app that is a command may take until it is advertised.
  package var appTimeout = Duration.seconds(15)

  /// A path of blepera, which the lab's other processes run.
  package var program = OwnProcess.program

  package init() {}

  /// The settings of a phone, by its number, and its options.
  func settings(of number: Int) -> (phone: PhoneSettings, options: [String]) {
    guard deviceNames.indices.contains(number) else { return (phone, settings) }
    var named = phone
    named.chosenName = deviceNames[number]
    return (named, settings + [Self.option(deviceName: deviceNames[number])])
  }

  static func option(deviceName: String) -> String { "--device-name \(deviceName)" }

  /// The number of the first phone's adapter, after those of org.bluez and that of blepera's central.
  package var firstPhoneAdapter: Int { ownAdapters.count + (hasCentral ? 1 : 0) }
}
