import BleperaAppLink
import BleperaBluetooth
import BleperaRules
import FoundationEssentials
import Glibc
import Testing

@testable import BleperaPhone

@Suite("An app has ended, is launched or runs")
struct AppRecordTests {
  private static func record() -> AppRecord {
    let identity = AppIdentity(bundleIdentifier: "a", name: "a", backgroundModes: [], rules: RuleOverrides())
    return AppRecord(identity: identity, since: Date(timeIntervalSince1970: 0))
  }

  private static func connect(_ record: AppRecord, peer: pid_t?, mayStop: Bool = false, isHost: Bool? = nil) {
    let connection = AppConnection(link: makeInMemoryLink().system, session: 1, mode: nil, peer: peer)
    let process = LaunchDescription(arguments: [], folder: "/", environment: [:], isHost: isHost)
    record.connect(connection, as: record.identity, process, mayStop: mayStop)
  }

  /// The process that the phone has launched, the one that sends `hello`, whether that may be stopped, and is a host of
  /// several apps; then which is stopped, as the phone's own or not.
  private static let processes: [(pid_t?, pid_t?, mayStop: Bool, isHost: Bool, pid_t?, isOwn: Bool?)] = [
    (nil, nil, true, false, nil, nil), (nil, 7, false, false, nil, nil), (nil, 7, true, false, 7, false),
    (7, 7, false, false, 7, true), (7, 7, true, false, 7, true), (7, 7, false, true, nil, nil),
    (7, 7, true, true, 7, false), (6, 7, false, false, nil, nil), (6, 7, true, false, 7, false),
  ]

  @Test("The phone stops a process that it has launched for one app, or that allows it", arguments: processes)
  func stops(launched: pid_t?, peer: pid_t?, mayStop: Bool, isHost: Bool, stopped: pid_t?, isOwn: Bool?) {
    let record = Self.record()
    record.launch(launched)
    #expect(record.launching == launched && record.isTerminated)
    Self.connect(record, peer: peer, mayStop: mayStop, isHost: isHost ? true : nil)
    #expect(record.isRunning && record.launching == nil && record.session == 1)
    #expect(record.stoppable?.id == stopped && record.stoppable?.isOwn == isOwn)
    record.launch(9)
    #expect(record.isRunning)
    record.end()
    #expect(record.isTerminated && record.stoppable == nil && record.link == nil)
  }

  @Test("Managers with a restoration identifier stay to be restored when the process ends")
  func managers() {
    let record = Self.record()
    let (kept, other) = (ManagerID(.peripheral, .restorable("a")), ManagerID(.central, .number(0)))
    for manager in [kept, other] { record.created(manager) }
    #expect(record.has(kept) && record.has(other))
    let ended = record.endManagers()
    #expect(ended == [other] && record.managers.map(\.id) == [kept])
    #expect(record.keeps(kept) && !record.has(kept) && !record.keeps(other))
    record.created(kept)
    #expect(record.has(kept) && record.managers.count == 1)
    record.forget(kept)
    #expect(record.managers.isEmpty)
  }

  @Test("A limited number of messages is held, and taken in their order")
  func messages() {
    let record = Self.record()
    let areHeld = (0...1024).map { record.hold($0 == 0 ? .didFinish : .didBecomeIdle) }
    #expect(areHeld == (0...1024).map { $0 < 1024 })
    #expect(record.takeHeldMessage() == .didFinish && record.takeHeldMessage() == .didBecomeIdle)
    Self.connect(record, peer: nil)
    #expect(!record.holdsMessages && record.takeHeldMessage() == nil)
  }

  @Test("Of the messages that were sent last, those that need a response have its request")
  func sent() {
    let record = Self.record()
    let central = CentralDescription(id: CentralID(rawValue: "c"), maximumUpdateValueLength: 20)
    let characteristic = CharacteristicID(service: ServiceID(rawValue: 1), index: 0)
    let read = ReadRequest(id: RequestID(rawValue: 5), central: central, characteristic: characteristic, offset: 0)
    record.note(sent: .didChangeState(.foreground))
    record.note(sent: .peripheral(.number(0), .didReceiveRead(read)))
    #expect(record.sentRequests.map { $0?.rawValue } == [nil, 5])
    for _ in 0..<15 { record.note(sent: .didChangeState(.background)) }
    #expect(record.sentRequests.count == 16 && record.sentRequests.first??.rawValue == 5)
  }
}
