import BleperaAir
import BleperaBlueZProtocol
import BleperaDBus
import BleperaVirtualBlueZ
import BusTesting

/// The contents that may be advertised.
extension ContractCase {
  static let notParsed = "org.bluez.Error.Failed: Failed to parse advertisement."
  static let notRegistered = "org.bluez.Error.Failed: Failed to register advertisement"
  static let peripheral: (String, DBusValue) = ("Type", .string("peripheral"))

  private static func filler(_ count: Int) -> (String, DBusValue) {
    ("ManufacturerData", .variants([(1, .bytes(Array(repeating: 0, count: count)))]))
  }

  private static let advertisements: [(String, Program.Properties?, String?)] = [
    ("of nothing at all is taken", [], nil), ("of a peripheral is taken", [peripheral], nil),
    ("of a broadcast is taken", [("Type", .string("broadcast"))], nil),
    ("of another type is refused", [("Type", .string("beacon"))], notParsed),
    ("with a UUID that is none is refused", [peripheral, ("ServiceUUIDs", .strings(["x"]))], notParsed),
    ("with UUIDs of another type is refused", [peripheral, ("ServiceUUIDs", .byte(1))], notParsed),
    ("with a name of another type is refused", [peripheral, ("LocalName", .byte(1))], notParsed),
    ("with 31 bytes is taken", [peripheral, filler(27)], nil),
    ("with 32 bytes in one structure is refused", [peripheral, filler(28)], notParsed),
    (
      "with 32 bytes in two structures is refused", [peripheral, filler(24), ("Appearance", .uint16(1))], notRegistered
    ),
    ("where there is no object is taken for a broadcast of nothing", nil, nil),
    ("with 28 bytes beside the flags is taken", [peripheral, ("Discoverable", .boolean(true)), filler(24)], nil),
    (
      "with 29 bytes beside the flags is refused", [peripheral, ("Discoverable", .boolean(true)), filler(25)],
      notRegistered
    ),
    ("with the broken include is refused", [peripheral, ("Includes", .strings(["appearance"]))], notRegistered),
    ("with an include that nobody knows is taken", [peripheral, ("Includes", .strings(["colour"]))], nil),
    (
      "with its name twice is refused",
      [peripheral, ("Includes", .strings(["local-name"])), ("LocalName", .string("x"))], notParsed
    ),
    ("with a name of 40 bytes is taken", [peripheral, ("LocalName", .string(String(repeating: "n", count: 40)))], nil),
    ("of a broadcast that is discoverable is refused", [("Discoverable", .boolean(true))], notParsed),
    (
      "with flags of its own is refused", [peripheral, ("Data", .rawData([(0x01, [0x1A])]))], notParsed
    ),
    ("with data of a free type is taken", [peripheral, ("Data", .rawData([(0x26, [1, 2])]))], nil),
    ("with another channel is refused", [peripheral, ("SecondaryChannel", .string("3M"))], notParsed),
    ("with only the shorter interval is refused", [peripheral, ("MinInterval", .uint32(100))], notParsed),
    ("with only the longer interval is taken", [peripheral, ("MaxInterval", .uint32(100))], nil),
    (
      "with intervals the wrong way about is refused",
      [peripheral, ("MinInterval", .uint32(200)), ("MaxInterval", .uint32(100))], notParsed
    ),
    (
      "with an interval below 20 ms is refused",
      [peripheral, ("MinInterval", .uint32(19)), ("MaxInterval", .uint32(100))], notParsed
    ),
  ]

  /// The results of 5.55, which adds an advertisement in one step, and accepts any interval.
  private static let atOnce: [String: String?] = [
    "with 32 bytes in two structures is refused": notParsed, "with 29 bytes beside the flags is refused": notParsed,
    "with only the shorter interval is refused": nil, "with intervals the wrong way about is refused": nil,
    "with an interval below 20 ms is refused": nil,
  ]

