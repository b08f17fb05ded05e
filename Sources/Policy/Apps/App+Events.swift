/// Who hears of an event, and when.
extension App {
  mutating func receive(_ request: EventID, _ kind: RequestKind, at now: Duration) -> [Policy.Action] {
    switch phase {
    case .inactive, .foreground, .background: return deliver(request, at: now)
    case .suspended:
      guard hasBackgroundMode else { return [refuseWhileSuspended(request)] }
      guard !isThrottled(at: now) else { return [refuseWhileThrottled(request)] }
      return wake(.wokenForRequest(kind), at: now) + deliver(request, at: now)
    }
  }

  mutating func receive(_ notice: Notice, at now: Duration) -> [Policy.Action] {
    switch phase {
    case .inactive, .foreground, .background:
      if notice.kind.wakes { extendBudget(at: now) }
      return [.deliver(id, notice.id)]
    case .suspended:
      guard hasBackgroundMode, notice.kind.wakes, !isThrottled(at: now) else { return enqueue(notice) }
      return wake(.wokenForNotice(notice.kind), at: now) + [.deliver(id, notice.id)]
    }
  }

  mutating func answered(_ request: EventID) -> [Policy.Action] {
    unanswered.removeAll { $0.id == request }
    return []
  }

  /// Everything that waits, in order of arrival.
  mutating func deliverQueue() -> [Policy.Action] {
    defer { queue = [] }
    return queue.map { .deliver(id, $0.id) }
  }

  private mutating func deliver(_ request: EventID, at now: Duration) -> [Policy.Action] {
    unanswered.append(Request(id: request, delivered: now))
    extendBudget(at: now)
    return [.deliver(id, request)]
  }

  /// Of too many the oldest is dropped that wakes. Centrals cause those, as many as they like. The other callbacks are
  /// kept, as an app that misses one may wait for it forever, and they are few: one for each thing that the app asked
  /// for while it ran, and one for each change of the radio.
  private mutating func enqueue(_ notice: Notice) -> [Policy.Action] {
    queue.append(notice)
    let limit = rules.eventQueueLimit.value
    guard queue.count > limit, queue.count(where: \.kind.wakes) > limit,
      let oldest = queue.firstIndex(where: \.kind.wakes)
    else { return [.queue(id, notice.id)] }
    dropped += 1
    return [.queue(id, notice.id), .drop(id, queue.remove(at: oldest).id, .queueFull)]
  }
}
