import BleperaAppLink
import BleperaProfileApp
import Testing

/// Events for a `ProfileMachine` on virtual time, and the actions that it must return.
struct Trace {
  /// Seconds since the app was launched.
  typealias Step = (at: Double, event: ProfileMachine.Event, actions: [ProfileMachine.Action])

  var machine: ProfileMachine
  /// Whether the phone queues each update at once; otherwise the steps have the replies.
  var hasRoom = true

  /// Returns the actions for an event, and for the phone's replies to the app's updates.
  mutating func handle(_ event: ProfileMachine.Event, at time: Duration) -> [ProfileMachine.Action] {
    var actions = machine.handle(event, at: time)
    var next = 0
    while hasRoom, next < actions.count {
      let action = actions[next]
      next += 1
      guard case .send(.peripheral(_, .updateValue(let id, _, _))) = action else { continue }
      actions += machine.handle(.didUpdateValue(id, queued: true), at: time)
    }
    return actions
  }

  /// Checks the steps, in order.
  mutating func run(_ steps: [Step], sourceLocation: SourceLocation = #_sourceLocation) {
    for (number, step) in steps.enumerated() {
      let actions = handle(step.event, at: .seconds(step.at))
      #expect(actions == step.actions, "step \(number), at \(step.at) s", sourceLocation: sourceLocation)
    }
  }

  /// The value that a read returns.
  mutating func value(_ index: Int, at seconds: Double, sourceLocation: SourceLocation = #_sourceLocation) -> [UInt8] {
    let actions = machine.handle(.read(1, Fixture.id(index)), at: .seconds(seconds))
    guard case .send(.peripheral(_, .respond(_, nil, let value)))? = actions.first, actions.count == 1 else {
      Issue.record("no value but \(actions)", sourceLocation: sourceLocation)
      return []
    }
    return value
  }
}
