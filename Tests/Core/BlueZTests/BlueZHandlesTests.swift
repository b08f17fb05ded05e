import BleperaBlueZProtocol
import BleperaBluetooth
import BleperaDBus
import TestSupport
import Testing

@testable import BleperaBlueZ

@Suite("Applications that wait for leases of handles")
struct BlueZHandlesTests {
  /// `use 0 1`: the target is hci0, and hci1 is present too; `claim 0016 8` is for the handle 16 and for eight more.
  private static let table: [(String, String)] = [
    (
      "applications wait until a lease has their handles",
      """
      use 0
      begin 0 1 2
      waiting -> 1 2
      expects -> yes
      claim 0016 0 -> #1 013f
      idle -> no
      probe 1 0010
      finish 1 ok -> leased
      leases -> 0010-013f
      idle -> yes
      start 1 ->
      start 1 -> -
      start 2 ->
      expects -> no
      """
    ),
    (
      "an application is registered after others",
      """
      wait 3 after 1 2
      predecessors 3 -> 1 2
      start 3 -> 1 2
      predecessors 3
      """
    ),
    (
      "the leases of an adapter that is gone are lost, and so is a claim",
      """
      use 0
      begin 0
      claim 0016 0 -> #1 013f
      use 0 1
      use 1 0 1 -> lost
      adapter -> -
      finish 1 ok
      begin 1
      adapter -> hci1
      use none 0 -> lost
      """
    ),
    (
      "another fence is asked for where another program has the handle, sixteen times",
      """
      begin 0
      claim 0016 0 -> #1 013f
      probe 1 0010
      finish 1 entry -> refused
      claim 0016 0 -> #2 013f
      refuse 15
      claim 0016 0 -> -
      """
    ),
    (
      "after a failure nothing waits for applications until the pause has ended",
      """
      begin 0 1
      claim 0016 0 -> #1 013f
      finish 1 timeout -> failed
      fail -> 1
      expects -> no
      idle -> no
      resume
      expects -> yes
      idle -> yes
      fail -> 2
      """
    ),
    (
      "a probe that bluetoothd has not reported is a failure",
      """
      begin 0
      claim 0016 0 -> #1 013f
      probe 2 0010
      finish 1 ok -> failed
      """
    ),
    (
      "an application gets other handles once, after the third failure",
      """
      mayEvade 1 2 -> no
      mayEvade 1 3 -> yes
      evade 1
      moved 1 4
      mayEvade 4 3 -> no
      forget 4
      mayEvade 4 3 -> yes
      """
    ),
  ]

  @Test("Each event has its result", arguments: table)
  func traces(name: String, text: String) {
    var handles = BlueZHandles()
    let differences = TraceLines(text).differences { Self.play($0.words, &handles) }
    #expect(differences == [])
  }

  private static func play(_ words: [String], _ handles: inout BlueZHandles) -> String {
    let numbers = words.dropFirst().map { Int($0) ?? 0 }
    func handle(_ text: String) -> AttributeHandle { AttributeHandle(rawValue: UInt16(text, radix: 16) ?? 0) }
    switch words[0] {
    case "use":
      let present = Set(words.dropFirst().map { Trace.adapter("hci" + $0) })
      let target = RegistrationMachine.Target(adapter: Trace.adapter("hci" + words[1]), isPowered: true)
      return handles.use(words[1] == "none" ? nil : target) { present.contains($0) } ? "lost" : ""
    case "begin": handles.begin(on: Trace.adapter("hci" + words[1]), with: Array(numbers.dropFirst()))
    case "adapter": return handles.adapter?.lastElement ?? "-"
    case "waiting": return list(handles.waitingApplications)
    case "expects": return handles.expectsApplications ? "yes" : "no"
    case "idle": return handles.isIdle ? "yes" : "no"
    case "wait": handles.wait(numbers[0], after: Array(numbers.dropFirst(2)))
    case "predecessors": return list(handles.predecessors(of: numbers[0]))
    case "start": return handles.stopWaiting(numbers[0]).map(list) ?? "-"
    case "claim":
      let wanted = handle(words[1])...handle(words[1])
      return handles.claim(for: [wanted], and: numbers[1]).map { "#\($0.number) \(text($0.fence))" } ?? "-"
    case "probe": handles.noteProbe(handle(words[2]), of: numbers[0])
    case "finish": return handles.finish(numbers[0], result(words[2])).map(text) ?? ""
    case "refuse":
      for _ in 0..<numbers[0] {
        guard let claim = handles.claim(for: [], and: 0) else { continue }
        handles.noteProbe(0x0010, of: claim.number)
        _ = handles.finish(claim.number, result("entry"))
      }
    case "leases":
      return handles.leases.ranges.map { "\(text($0.lowerBound))-\(text($0.upperBound))" }.joined(separator: " ")
    case "fail": return "\(handles.fail())"
    case "resume": handles.resume()
    case "mayEvade": return handles.mayEvade(numbers[0], failures: numbers[1]) ? "yes" : "no"
    case "evade": handles.evade(numbers[0], [])
    case "moved": handles.moved(numbers[0], to: numbers[1])
    case "forget": handles.forget(numbers[0])
    default: preconditionFailure("unknown event \(words)")
    }
    return ""
  }

  private static func result(_ text: String) -> Result<[DBusValue], DBusFailure> {
    switch text {
    case "ok": .success([])
    case "entry": .failure(.remote(BlueZError.failed.reply("Failed to create entry in database")))
    default: .failure(.timedOut(.seconds(10)))
    }
  }

  private static func text(_ outcome: BlueZHandles.Outcome) -> String {
    switch outcome {
    case .leased: "leased"
    case .refused: "refused"
    case .failed: "failed"
    }
  }

  private static func list(_ numbers: [Int]) -> String { numbers.map(String.init).joined(separator: " ") }

  private static func text(_ handle: AttributeHandle) -> String {
    let digits = String(handle.rawValue, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}
