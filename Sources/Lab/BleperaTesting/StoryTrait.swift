public import BleperaSimulation
public import Testing

/// Shows the trace of the air with every failure of a test, and selects the radio of the test's airs.
public struct StoryTrait: TestTrait, SuiteTrait, TestScoping {
  /// Nil for the radio of an outer trait, or a virtual one.
  let radio: Radio?

  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let context = TestContext(radio: radio ?? TestContext.current?.radio ?? .virtual)
    let handler = IssueHandlingTrait.compactMapIssues { issue in
      var issue = issue
      let trace = context.trace
      if !trace.isEmpty { issue.comments.append(Comment(rawValue: "what happened:\n\(trace)")) }
      return issue
    }
    try await RadioLock.with(context.radio) {
      try await TestContext.$current.withValue(context) {
        do {
          try await handler.provideScope(for: test, testCase: testCase, performing: function)
        } catch {
          await context.close()
          throw error
        }
      }
      await context.close()
    }
  }
}

extension Trait where Self == StoryTrait {
  /// Shows the trace of the air with every failure.
  public static var traced: Self { StoryTrait(radio: nil) }

  /// Runs stories on that radio, and shows the trace of the air with every failure. Stories on real adapters run
  /// serially.
  public static func radio(_ radio: Radio) -> Self { StoryTrait(radio: radio) }
}

/// Lets one test at a time use real adapters.
private enum RadioLock {
  /// Contains an element while the adapters are free.
  private static let free = Inbox([true])
  /// Whether this task or its suite holds the lock.
  @TaskLocal private static var isHeld = false

  /// Runs `body` when the radio is free; a virtual radio is always free.
  static func with(_ radio: Radio, _ body: () async throws -> Void) async throws {
    guard !radio.isVirtual, !isHeld else { return try await body() }
    guard await free.next({ $0 }) == true else { throw CancellationError() }
    defer { free.append(true) }
    try await $isHeld.withValue(true) { try await body() }
  }
}
