import BleperaAppLink
import BleperaBluetooth
import BleperaProfileApp
import Testing

@testable import BleperaProfile

@Suite struct RobustnessTests {
  private static let profile = Fixture.profile([
    [
      Fixture.characteristic(1), Fixture.characteristic(2, .echo(Echo(source: Fixture.uuid(0xFE01)))),
      Fixture.characteristic(3, Fixture.counter(every: .milliseconds(20))),
      Fixture.characteristic(4, .echo(Echo()), answersAfter: .milliseconds(50)),
    ],
    [], [Fixture.characteristic(1, .echo(Echo(initialValue: [1]))), Fixture.characteristic(1, Fixture.random())],
  ])

  private static func exists(_ id: CharacteristicID) -> Bool {
    guard profile.services.indices.contains(id.service.rawValue) else { return false }
    return profile.services[id.service.rawValue].characteristics.indices.contains(id.index)
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `with any sequence of messages the app keeps to its rules and does not trap`(seed: UInt64) {
    var messages = RandomMessages(seed: seed)
    var machine = ProfileMachine(profile: Self.profile, name: "test", seed: seed)
    var subscribers: [CharacteristicID: Set<CentralID>] = [:]
    var deadlines: [ProfileMachine.Deadline: Duration] = [:]
    /// The number of times that the database was cleared, and so the app may publish again.
    var rounds = 1
    var advertisingStarts = 0
    var additions = 0
    var held: [ProfileMachine.Event]?
    var pending: Set<RequestID> = []
    for step in 0..<500 {
      let now = Duration.milliseconds(7 * step)
      let overdue = Self.overdueAnswer(deadlines, at: now)
      let event = overdue.map { .due($0) } ?? messages.next()
      if case .due(let deadline) = event {
        guard deadlines.removeValue(forKey: deadline) != nil || held == nil else { continue }
      }
      let actions = machine.handle(event, at: now)
      let batch = Self.batch(event, &held)
      var allowed = Set(subscribers.filter { !$0.value.isEmpty }.keys)
      for event in batch {
        if case .received(.peripheral(_, .didSubscribe(let central, let id))) = event {
          subscribers[id, default: []].insert(central.id)
          allowed.insert(id)
        }
        if case .received(.peripheral(_, .didUnsubscribe(let central, let id))) = event {
          subscribers[id]?.remove(central.id)
        }
        if case .launched = event {
          subscribers = [:]
          pending = []
          rounds += 1
        }
        if Self.isSlow(event) { pending.formUnion(Self.expectedAnswers(event)) }
        if case .received(.peripheral(_, .didUpdateState(let state))) = event, state != .poweredOn { subscribers = [:] }
        if case .received(.peripheral(_, .didUpdateState(let state))) = event,
          state.rawValue < ManagerState.poweredOff.rawValue
        {
          rounds += 1
        }
      }
      var answers: [RequestID] = []
      for action in actions {
        switch action {
        case .send(.peripheral(_, .respond(let request, let error, let value))):
          if pending.remove(request) == nil {
            answers.append(request)
          } else {
            #expect(batch.contains { if case .due(.response) = $0 { true } else { false } })
          }
          #expect(error == nil || value.isEmpty)
          #expect(value.count <= AttributeValue.maximumLength)
        case .send(.peripheral(_, .updateValue(let id, let value, nil))):
          #expect(Self.exists(id) && allowed.contains(id))
          #expect(value.count <= AttributeValue.maximumLength)
        case .send(.peripheral(_, .startAdvertising)): advertisingStarts += 1
        case .send(.peripheral(_, .addService)): additions += 1
        case .send(.hello), .send(.create): #expect(batch.contains(.launched))
        case .schedule(let deadline, let time):
          #expect(time > now)
          #expect(deadlines.updateValue(time, forKey: deadline) == nil, "two times for one deadline")
        case .unschedule(let deadline): deadlines[deadline] = nil
        case .send(let message): Issue.record("not to be expected: \(message)")
        }
      }
      #expect(answers == batch.filter { !Self.isSlow($0) }.flatMap { Self.expectedAnswers($0) })
      if held == nil {
        #expect(deadlines.keys.allSatisfy { Self.isOpen($0, subscribers, pending) })
        #expect(pending.allSatisfy { deadlines[.response($0)] != nil })
      } else {
        #expect(actions.isEmpty)
      }
    }
    #expect(advertisingStarts <= rounds)
    #expect(additions.isMultiple(of: Self.profile.services.count))
    #expect(additions <= rounds * Self.profile.services.count)
  }

  /// The events that are handled now: none while the app is suspended, all that came meanwhile when it runs again.
  private static func batch(
    _ event: ProfileMachine.Event, _ held: inout [ProfileMachine.Event]?
  ) -> [ProfileMachine.Event] {
    switch (event, held) {
    case (.received(.didChangeState(.suspended)), let events):
      held = events ?? []
      return []
    case (.received(.didChangeState), let events):
      held = nil
      return events ?? []
    case (.launched, _):
      held = nil
      return [event]
    case (_, let events?):
      held = events + [event]
      return []
    case (_, nil): return [event]
    }
  }

  /// The request whose answer should have been sent first.
  private static func overdueAnswer(
    _ deadlines: [ProfileMachine.Deadline: Duration], at now: Duration
  ) -> ProfileMachine.Deadline? {
    let overdue = deadlines.compactMap { deadline, time -> (time: Duration, id: RequestID)? in
      guard case .response(let id) = deadline, time <= now else { return nil }
      return (time, id)
    }
    return overdue.min { ($0.time, $0.id.rawValue) < ($1.time, $1.id.rawValue) }.map { .response($0.id) }
  }

  /// Whether the event is a request that the app takes its time over.
  private static func isSlow(_ event: ProfileMachine.Event) -> Bool {
    switch event {
    case .received(.peripheral(_, .didReceiveRead(let request))): request.characteristic == Fixture.id(3)
    case .received(.peripheral(_, .didReceiveWrite(let requests))):
      requests.contains { $0.characteristic == Fixture.id(3) }
    default: false
    }
  }

  private static func isOpen(
    _ deadline: ProfileMachine.Deadline, _ subscribers: [CharacteristicID: Set<CentralID>],
    _ pending: Set<RequestID>
  ) -> Bool {
    switch deadline {
    case .generator(let id): subscribers[id]?.isEmpty == false
    case .response(let id): pending.contains(id)
    case .steps, .writes: false
    }
  }

  /// Each read, and each unit of writes by its first, is answered once.
  private static func expectedAnswers(_ event: ProfileMachine.Event) -> [RequestID] {
    switch event {
    case .received(.peripheral(_, .didReceiveRead(let request))): [request.id]
    case .received(.peripheral(_, .didReceiveWrite(let requests))): requests.prefix(1).map(\.id)
    default: []
    }
  }

  @Test(arguments: [-1, 0, 1e-18, 1, 1e9, 1e17])
  func `no time traps`(seconds: Double) {
    var machine = Fixture.machine(Fixture.characteristic(1, Fixture.counter(every: .milliseconds(20))))
    for event in [ProfileMachine.Event.didSubscribe("A", Fixture.id(0)), .due(Fixture.id(0)), .read(1, Fixture.id(0))] {
      #expect(machine.handle(event, at: .seconds(seconds)).isEmpty == false)
    }
  }
}
