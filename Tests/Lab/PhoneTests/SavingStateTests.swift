import BleperaPreservation
import Testing

@testable import BleperaPhone

@Suite("Changes are saved together, and output that acknowledges them follows")
struct SavingStateTests {
  private static let locked = PreservedState(apps: [], screen: .locked)

  @Test("One save follows a turn's changes; timers of changes that can wait end with it")
  func scheduling() {
    let timers = CountedTimers()
    var saving = SavingState(InMemoryPreservationStore())
    #expect(!saving.isPending)
    saving.scheduleLater { timers.start() }
    #expect(!saving.isPending && timers.started == 1)
    for _ in 1...2 { saving.schedule { timers.start() } }
    #expect(saving.isPending && timers.started == 2)
    let areFirst = [saving.schedule(), saving.schedule()]
    #expect(areFirst == [true, false])
    saving.schedule { timers.start() }
    let begun = [saving.begin(), saving.begin()]
    #expect(begun == [true, false])
    #expect(timers.started == 2 && timers.cancelled == 2 && !saving.isPending)
    let isFirst = saving.schedule()
    #expect(isFirst)
  }

  @Test("Output that waits is taken once, in its order")
  func output() {
    var saving = SavingState(InMemoryPreservationStore())
    var done: [Int] = []
    for number in 1...3 { saving.add { done.append(number) } }
    for output in saving.takeOutputs() { output() }
    let rest = saving.takeOutputs()
    #expect(done == [1, 2, 3] && rest.isEmpty)
  }

  @Test("A state that cannot be saved is reported once, and saved with the next try")
  func failure() throws {
    let store = InMemoryPreservationStore()
    var saving = SavingState(store)
    store.failure = .cannotWrite("/state", reason: "full")
    var reports = [saving.save(Self.locked), saving.save(Self.locked)]
    #expect(saving.failure?.contains("full") == true)
    store.failure = nil
    reports.append(saving.save(Self.locked))
    #expect(reports.map(\.count) == [1, 0, 0] && reports[0].first?.app == nil)
    #expect(saving.failure == nil)
    #expect(try store.load().state.screen == .locked)
  }

  @Test("Only a state that differs from the last is written")
  func unchanged() throws {
    let store = InMemoryPreservationStore()
    var saving = SavingState(store)
    _ = saving.save(Self.locked)
    let file = store.file
    store.file = nil
    _ = saving.save(Self.locked)
    #expect(file != nil && store.file == nil)
    _ = saving.save(PreservedState(apps: []))
    #expect(store.file != nil)
  }

  @Test("A loaded state is the last saved one")
  func loading() throws {
    let store = InMemoryPreservationStore()
    try store.save(Self.locked)
    var saving = SavingState(store)
    let loaded = try saving.load()
    #expect(loaded.screen == .locked && saving.damage == nil)
    store.file = nil
    let reports = saving.save(loaded)
    #expect(reports.isEmpty && store.file == nil)
  }
}
