import ArgumentParser
import BleperaAir
import BleperaBlueZ
import BleperaBluetooth
import BleperaController
import BleperaPhone
import BleperaRadio
import BleperaRules
import BleperaVirtualBlueZ
import Testing

@testable import BleperaCLI
@testable import BleperaCommands
@testable import BleperaLabCLI
@testable import BleperaSessions

@Suite struct CommandLineTests {
  @Test func `serve takes a profile and has defaults for the rest`() throws {
    let command = try #require(try Blepera.parseAsRoot(["serve", "a.plist"]) as? ServeCommand<AirOptions>)
    #expect(command.files == ["a.plist"])
    #expect(command.launch == .foreground && command.system.name == "default" && !command.json)
    #expect(command.bluez.settings(command.emulation, command.own).arguments.isEmpty)
    #expect(command.emulation.rules.version == .newest && command.emulation.phone.pairing == .justWorks)
    #expect(command.bluez.lingerLimit == .seconds(600) && command.bluez.staleLimit == nil)
    #expect(!command.isVirtual && !command.bluez.radio.isExact)
  }

  @Test func `serve on a virtual radio takes the phone's options`() throws {
    let words = ["serve", "--virtual", "--background", "--ios", "13", "--system", "two", "--json", "a.plist"]
    let command = try #require(try Blepera.parseAsRoot(words) as? ServeCommand<AirOptions>)
    #expect(command.isVirtual && command.launch == .background && command.system.name == "two")
    #expect(!command.kept.isFresh)
    let fresh = try Blepera.parseAsRoot(["system", "--virtual", "--fresh"])
    #expect((fresh as? SystemCommand<AirOptions>)?.kept.isFresh == true)
  }

