import AppLink
import GATT
import Profile
import ProfileApp
import Testing

@Suite struct RobustnessTests {
  private static let profile = Fixture.profile([
    [
      Fixture.characteristic(1), Fixture.characteristic(2, .echo(Echo(source: Fixture.uuid(0xFE01)))),
      Fixture.characteristic(3, Fixture.counter(every: .milliseconds(20))),
    ],
    [], [Fixture.characteristic(1, .echo(Echo(initialValue: [1]))), Fixture.characteristic(1, Fixture.random())],
  ])

  private static func exists(_ id: CharacteristicID) -> Bool {
    guard profile.services.indices.contains(id.service.rawValue) else { return false }
    return profile.services[id.service.rawValue].characteristics.indices.contains(id.index)
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `whatever the system says, the app keeps to its rules and does not trap`(seed: UInt64) {
    var messages = RandomMessages(seed: seed)
    var machine = ProfileMachine(profile: Self.profile, name: "test", seed: seed)
    var subscribers: [CharacteristicID: Set<CentralID>] = [:]
    var deadlines: [CharacteristicID: Duration] = [:]
    var advertisingStarts = 0
    var additions = 0
    for step in 0..<500 {
      let now = Duration.milliseconds(7 * step)
      let event = messages.next()
      if case .received(.didSubscribe(let central, let id)) = event { subscribers[id, default: []].insert(central.id) }
      if case .received(.didUnsubscribe(let central, let id)) = event { subscribers[id]?.remove(central.id) }
      if case .due(let id) = event { deadlines[id] = nil }
      var answers: [RequestID] = []
      for action in machine.handle(event, at: now) {
        switch action {
        case .send(.respond(let request, let error, let value)):
          answers.append(request)
          #expect(error == nil || value.isEmpty)
          #expect(value.count <= AttributeValue.maximumLength)
        case .send(.updateValue(let id, let value, nil)):
          #expect(Self.exists(id) && subscribers[id]?.isEmpty == false)
          #expect(value.count <= AttributeValue.maximumLength)
        case .send(.startAdvertising): advertisingStarts += 1
        case .send(.addService): additions += 1
        case .send(.hello): #expect(event == .launched)
        case .schedule(let id, let deadline):
          #expect(deadline > now)
          #expect(deadlines.updateValue(deadline, forKey: id) == nil, "two deadlines at once")
        case .unschedule(let id): deadlines[id] = nil
        case .send(let message): Issue.record("not to be expected: \(message)")
        }
      }
      #expect(answers == Self.expectedAnswers(event))
      #expect(deadlines.keys.allSatisfy { subscribers[$0]?.isEmpty == false })
    }
    #expect(advertisingStarts <= 1)
    #expect(additions == 0 || additions == Self.profile.services.count)
  }

  /// Each read, and each unit of writes by its first, is answered once.
  private static func expectedAnswers(_ event: ProfileMachine.Event) -> [RequestID] {
    switch event {
    case .received(.didReceiveRead(let request)): [request.id]
    case .received(.didReceiveWrite(let requests)): requests.prefix(1).map(\.id)
    default: []
    }
  }

  @Test(arguments: [-1, 0, 1e-18, 1, 1e9, 1e17])
  func `no time traps`(seconds: Double) {
    var machine = Fixture.machine(Fixture.characteristic(1, Fixture.counter(every: .milliseconds(20))))
    for event in [ProfileMachine.Event.subscribed("A", Fixture.id(0)), .due(Fixture.id(0)), .read(1, Fixture.id(0))] {
      #expect(machine.handle(event, at: .seconds(seconds)).isEmpty == false)
    }
  }
}
