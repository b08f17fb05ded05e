@_exported public import Story
import Testing
import XCTest

extension Air {
  /// An air on the radio that the test's trait says, or its `StoryTestCase`; without either a virtual one.
  ///
  /// What cannot be done to its phones, such as moving an app that does not run, fails the test.
  ///
  /// - Parameters:
  ///   - seed: of what is left to chance: when exactly an advertisement comes, and what is lost.
  ///   - loss: the chance, 0 to 1, that a scanner misses an advertisement. Of a virtual radio.
  ///   - latency: from sending to receiving one packet of a connection. Of a virtual radio.
  public convenience init(seed: UInt64 = 0, loss: Double = 0, latency: Duration = .milliseconds(5)) {
    let (stage, isXCTest) = (Stage.current, Test.current == nil)
    self.init(on: stage?.radio ?? .virtual, seed: seed, loss: loss, latency: latency) { failure in
      if isXCTest { XCTFail("\(failure)") } else { Issue.record("\(failure)") }
    }
    stage?.add(self)
  }
}
