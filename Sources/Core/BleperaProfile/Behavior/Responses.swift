package import BleperaBluetooth

/// The app's reaction to each write of a characteristic: a table whose first matching row applies.
package struct Responses: Hashable, Sendable {
  /// The ATT error of a write that no row matches, unless the profile states another one.
  package static let defaultError = ATTError(rawValue: 0x80)
  /// The allowed numbers of rows of a table, and of steps of a row.
  package static let limit = 256
  /// The allowed seconds of a step's delay.
  package static let delays: ClosedRange<Double> = 0...86_400

  /// The rows in the order in which they are tried.
  package var rows: [Row]
  /// The ATT error of a write that no row matches.
  package var otherwise: ATTError = Self.defaultError
  /// The value before the first write.
  package var initialValue: [UInt8] = []
}

extension Responses {
  /// A pattern for written values, and the app's reaction.
  package struct Row: Hashable, Sendable {
    /// The pattern that a written value has to match.
    package var pattern: WritePattern
    /// The states of the service in which the row applies; nil for all.
    package var states: [String]?
    /// The row applies only where the central that writes is not subscribed to all of these; empty for no condition.
    package var unlessSubscribed: [BluetoothUUID]
    /// The response; nil for success.
    package var error: ATTError?
    /// The value that the characteristic has after the write; nil for the written value.
    package var value: ValueTemplate?
    /// The service's next state; nil for no change.
    package var newState: String?
    /// Whether steps of the service's earlier rows that are still to come are dropped.
    package var cancels: Bool
    /// The app's actions after the response, in order.
    package var steps: [Step]

    /// Creates a row that applies to values of a pattern.
    package init(
      _ pattern: WritePattern, states: [String]? = nil, unlessSubscribed: [BluetoothUUID] = [],
      error: ATTError? = nil, value: ValueTemplate? = nil, newState: String? = nil, cancels: Bool = false,
      steps: [Step] = []
    ) {
      self.pattern = pattern
      self.states = states
      self.unlessSubscribed = unlessSubscribed
      self.error = error
      self.value = value
      self.newState = newState
      self.cancels = cancels
      self.steps = steps
    }

    /// Whether the row applies wherever `other` does, so that `other` never applies after it.
    package func covers(_ other: Row) -> Bool {
      guard pattern.covers(other.pattern) else { return false }
      if let states, !Set(states).isSuperset(of: other.states ?? []) || other.states == nil { return false }
      return unlessSubscribed.isEmpty
        || !other.unlessSubscribed.isEmpty && Set(unlessSubscribed).isSuperset(of: other.unlessSubscribed)
    }
  }

  /// A later action of the app.
  package struct Step: Hashable, Sendable {
    /// The time since the response or the step before.
    package var delay: Duration
    /// The characteristic of the same service that receives the value; nil for the written characteristic.
    package var characteristic: BluetoothUUID?
    /// The value, which is sent to subscribers; nil for a step that only changes the state.
    package var value: ValueTemplate?
    /// The service's next state; nil for no change.
    package var newState: String?

    /// Creates a step.
    ///
    /// - Parameter delay: The time since the response or the step before.
    package init(
      after delay: Duration = .zero, characteristic: BluetoothUUID? = nil, value: ValueTemplate? = nil,
      newState: String? = nil
    ) {
      self.delay = delay
      self.characteristic = characteristic
      self.value = value
      self.newState = newState
    }
  }
}
