/// Lets a few through at a time: tests that each start a message bus of their own are quicker, and keep within their
/// limits, where not hundreds of them run at once.
package actor Turnstile {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  package init(_ count: Int) { free = count }

  package func pass<Result: Sendable>(_ body: @Sendable () async throws -> Result) async rethrows -> Result {
    if free > 0 { free -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
    defer { if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() } }
    return try await body()
  }
}
