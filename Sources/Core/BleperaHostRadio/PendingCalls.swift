import BleperaLoop

/// The calls to a radio that have not taken effect.
struct PendingCalls {
  struct Call {
    let timer: any LoopTimer
    /// Whether the call changes services or advertisements.
    let isChange: Bool
    /// Runs if the call takes no effect.
    let cancelled: (@Sendable () -> Void)?
  }

  private var calls: [Int: Call] = [:]
  private var last = 0

  var isEmpty: Bool { calls.isEmpty }
  var hasChanges: Bool { calls.values.contains { $0.isChange } }

  /// - Parameter start: starts the timer of the call, which receives the call's number.
  mutating func add(
    isChange: Bool = false, cancelled: (@Sendable () -> Void)? = nil, _ start: (Int) -> any LoopTimer
  ) {
    last += 1
    calls[last] = Call(timer: start(last), isChange: isChange, cancelled: cancelled)
  }

  mutating func take(_ number: Int) -> Call? { calls.removeValue(forKey: number) }

  /// Stops all timers.
  ///
  /// - Returns: what is to run, in the order of the calls.
  mutating func cancel() -> [@Sendable () -> Void] {
    defer { calls = [:] }
    return calls.sorted { $0.key < $1.key }.compactMap(\.value.cancelled)
  }
}
