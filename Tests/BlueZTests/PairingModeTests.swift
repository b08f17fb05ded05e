import BleperaBlueZ
import BleperaDBus
import BleperaRadio
import Testing

@Suite("Pairing")
struct PairingModeTests {
  private static let device = DBusValue.objectPath("/org/bluez/hci0/dev_00_11_22_33_44_55")
  private static let show = PairingMode.Answer.show(device: "/org/bluez/hci0/dev_00_11_22_33_44_55", passkey: 123_456)

  /// A method of Agent1, and what is answered: just-works, refuse, passkey.
  private static let table: [(MemberName, [DBusValue], [PairingMode.Answer])] = [
    ("RequestAuthorization", [device], [.accept, .reject, .accept]),
    ("AuthorizeService", [device, .string("uuid")], [.accept, .reject, .accept]),
    ("RequestConfirmation", [device, .uint32(123_456)], [.accept, .reject, .reject]),
    ("DisplayPasskey", [device, .uint32(123_456), .uint16(2)], [.accept, .reject, show]),
    ("RequestPinCode", [device], [.reject, .reject, .reject]),
    ("RequestPasskey", [device], [.reject, .reject, .reject]),
    ("DisplayPinCode", [device, .string("0000")], [.reject, .reject, .reject]),
    ("Release", [], [.acknowledge, .acknowledge, .acknowledge]),
    ("Cancel", [], [.acknowledge, .acknowledge, .acknowledge]),
    ("Unheard", [], [.reject, .reject, .reject]),
    // Arguments of another shape are never accepted in the mode that needs them.
    ("RequestConfirmation", [], [.accept, .reject, .reject]),
    ("DisplayPasskey", [device, .string("123456")], [.accept, .reject, .reject]),
  ]

  @Test("Each method of the agent is answered as the mode says", arguments: table)
  func answers(method: MemberName, arguments: [DBusValue], answers: [PairingMode.Answer]) {
    for (mode, answer) in zip([PairingMode.justWorks, .refuse, .passkey], answers) {
      #expect(mode.answer(to: method, arguments) == answer, "\(mode)")
    }
  }

  @Test("A mode is told by its name, and has the capability that leads to it")
  func modes() {
    #expect(PairingMode.allCases.map(\.rawValue) == ["just-works", "refuse", "passkey"])
    #expect(PairingMode.allCases.map(\.agentCapability) == ["NoInputNoOutput", "NoInputNoOutput", "DisplayOnly"])
  }
}
