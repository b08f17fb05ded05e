import TestSupport
import Testing

@testable import BleperaBlueZ

@Suite("The phone's agent at bluetoothd")
struct PairingAgentTests {
  /// `register` and `update` with whether the agent has to be the default one, and the calls to bluetoothd.
  private static let table: [(String, String)] = [
    (
      "the agent is the default one while it is needed",
      """
      register no -> register
      update no
      update yes -> requestDefault
      update yes
      update no -> unregister
      update no
      register no -> register
      update yes -> requestDefault
      """
    ),
    (
      "an agent that is needed while it is away returns at once",
      """
      register yes -> register requestDefault
      update no -> unregister
      update yes -> register requestDefault
      update no -> unregister
      """
    ),
    (
      "another bluetoothd has none of the agent",
      """
      register yes -> register requestDefault
      register yes -> register requestDefault
      register no -> register
      update no
      """
    ),
  ]

  @Test("Each event has its calls", arguments: table)
  func traces(name: String, text: String) {
    var agent = PairingAgent()
    let differences = TraceLines(text).differences { line in
      let isNeeded = line.words[1] == "yes"
      let actions =
        line.words[0] == "register" ? agent.register(asDefault: isNeeded) : agent.update(asDefault: isNeeded)
      return actions.map { "\($0)" }.joined(separator: " ")
    }
    #expect(differences == [])
  }
}