  /// The cases whose packets are too long; from 5.76 on they are sent as extended advertisements.
  private static let unextended = [
    "with 32 bytes in one structure is refused", "with 32 bytes in two structures is refused",
    "with 29 bytes beside the flags is refused",
  ]

  static let advertising: [ContractCase] =
    advertisements.map { name, properties, expected in
      ContractCase(
        .advertising, "An advertisement \(name)", releases: unextended.contains(name) ? 55...75 : measured
      ) { stage throws in
        let expected = stage.minor < 56 ? atOnce[name] ?? expected : expected
        let program = Program(connection: stage.app)
        if let properties {
          stage.check(await program.advertise(properties), expected)
        } else {
          stage.check(
            await stage.refusal(
              Stage.appAdapter, BlueZName.advertisingManager, "RegisterAdvertisement",
              [.objectPath("/none"), .properties([])]), expected)
        }
      }
    } + [
      ContractCase(
        .advertising, "TxPower is set on the advertisement's object after its registration", releases: 56...87
      ) {
        stage throws in
        let program = Program(connection: stage.app)
        stage.check(await program.advertise([peripheral]), nil)
        let call = try await program.next("Set").call
        stage.check(call.arguments[0], .string(BlueZName.advertisement.rawValue))
        stage.check(call.arguments[1], .string("TxPower"))
        stage.check(call.arguments[2].unwrapped, .int16(0))
      },
      ContractCase(.advertising, "An adapter has room for three advertisements, and counts them") { stage throws in
        for number in 1...3 {
          let program = Program(connection: stage.app, root: ObjectPath(stringLiteral: "/advertisement\(number)"))
          stage.check(await program.advertise([peripheral]), nil, "\(number)")
        }
        let manager = try await stage.properties(Stage.appAdapter, BlueZName.advertisingManager)
        stage.check(manager["ActiveInstances"], .byte(3))
        stage.check(manager["SupportedInstances"], .byte(0))
        let program = Program(connection: stage.app, root: "/advertisement4")
        stage.check(
          await program.advertise([peripheral]), "org.bluez.Error.NotPermitted: Maximum advertisements reached")
      },
      ContractCase(.advertising, "An advertisement is registered once, and unregistered once") { stage throws in
        let program = Program(connection: stage.app)
        stage.check(await program.advertise([peripheral]), nil)
        stage.check(await program.advertise([peripheral]), "org.bluez.Error.AlreadyExists: Already Exists")
        stage.check(await program.withdraw(), nil)
        stage.check(await program.withdraw(), "org.bluez.Error.DoesNotExist: Does Not Exist")
      },
      ContractCase(.advertising, "The end of a program removes its advertisements") { stage throws in
        stage.check(await Program(connection: stage.app).advertise([peripheral]), nil)
        try await stage.reach(
          "ActiveInstances", of: Stage.appAdapter, BlueZName.advertisingManager, toBe: .byte(1))
        await stage.app.close()
        try await stage.reach(
          "ActiveInstances", of: Stage.appAdapter, BlueZName.advertisingManager, toBe: .byte(0))
      },
      ContractCase(.advertising, "An advertisement is released after its timeout") { stage throws in
        let program = Program(connection: stage.app)
        stage.check(await program.advertise([peripheral, ("Timeout", .uint16(2))]), nil)
        await stage.radio.pass(.seconds(3))
        let release = try await program.next("Release")
        stage.check(release.call.expectsReply, false)
        stage.check(
          try await stage.get(Stage.appAdapter, BlueZName.advertisingManager, "ActiveInstances"), .byte(0))
      },
    ]
}

extension DBusValue {
  /// `a{yv}` of byte arrays.
  static func rawData(_ entries: [(UInt8, [UInt8])]) -> DBusValue {
    do throws(DBusTypeMismatch) {
      return try .dictionary(
        key: .byte, value: .variant, entries.map { (.byte($0.0), .variant(.bytes($0.1))) })
    } catch {
      fatalError("\(error)")
    }
  }
}
