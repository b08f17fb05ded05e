package import BleperaAir
import BleperaAppLink
package import BleperaBluetooth
package import BleperaHCI
package import BleperaPhone
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
    /// The command of an app in its own process, which `sh` runs; nil for none.
    package var command: String?

    /// A phone for each app, named after the app: first apps that are profiles, then apps that are commands.
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

    /// The program's name in a command: `door-key` for `DOOR=1 .build/debug/door-key --open`.
    static func program(of command: String) -> String {
      let words = command.split { $0.isWhitespace || $0 == "'" || $0 == "\"" }
      let program = words.first { !$0.contains("=") && $0 != "env" && $0 != "exec" } ?? ""
      return program.split(separator: "/").last.map(String.init) ?? ""
    }
  }

  /// The command for the header of a trace: `lab`, `serve` or `system`.
  package var name = "lab"
  package var phones: [Phone] = []
  package var accessories: [(name: String, description: AccessoryDescription)] = []
  /// The options of `blepera serve` for the phones, with defaults.
  package var settings: [String] = []
  /// Whether the preserved state of the user's phone is removed first.
  package var isFresh = false
  /// Whether the session has a simulated central, which uses the first phone.
  package var hasCentral = false
  /// The time that the session continues with preserved apps and none running; nil for no limit.
  package var linger: Duration?
  /// Whether the session ends when the user has quit all apps.
  package var endsWithApps = false
  /// The names of the adapters for programs.
  package var ownAdapters = ["hci0"]
  package var behavior = DaemonBehavior()
  /// Whether pairings succeed for which no program has registered an agent.
  package var agrees = true
  package var conditions = AirConditions()
  package var seed: UInt64 = 0
  package var phone = PhoneSettings()
  /// The chosen Device Names of the phones, in their order; the phones after them have the name of `phone`.
  package var deviceNames: [String] = []
  package var launch = LaunchMode.foreground
  /// The endpoints where hosts attach, one adapter each.
  package var doors: [HCIEndpoint] = []
  /// The capture of the packets of each door's hosts; empty for none.
  package var hostCaptures: [HCICapture] = []
  /// Receives the packets on the radio, as records after `AirCapture.fileHeader`; nil for none.
  package var capture: (@Sendable ([UInt8]) -> Void)?
  /// The options for relaunching apps' processes.
  package var relaunch = RelaunchOptions()
  /// The command that runs once the phones serve; empty for none.
  package var command: [String] = []
  /// The time that an app that is a command has until it advertises, scans or connects.
  package var appTimeout = Duration.seconds(15)

  /// The path of the blepera that the lab's other processes run.
  package var program = OwnProcess.program

  package init() {}

  /// The settings and the options of the phone with a number.
  func settings(of number: Int) -> (phone: PhoneSettings, options: [String]) {
    guard deviceNames.indices.contains(number) else { return (phone, settings) }
    var named = phone
    named.chosenName = deviceNames[number]
    return (named, settings + [Self.option(deviceName: deviceNames[number])])
  }

  static func option(deviceName: String) -> String { "--device-name \(deviceName)" }

  /// The number of the first phone's adapter, which follows the adapters of org.bluez and the simulated central's.
  package var firstPhoneAdapter: Int { ownAdapters.count + (hasCentral ? 1 : 0) }
}
