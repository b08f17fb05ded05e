public import Story
public import Testing

/// Shows what happened on the air with every failure of a test, and says what radio its airs are on.
public struct StoryTrait: TestTrait, SuiteTrait, TestScoping {
  /// Nil for the one that is said outside, or a virtual one.
  let radio: Radio?

  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let stage = Stage(radio: radio ?? Stage.current?.radio ?? .virtual)
    let handler = IssueHandlingTrait.compactMapIssues { issue in
      var issue = issue
      let account = stage.account
      if !account.isEmpty { issue.comments.append(Comment(rawValue: "what happened:\n\(account)")) }
      return issue
    }
    try await Turn.with(stage.radio) {
      try await Stage.$current.withValue(stage) {
        do {
          try await handler.provideScope(for: test, testCase: testCase, performing: function)
        } catch {
          await stage.close()
          throw error
        }
      }
      await stage.close()
    }
  }
}

extension Trait where Self == StoryTrait {
  /// Shows what happened on the air with every failure.
  public static var traced: Self { StoryTrait(radio: nil) }

  /// Plays the stories on that radio, and shows what happened on the air with every failure. Those on real adapters are
  /// played one after the other.
  public static func radio(_ radio: Radio) -> Self { StoryTrait(radio: radio) }
}
