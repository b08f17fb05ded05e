import BleperaProfile

/// The steps of a response that are still to come.
struct ResponseRun<Source: Hashable & Sendable>: Hashable, Sendable {
  /// The attribute whose value causes the response.
  let source: Source
  /// The fields that the row has captured from the value, by name.
  let fields: [String: [UInt8]]
  fileprivate(set) var steps: ArraySlice<Responses.Step>
  /// The time of the first of the steps, since the launch of the app.
  fileprivate(set) var due: Duration
}

/// Runs by the time of their next steps; runs of equal time are in the order in which they were added.
struct ResponseRuns<Source: Hashable & Sendable>: Sendable {
  private var runs: [ResponseRun<Source>] = []

  var count: Int { runs.count }

  /// The time of the first step; nil without steps.
  var due: Duration? { runs.first?.due }

  mutating func add(_ steps: [Responses.Step], of source: Source, _ fields: [String: [UInt8]], at now: Duration) {
    guard let first = steps.first else { return }
    insert(ResponseRun(source: source, fields: fields, steps: steps[...], due: now + first.delay))
  }

  mutating func remove(where isRemoved: (Source) -> Bool) { runs.removeAll { isRemoved($0.source) } }

  /// Takes the next step that is due.
  mutating func next(at now: Duration) -> (Responses.Step, ResponseRun<Source>)? {
    guard var run = runs.first, run.due <= now, let step = run.steps.popFirst() else { return nil }
    runs.removeFirst()
    if let next = run.steps.first {
      run.due = now + next.delay
      insert(run)
    }
    return (step, run)
  }

  /// The actions that schedule the first step; none if its time is still `former`.
  func schedule(_ deadline: ProfileMachine.Deadline, from former: Duration?) -> [ProfileMachine.Action] {
    guard due != former else { return [] }
    return [due.map { .schedule(deadline, at: $0) } ?? .unschedule(deadline)]
  }

  private mutating func insert(_ run: ResponseRun<Source>) {
    runs.insert(run, at: runs.firstIndex { $0.due > run.due } ?? runs.endIndex)
  }
}
