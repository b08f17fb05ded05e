import BleperaBluetooth
import BleperaPreservation
import BleperaRules
import Testing

@testable import BleperaPhone

@Suite("Updates are kept for restored subscribers until they subscribe again")
struct RestoredSubscribersTests {
  private static let app = AppID(rawValue: 1)
  private static let centrals = ["A", "B", "C"].map { CentralID(rawValue: $0) }

  private static func characteristic(_ service: Int = 0) -> CharacteristicID {
    CharacteristicID(service: ServiceID(rawValue: service), index: 0)
  }

  private static func subscription(_ central: Int) -> RestoredSubscribers.Subscription {
    .init(app: app, characteristic: characteristic(), central: centrals[central])
  }

  /// A is bonded, B and C are not.
  private static func table(_ updates: [[UInt8]] = [], staleLimit: Duration? = nil) -> RestoredSubscribers {
    var table = RestoredSubscribers(staleLimit: staleLimit)
    table.add(
      centrals.map { central in
        PreservedSubscriber(
          central: central, isBonded: central == centrals[0], characteristic: characteristic(), updates: updates)
      }, of: app)
    return table
  }

  @Test("An update is kept for those that it is for; of too many the oldest are discarded")
  func keeping() {
    var table = Self.table()
    let kept = [
      table.keep([1], of: Self.app, Self.characteristic(), for: [Self.centrals[1]]),
      table.keep([2], of: Self.app, Self.characteristic(1), for: nil),
      table.keep([3], of: AppID(rawValue: 2), Self.characteristic(), for: nil),
    ]
    #expect(kept == [true, false, false])
    #expect(table.all.map(\.kept) == [0, 1, 0])
    for number in 1...RestoredSubscribers.limit {
      _ = table.keep([UInt8(number)], of: Self.app, Self.characteristic(), for: nil)
    }
    #expect(table.all.map(\.kept) == [32, 32, 32])
    #expect(table.all.map(\.dropped) == [0, 1, 0])
    #expect(table.preserved(of: Self.app).map { $0.updates.first } == [[1], [1], [1]])
  }

  @Test("A central that subscribes again receives what was kept, with what follows until then, and is restored no more")
  func resuming() {
    var table = Self.table([[1], [2]])
    let results = [table.resume(Self.subscription(0)), table.resume(Self.subscription(0))]
    #expect(results == [true, nil])
    #expect(table.isResuming && table.centrals == Set(Self.centrals.dropFirst()))
    let appended = [0, 1].map { table.append([3], toResuming: Self.subscription($0)) }
    #expect(appended == [true, false])
    let finished = [table.finishResuming(Self.subscription(0)), table.finishResuming(Self.subscription(0))]
    #expect(finished == [[[1], [2], [3]], []])
    #expect(!table.isResuming)
  }

  @Test("A central for which nothing was kept has nothing to receive")
  func nothingKept() {
    var table = Self.table()
    let result = table.resume(Self.subscription(2))
    #expect(result == false && !table.isResuming)
    #expect(table.centrals(of: Self.app, Self.characteristic()) == [Self.centrals[0], Self.centrals[1]])
  }

  @Test("Centrals that are neither bonded nor connected expire; those of a removed service or app are forgotten")
  func expiry() {
    var table = Self.table()
    let expired = table.removeExpired { $0 == Self.centrals[1] }
    #expect(expired == [Self.subscription(2)])
    table.forget(Self.app, ServiceID(rawValue: 5))
    #expect(table.centrals == Set(Self.centrals.prefix(2)))
    var copy = table
    table.forget(Self.app, ServiceID(rawValue: 0))
    copy.forget(Self.app)
    #expect(table.isEmpty && copy.isEmpty)
  }

  @Test("A connected central has one timer within which it must subscribe again, where there is a limit")
  func timers() {
    let timers = CountedTimers()
    var limited = Self.table(staleLimit: .seconds(9))
    var started: [CentralID] = []
    for connected in [Set(Self.centrals.prefix(2)), Set(Self.centrals)] {
      limited.startTimers(connected: connected) { central, limit in
        #expect(limit == .seconds(9))
        started.append(central)
        return timers.start()
      }
    }
    #expect(Set(started.prefix(2)) == Set(Self.centrals.prefix(2)) && started.dropFirst(2) == [Self.centrals[2]])
    _ = limited.resume(Self.subscription(0))
    let areStale = Self.centrals.map { limited.isStale($0) }
    #expect(areStale == [false, true, true])
    var unlimited = Self.table()
    unlimited.startTimers(connected: Set(Self.centrals)) { _, _ in timers.start() }
    #expect(timers.started == 3)
  }
}
