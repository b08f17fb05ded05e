import BleperaBlueZProtocol
import BleperaDBus
import BleperaRadio
import TestSupport
import Testing

@testable import BleperaBlueZ

@Suite("bluetoothd and the adapter in use")
struct DaemonStateTests {
  /// The wanted adapter, and events: `owner 1` is a bluetoothd of the bus, `adapters 0=off 1=on` are all adapters.
  ///
  /// The result of `adapters` is the new state of the radio, and the adapter to power on.
  private static let table: [(String, String?, String)] = [
    (
      "without bluetoothd there is no adapter", nil,
      """
      adapters -> noDaemon
      adapters
      owner 1
      adapters -> noAdapter
      owner none -> lost
      adapters -> noDaemon
      """
    ),
    (
      "what is known of a bluetoothd is lost when another one replaces it", nil,
      """
      owner 1
      owner 2 -> lost
      owner none -> lost
      owner none -> lost
      """
    ),
    (
      "the adapter in use stays selected while it is present", nil,
      """
      owner 1
      adapters 0=off 1=on -> hci1 on
      adapters 0=on 1=off -> hci1 off
      inUse 1 -> yes
      inUse 0 -> no
      adapters 0=on -> hci0 on
      """
    ),
    (
      "no other adapter is used than the wanted one", "hci1",
      """
      owner 1
      adapters 0=on -> noAdapter hci1
      adapters 0=on 1=off -> hci1 off, power hci1
      """
    ),
    (
      "an adapter is powered on once each time it appears", nil,
      """
      owner 1
      adapters 0=off -> hci0 off, power hci0
      retries 0 off -> yes
      adapters 0=on -> hci0 on
      retries 0 on -> no
      adapters 0=off -> hci0 off
      adapters -> noAdapter
      retries 0 off -> no
      adapters 0=off -> hci0 off, power hci0
      """
    ),
    (
      "the run of bluetoothd and the adapter has a name", nil,
      """
      run 0 -> -
      owner 1
      run 0 -> -
      attach bus
      run 0 -> bus :1.1 hci0
      owner none -> lost
      run 0 -> -
      """
    ),
    (
      "the adapter is switched off by the last command", nil,
      """
      switch off -> off
      switch on -> on
      """
    ),
  ]

  @Test("Each event has its result", arguments: table)
  func traces(name: String, wanted: String?, text: String) {
    var state = DaemonState(wanted: wanted)
    let differences = TraceLines(text).differences { Self.play($0.words, &state) }
    #expect(differences == [])
  }

  private static func play(_ words: [String], _ state: inout DaemonState) -> String {
    func adapter() -> ObjectPath { Trace.adapter("hci" + words[1]) }
    switch words[0] {
    case "owner": return state.ownerChanged(to: words[1] == "none" ? nil : BusName(":1." + words[1])) ? "lost" : ""
    case "adapters":
      let adapter = state.owner == nil ? nil : state.adapter(in: inventory(Array(words.dropFirst())))
      let texts = [
        state.adapterChanged(to: adapter).map(text), state.powersOn(adapter) ? "power \(adapter?.name ?? "-")" : nil,
      ]
      return texts.compactMap(\.self).joined(separator: ", ")
    case "inUse": return state.isInUse(adapter()) ? "yes" : "no"
    case "retries": return state.retriesPower(of: adapter(), in: inventory([words[1] + "=" + words[2]])) ? "yes" : "no"
    case "attach": state.attach(to: words[1])
    case "run": return state.run(of: adapter()) ?? "-"
    case "switch":
      state.switchPower(on: words[1] == "on")
      return state.isSwitchedOff ? "off" : "on"
    default: preconditionFailure("unknown event \(words)")
    }
    return ""
  }

  private static func inventory(_ words: [String]) -> Inventory {
    var inventory = Inventory()
    for word in words {
      let isPowered = word.hasSuffix("=on")
      _ = inventory.apply(
        .added(Trace.adapter("hci" + word.prefix(1)), BlueZName.adapter, ["Powered": .boolean(isPowered)]))
    }
    return inventory
  }

  private static func text(_ state: RadioState) -> String {
    switch state {
    case .noDaemon: "noDaemon"
    case .noAdapter(let wanted, _): wanted.map { "noAdapter \($0)" } ?? "noAdapter"
    case .poweredOff(let adapter): "\(adapter) off"
    case .poweredOn(let adapter): "\(adapter) on"
    }
  }
}
