import BleperaAppLink
import BleperaBluetooth
import BleperaRadio
import BusTesting
import Testing

@testable import BleperaPhone

@Suite("The user answers pairings")
struct PairCommandTests {
  private static let (central, peripheral) = ("00:11:22:33:44:55", "C0:00:00:00:00:01")
  private static let comparison = PairingQuestion(address: central, isCentral: true, .compare(4711))
  private static let typing = PairingQuestion(address: peripheral, isCentral: false, .type)

  private static let answers: [([PairingQuestion], PairingResponse?, device: String?, error: String?)] = [
    ([comparison], .yes, nil, nil), ([comparison], .no, nil, nil), ([comparison], .yes, central.lowercased(), nil),
    ([typing], .passkey(1), nil, nil), ([typing], .no, nil, nil), ([comparison, typing], .yes, central, nil),
    ([comparison, typing], .passkey(1), peripheral, nil),
    ([], .yes, nil, "no pairing waits for the phone's user."),
    ([], .yes, central, "no pairing waits for the phone's user."),
    ([comparison], nil, nil, "'pair' requires a response: yes, no, or a passkey of six digits."),
    ([comparison], .yes, peripheral, "no pairing with '\(peripheral)' waits. Waiting: \(central)."),
    (
      [comparison, typing], .yes, nil,
      "2 pairings wait; choose one by its address with '--device': \(central), \(peripheral)."
    ),
    ([comparison], .passkey(1), nil, "the pairing with \(central) waits for yes or no."),
    ([typing], .yes, nil, "the pairing with \(peripheral) waits for a passkey of six digits."),
  ]

  @Test("An answer belongs to the only pairing that waits, or to the named one", arguments: answers)
  func answer(waiting: [PairingQuestion], response: PairingResponse?, device: String?, error: String?) throws {
    try ScriptedRadio.run { phone, radio, _ in
      await radio.wait(for: waiting)
      #expect(await phone.status().pairings?.map(\.address) ?? [] == waiting.map(\.address))
      #expect(await phone.perform(ControlRequest(.pair, device: device, response: response)).error == error)
      #expect(await radio.pairingResponses == (error == nil ? [response] : []))
      #expect(await radio.pairingQuestions.count == waiting.count - (error == nil ? 1 : 0))
    }
  }

  @Test("A question is an event of the phone, and in its status while the radio waits")
  func question() throws {
    try ScriptedRadio.run { phone, radio, events in
      #expect(await phone.status().pairings == nil)
      await radio.wait(for: [Self.comparison])
      await radio.reportNow([.pairingQuestion(Self.comparison)])
      _ = try await events.first { event in
        if case .pairingQuestion(Self.comparison) = event { true } else { false }
      }
      let status = try #require(await phone.status().pairings?.first)
      #expect((status.address, status.role, status.number) == (Self.central, "central", "004711"))
      #expect(status.advice == Self.comparison.advice)
    }
  }

  @Test(
    "A response is a word or six digits",
    arguments: [
      ("yes", PairingResponse.yes), ("no", .no), ("000000", .passkey(0)), ("004711", .passkey(4711)),
      ("999999", .passkey(999_999)), ("4711", nil), ("1234567", nil), ("+12345", nil), ("", nil), ("Yes", nil),
    ])
  func text(text: String, response: PairingResponse?) {
    #expect(PairingResponse(rawValue: text) == response)
    if let response { #expect(response.rawValue == text) }
  }
}
