import BleperaBlueZ
import BleperaDBus
import BleperaRadio
import Testing

@Suite("Pairing")
struct PairingModeTests {
  private static let central: ObjectPath = "/org/bluez/hci0/dev_00_11_22_33_44_55"
  private static let device = DBusValue.objectPath(central)
  private static let show = PairingMode.Answer.show(device: central, passkey: 123_456)
  private static let refused = PairingMode.Answer.refuse(.mode)

  /// A method of Agent1, and what is answered: just-works, refuse, passkey.
  private static let table: [(MemberName, [DBusValue], [PairingMode.Answer])] = [
    ("RequestAuthorization", [device], [.accept, refused, .refuse(.noKeys)]),
    ("RequestConfirmation", [device, .uint32(123_456)], [.accept, refused, .refuse(.comparison)]),
    // In just-works mode too: another agent may have a display while the connection begins.
    ("DisplayPasskey", [device, .uint32(123_456), .uint16(2)], [show, refused, show]),
    ("RequestPinCode", [device], [.refuse(.typing), refused, .refuse(.typing)]),
    ("RequestPasskey", [device], [.refuse(.typing), refused, .refuse(.typing)]),
    ("DisplayPinCode", [device, .string("0000")], [.refuse(.typing), refused, .refuse(.typing)]),
    ("Release", [], [.acknowledge, .acknowledge, .acknowledge]),
    ("Cancel", [], [.acknowledge, .acknowledge, .acknowledge]),
    ("Unheard", [device], [.refuse(.typing), refused, .refuse(.typing)]),
  ]

  @Test("Each method of the agent is answered as the mode says", arguments: table)
  func answers(method: MemberName, arguments: [DBusValue], answers: [PairingMode.Answer]) {
    for (mode, answer) in zip([PairingMode.justWorks, .refuse, .passkey], answers) {
      #expect(mode.answer(to: method, arguments, from: [Self.central]) == answer, "\(mode)")
    }
  }

  /// The same device of another adapter, one that is not connected, and no device.
  private static let strangersArguments: [[DBusValue]] = [
    [.objectPath("/org/bluez/hci7/dev_00_11_22_33_44_55")], [.objectPath("/org/bluez/hci0/dev_66_77_88_99_AA_BB")],
    [.string("/org/bluez/hci0/dev_00_11_22_33_44_55")], [],
  ]

  @Test("A central that is not connected to the phone is refused", arguments: strangersArguments)
  func strangers(arguments: [DBusValue]) {
    let methods: [MemberName] = [
      "RequestAuthorization", "RequestConfirmation", "DisplayPasskey", "AuthorizeService", "RequestPinCode",
    ]
    for method in methods {
      for mode in PairingMode.allCases {
        #expect(mode.answer(to: method, arguments, from: [Self.central]) == .refuse(.otherDevice), "\(method)")
      }
    }
  }

  @Test("No profile of the machine is authorized, not even for a central of the phone")
  func otherServices() {
    for mode in PairingMode.allCases {
      let hid = DBusValue.string("00001124-0000-1000-8000-00805f9b34fb")
      #expect(
        mode.answer(to: "AuthorizeService", [Self.device, hid], from: [Self.central]) == .refuse(.otherService))
    }
  }

  @Test("A mode that has no place over BlueZ refuses what the others accept", arguments: table)
  func compare(method: MemberName, arguments: [DBusValue], answers: [PairingMode.Answer]) {
    let answer = PairingMode.compare.answer(to: method, arguments, from: [Self.central])
    #expect(answer == (answers[0] == .acknowledge ? .acknowledge : Self.refused))
  }

  @Test("A mode has its name and the capability that causes it")
  func modes() {
    #expect(PairingMode.allCases.map(\.rawValue) == ["just-works", "refuse", "passkey", "compare"])
    let capabilities = ["NoInputNoOutput", "NoInputNoOutput", "DisplayOnly", "NoInputNoOutput"]
    #expect(PairingMode.allCases.map(\.agentCapability) == capabilities)
  }
}