  @Test func `serve takes its options before and after the profile`() throws {
    let words = [
      "serve", "--adapter", "hci1", "--json", "a.plist", "--power-on", "--pairing", "refuse", "--ios", "13",
      "--background", "--phone-services", "--system", "two", "b.plist", "--linger", "0.5", "--disconnect-stale", "3",
      "--exact",
    ]
    let command = try #require(try Blepera.parseAsRoot(words) as? ServeCommand<AirOptions>)
    #expect(command.files == ["a.plist", "b.plist"])
    #expect(command.launch == .background && command.system.name == "two" && command.json)
    let given = ["--ios", "13", "--phone-services", "--pairing", "refuse", "--adapter", "hci1", "--power-on"]
    let settings = command.bluez.settings(command.emulation, command.own)
    #expect(settings.arguments == given + ["--exact", "--linger", "0.5", "--disconnect-stale", "3.0"])
    let system = try #require(try Blepera.parseAsRoot(["system"] + settings.arguments) as? SystemCommand<AirOptions>)
    #expect(settings.options.isExact && system.bluez.radio.isExact)
    #expect(
      system.bluez.options(linger: nil).map(\.text) == [
        "--adapter hci1", "--power-on", "--exact", "--linger 0.5", "--disconnect-stale 3.0",
      ])
    #expect(
      system.emulation.options.map(\.text) == [
        "--ios 13", "--phone-kind earlier", "--apple-items nearby-info", "--wake-time 10.0", "--phone-services",
        "--pairing refuse",
      ])
    #expect(settings.phone.phoneServices)
    #expect(settings.phone.rules.version == .ios13 && settings.options.adapter == "hci1")
    #expect(settings.phone.pairing == .refuse && settings.options.powersOn)
    #expect(command.bluez.lingerLimit == .seconds(30) && command.bluez.staleLimit == .seconds(3))
  }

  @Test func `a phone on a controller has a name, and is started with its options`() throws {
    let words = [
      "--apple-items", "find-my", "--device-name", "Ada's iPhone", "--controller", "tcp:127.0.0.1:7300", "--btsnoop",
      "a.btsnoop", "--linger", "1.0",
    ]
    #expect(throws: Never.self) {
      try Blepera.parseAsRoot(["system", "--controller", "hci0", "--defect", "address-in-pairing"])
    }
    let command = try #require(try Blepera.parseAsRoot(["serve", "a.plist"] + words) as? ServeCommand<AirOptions>)
    let settings = command.bluez.settings(command.emulation, command.own)
    #expect(settings.controller == .tcp(host: "127.0.0.1", port: 7300) && settings.arguments == words)
    let system = try #require(try Blepera.parseAsRoot(["system"] + words) as? SystemCommand<AirOptions>)
    #expect(system.own.controller == settings.controller && system.own.btsnoop == "a.btsnoop")
    #expect(
      system.own.options(system.emulation).map(\.text) == [
        "--device-name Ada's iPhone", "--controller tcp:127.0.0.1:7300", "--btsnoop a.btsnoop",
      ])
  }

  @Test(
    arguments: [
      ("serve --controller hci0 a.plist", "hci0", true), ("system --controller unix:/run/hci", "unix:/run/hci", false),
      ("scan --controller serial:/dev/ttyACM0,115200", "serial:/dev/ttyACM0,115200", false),
      ("doctor --controller tcp:[::1]:6402", "tcp:[::1]:6402", false),
    ])
  func `a command uses a controller, and names its effects where others may have it`(
    words: String, text: String, hasEffects: Bool
  ) throws {
    let place: ControllerPlace? =
      switch try Blepera.parseAsRoot(words.split(separator: " ").map(String.init)) {
      case let command as ServeCommand<AirOptions>: command.own.controller
      case let command as SystemCommand<AirOptions>: command.own.controller
      case let command as ScanCommand: command.own.controller
      case let command as DoctorCommand: command.controller
      default: nil
      }
    #expect(place.map { "\($0)" } == text && (place?.effects != nil) == hasEffects)
  }

  private static let notOverControllers = [
    ("serve --controller hci0 --adapter hci0", "'--adapter' cannot be combined with '--controller', which names the"),
    ("serve --controller hci0 --power-on", "'--power-on' cannot be combined with '--controller', whose radio is on"),
    (
      "system --controller hci0 --forget-bonds",
      "'--forget-bonds' cannot be combined with '--controller', whose bonds are the phone's: 'blepera bonds forget"
    ),
    ("serve --controller hci0 --exact", "'--exact' cannot be combined with '--controller', whose packets are always"),
    (
      "serve --controller hci0 --disconnect-stale 3",
      "'--disconnect-stale' cannot be combined with '--controller', whose links end with the phone."
    ),
    (
      "serve --controller hci0 --virtual",
      "'--controller' uses a controller, and '--hci' offers one."
    ),
    ("system --virtual --controller hci0", "'--controller' cannot be combined with '--virtual'"),
    (
      "serve --controller hci0 --fresh", "'--fresh' requires '--virtual'; over a controller, 'blepera preserved forget'"
    ),
    ("serve --controller hci0 --mtu 185", "'--mtu' requires '--virtual'; over a controller the phone has an iPhone's"),
    ("serve --controller hci0 --hci tcp:0", "'--hci' requires '--virtual'."),
    (
      "serve --controller hci0 --public-address", "'--public-address' requires '--virtual': over a controller the phone"
    ),
    (
      "serve --controller hci0 --pcap a.pcap",
      "'--pcap' requires '--virtual'; over a controller, '--btsnoop FILE' records the HCI packets."
    ),
    (
      "serve --controller hci0 --defect parameter-storm",
      "'--defect parameter-storm' requires '--virtual': the link layer is the controller's own."
    ),
    (
      "serve --controller hci0 --device-name a --device-name b", "'--device-name' is given 2 times, for 1 phone."
    ),
    (
      "serve --btsnoop a",
      "'--btsnoop' requires '--controller'; over BlueZ, 'btmon --write FILE' records the adapter's packets."
    ),
    ("scan --controller hci0 --adapter hci0", "'--adapter' cannot be combined with '--controller', which names the"),
    (
      "serve --controller usb:0",
      "'usb:0' is not a controller: use hci0, tcp:HOST:PORT, unix:PATH or serial:PATH[,BAUD]."
    ),
    ("clone --controller=hci0 00:AA:01:00:00:01", "Unknown option '--controller'"),
  ]

  @Test(arguments: notOverControllers)
  func `an option that a controller does not have is refused with its reason`(words: String, text: String) {
    let files = words.hasPrefix("serve") ? ["a.plist"] : []
    do {
      _ = try Blepera.parseAsRoot(words.split(separator: " ").map(String.init) + files)
      Issue.record("\(words) is accepted")
    } catch {
      #expect(Blepera.exitCode(for: error) == .validationFailure)
      #expect(Blepera.message(for: error).contains(text))
    }
  }

  @Test func `lab needs nothing`() throws {
    let command = try #require(try Blepera.parseAsRoot(["lab"]) as? LabCommand)
    #expect(command.files == [] && command.command == [])
    #expect(command.launch == .foreground && command.options.phone.rules.version == .newest)
    #expect(command.options.conditions == AirConditions() && command.options.seed == 0)
    #expect(command.options.phone.mtu == nil)
    #expect(command.options.behavior == DaemonBehavior(minor: 66, isExperimental: false))
    let next = try #require(try Blepera.parseAsRoot(["lab", "--bluez-version", "next"]) as? LabCommand)
    #expect(next.options.behavior == DaemonBehavior(minor: 88, isExperimental: false))
    #expect(!command.json && !command.quiet && command.options.ownAdapters == ["hci0"])
  }

  @Test func `the n-th Device Name of a lab is the n-th phone's`() throws {
    let words = ["lab", "--serve", "a.plist", "--app", "b", "--app", "c", "--split-view"]
    let names = ["--device-name", "Ada's iPhone", "--device-name", "iPad mini"]
    let command = try #require(try Blepera.parseAsRoot(words + names) as? LabCommand)
    let phones = (0..<3).map { command.options.settings(of: $0) }
    #expect(phones.map(\.phone.deviceName) == ["Ada's iPhone", "iPad mini", "iPad"])
    #expect(
      phones.map { $0.options.filter { $0.hasPrefix("--device-name") } } == [
        ["--device-name Ada's iPhone"], ["--device-name iPad mini"], [],
      ])
  }

  @Test func `lab takes the names of adapters`() throws {
    let command = try #require(try Blepera.parseAsRoot(["lab", "--adapters", "hci8,hci9"]) as? LabCommand)
    #expect(command.options.ownAdapters == ["hci8", "hci9"] && command.options.firstPhoneAdapter == 2)
  }

  @Test func `lab leaves what stands after the terminator to the command`() throws {
    let words = [
      "lab", "--serve", "a.plist", "--background", "--serve", "b.plist", "--ios", "13", "--bluez-version", "5.82",
      "--experimental", "--phone-services", "--loss", "12.5", "--rssi", "-70", "--seed", "7", "--adapters", "2",
      "--mtu", "23", "--json", "--", "pytest",
      "--serve", "-x",
    ]
    let command = try #require(try Blepera.parseAsRoot(words) as? LabCommand)
    #expect(command.files == ["a.plist", "b.plist"])
    #expect(command.command == ["pytest", "--serve", "-x"])
    #expect(command.launch == .background && command.options.phone.rules.version == .ios13 && command.json)
    #expect(command.options.conditions == AirConditions(loss: 0.125, rssi: -70))
    #expect(
      command.options.ownAdapters == ["hci0", "hci1"] && command.options.phone.phoneServices
        && command.options.phone.mtu == 23)
    #expect(command.options.seed == 7 && command.options.launch == .leftForeground)
    #expect(command.options.behavior == DaemonBehavior(minor: 82, isExperimental: true))
  }

  @Test(
    arguments: [
      ("scan --services 180D 180F", ["180D", "180F"]), ("scan --services 180D,180F", ["180D", "180F"]),
      ("overflow decode 00000000000000000000000000000000 --candidates 180D,180F", ["180D", "180F"]),
      ("overflow encode 180D,180A 180F", ["180D", "180A", "180F"]),
      ("scenario run --bluez --adapters hci1,hci0 a.plist", ["hci1", "hci0"]),
      ("scenario run --bluez --adapters hci1 hci0 a.plist", ["hci1", "hci0"]),
      ("scenario run --bluez a.plist --adapters hci1 hci0", ["hci1", "hci0"]),
    ])
  func `a list has its items apart or with commas`(words: String, items: [String]) throws {
    let command = try Blepera.parseAsRoot(words.split(separator: " ").map(String.init))
    switch command {
    case let command as ScanCommand: #expect(command.services.joined().map(\.description) == items)
    case let command as OverflowDecodeCommand: #expect(command.candidates.joined().map(\.description) == items)
    case let command as OverflowEncodeCommand: #expect(command.uuids.joined().map(\.description) == items)
    case let command as ScenarioRunCommand:
      #expect(command.adapterNames == items)
      #expect(command.files == ["a.plist"])
    default: Issue.record("another command")
    }
  }

  @Test(
    arguments: [
      ("lab --mtu 22", "'--mtu' must be from 23 to 517 bytes, not 22."),
      ("lab --mtu 518", "'--mtu' must be from 23 to 517 bytes, not 518."),
      ("serve --virtual --mtu 0 a.plist", "'--mtu' must be from 23 to 517 bytes, not 0."),
      ("serve --mtu 185 a.plist", "'--mtu' requires '--virtual'; bluetoothd has its own, ExchangeMTU in main.conf."),
      ("scenario run --mtu 600 a.plist", "'--mtu' must be from 23 to 517 bytes, not 600."),
      (
        "scenario run --bluez --mtu 23 a.plist",
        "'--mtu' applies to the virtual radio and cannot be combined with '--bluez'."
      ),
    ])
  func `an MTU has its range, and applies to the virtual radio`(words: String, text: String) {
    do {
      _ = try Blepera.parseAsRoot(words.split(separator: " ").map(String.init))
      Issue.record("accepted")
    } catch {
      #expect(Blepera.message(for: error) == text)
    }
  }

  @Test(
    arguments: [
      ("just-works", false, false, true), ("refuse", false, false, true), ("passkey", true, false, true),
      ("passkey", false, true, true), ("passkey", false, false, false), ("compare", false, false, true),
    ])
  func `a passkey needs somewhere to be shown`(
    mode: String, isTerminal: Bool, isJSON: Bool, isValid: Bool
  ) throws {
    let pairing = PairingMode(rawValue: mode)
    if isValid {
      try EmulationOptions.validate(pairing, isJSON: isJSON, isTerminal: isTerminal)
    } else {
      let error = #expect(throws: ValidationError.self) {
        try EmulationOptions.validate(pairing, isJSON: isJSON, isTerminal: isTerminal)
      }
      #expect(error?.message == "'--pairing passkey' requires a terminal that shows the passkey, or '--json'.")
    }
  }

  @Test(
    arguments: [
      (["serve"], "Missing expected argument '<file> ...'"),
      (["serve", "--background", "--foreground", "a.plist"], "Value to be set with flag '--foreground'"),
      (["serve", "--ios", "19", "a.plist"], "The value '19' is invalid for '--ios <version>'"),
      (["bluetooth"], "Missing expected argument '<state>'"),
      (
        ["serve", "a.plist", "--pairing", "ask"],
        "Please provide one of 'just-works', 'refuse', 'passkey' or 'compare'."
      ),
      (["serve", "a.plist", "--adaptor", "hci1"], "Unknown option '--adaptor'. Did you mean '--adapter'?"),
      (["serve", "--virtual", "--adapter", "hci1", "a.plist"], "'--adapter' cannot be combined with '--virtual'"),
      (["serve", "--virtual", "--power-on", "a.plist"], "'--power-on' cannot be combined with '--virtual'"),
      (
        ["serve", "--virtual", "--exact", "a.plist"],
        "'--exact' cannot be combined with '--virtual', whose packets are always an iPhone's."
      ),
      (["system", "--virtual", "--exact"], "'--exact' cannot be combined with '--virtual'"),
      (["serve", "--public-address", "a.plist"], "'--public-address' requires '--virtual'"),
      (["serve", "--fresh", "a.plist"], "'--fresh' requires '--virtual'; over BlueZ, 'blepera preserved forget'"),
      (["system", "--fresh"], "'--fresh' requires '--virtual'"),
      (
        ["serve", "--pcap", "a.pcap", "a.plist"],
        "'--pcap' requires '--virtual'; over BlueZ, 'btmon --write FILE' records the adapter's packets."
      ),
      (
        ["scenario", "run", "--bluez", "--pcap", "a.pcap", "a.plist"],
        "'--pcap' cannot be combined with '--bluez'; over BlueZ, 'btmon --write FILE' records the adapter's packets."
      ),
      (["scenario", "run", "--pcap", "a.pcap", "a.plist", "b.plist"], "'--pcap' captures one scenario, not 2."),
      (
        ["serve", "--device-name", "Ada's iPhone", "a.plist"],
        "'--device-name' requires '--virtual' or '--controller'; over BlueZ the name is the adapter's alias, which "
          + "'bluetoothctl system-alias NAME' sets."
      ),
      (["system", "--device-name", "Ada's iPhone"], "'--device-name' requires '--virtual'"),
      (
        ["system", "--virtual", "--device-name", ""],
        "'--device-name' must have 1 to 248 bytes of UTF-8 without control characters, not an empty string."
      ),
      (
        ["serve", "--virtual", "--device-name", "a", "--device-name", "b", "a.plist"],
        "'--device-name' is given 2 times, for 1 phone."
      ),
      (
        ["serve", "--pairing", "compare", "a.plist"],
        "'--pairing compare' requires '--virtual' or '--controller': over BlueZ bluetoothd pairs, and asks one agent of "
          + "the computer about all devices."
      ),
      (["system", "--pairing", "compare"], "'--pairing compare' requires '--virtual' or '--controller'"),
      (["pair"], "Missing expected argument '<response>'"),
      (["pair", "maybe"], "The value 'maybe' is invalid for '<response>'"),
      (["pair", "1234"], "The value '1234' is invalid for '<response>'"),
      (["bonds", "forget"], "name a device, or all with '--all'."),
      (["bonds", "forget", "Strap", "--all"], "'--all' applies without a device."),
      (["lab", "--device-name", "a"], "'--device-name' is given 1 time, for 0 phones."),
      (["lab", "--adapters", "0"], "'--adapters' is a number from 1 to 99, or names such as hci8,hci9."),
      (["lab", "--adapters", "hci8,hci8"], "'--adapters' is a number from 1 to 99, or names such as hci8,hci9."),
      (["lab", "--adapters", "hci+8"], "'--adapters' is a number from 1 to 99, or names such as hci8,hci9."),
      (["lab", "--adapters", "usb8"], "'--adapters' is a number from 1 to 99, or names such as hci8,hci9."),
      (["lab", "--loss", "101"], "'--loss' must be from 0 to 100 percent, not 101."),
      (["serve", "--wake-time", "31", "a.plist"], "'--wake-time' must be from 0 to 30 seconds, not 31."),
      (["lab", "--rssi", "21"], "'--rssi' must be from -127 to 20 dBm, not 21."),
      (["lab", "--bluez-version", "5.88"], "Please provide one of '5.66', '5.82' or 'next'."),
      (["lab", "--bluez-version", "5.50"], "Please provide one of '5.66', '5.82' or 'next'."),
      (["lab", "pytest"], "Unexpected argument 'pytest'"),
      (["check"], "Missing expected argument '<file> ...'"),
      (["doctor", "hci1"], "Unexpected argument 'hci1'"),
      (["notify", "lock", "00"], "'lock' is not a UUID of 4, 8 or 32 hexadecimal digits."),
      (["notify", "2A37", "0"], "'0' is not an even number of hexadecimal digits, at most 1048."),
      (["sreve", "a.plist"], "a.plist"),
    ] as [([String], String)])
  func `words that are no command are refused with status 64 and what is wrong`(words: [String], message: String) {
    do {
      _ = try Blepera.parseAsRoot(words)
      Issue.record("accepted")
    } catch {
      #expect(Blepera.exitCode(for: error) == .validationFailure)
      #expect(Blepera.message(for: error).contains(message))
    }
  }
}
