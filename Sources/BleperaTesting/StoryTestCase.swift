public import Story
public import XCTest

/// A test case of XCTest whose airs are on its radio, and whose failures are shown with what happened on the air.
open class StoryTestCase: XCTestCase {
  private var stage: Stage?

  /// What its airs are on.
  open var radio: Radio { .virtual }

  open override func invokeTest() {
    let stage = Stage(radio: radio)
    self.stage = stage
    Stage.$current.withValue(stage) { super.invokeTest() }
  }

  open override func tearDown() async throws {
    await stage?.close()
    try await super.tearDown()
  }

  open override func recordFailure(
    withDescription description: String, inFile filePath: String, atLine lineNumber: Int, expected: Bool
  ) {
    let account = stage?.account ?? ""
    super.recordFailure(
      withDescription: account.isEmpty ? description : "\(description)\nwhat happened:\n\(account)", inFile: filePath,
      atLine: lineNumber, expected: expected)
  }
}
