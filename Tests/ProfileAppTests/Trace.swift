import BleperaAppLink
import BleperaProfileApp
import Testing

/// What happens to an app on virtual time, and what it is to do about it.
struct Trace {
  /// Seconds since the app was launched.
  typealias Step = (at: Double, event: ProfileMachine.Event, actions: [ProfileMachine.Action])

  var machine: ProfileMachine
  /// Whether the phone queues each update at once; otherwise the steps have its answers.
  var hasRoom = true

  /// What the app does about an event, and about the phone's answers to its updates.
  mutating func handle(_ event: ProfileMachine.Event, at time: Duration) -> [ProfileMachine.Action] {
    var actions = machine.handle(event, at: time)
    var next = 0
    while hasRoom, next < actions.count {
      let action = actions[next]
      next += 1
      guard case .send(.updateValue(let id, _, _)) = action else { continue }
      actions += machine.handle(.queued(id, true), at: time)
    }
    return actions
  }

  /// Goes through the steps, in order.
  mutating func run(_ steps: [Step], sourceLocation: SourceLocation = #_sourceLocation) {
    for (number, step) in steps.enumerated() {
      let actions = handle(step.event, at: .seconds(step.at))
      #expect(actions == step.actions, "step \(number), at \(step.at) s", sourceLocation: sourceLocation)
    }
  }

  /// The value that a read gets.
  mutating func value(_ index: Int, at seconds: Double, sourceLocation: SourceLocation = #_sourceLocation) -> [UInt8] {
    let actions = machine.handle(.read(1, Fixture.id(index)), at: .seconds(seconds))
    guard case .send(.respond(_, nil, let value))? = actions.first, actions.count == 1 else {
      Issue.record("no value but \(actions)", sourceLocation: sourceLocation)
      return []
    }
    return value
  }
}
