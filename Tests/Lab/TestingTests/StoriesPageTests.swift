import FoundationEssentials
import Testing

@Suite("The page of stories")
struct StoriesPageTests {
  private static func lines(of path: String) throws -> [Substring] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    return String(decoding: try Data(contentsOf: folder.appending(path: path)), as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
  }

  @Test("Its first story is that of the example")
  func story() throws {
    let page = try Self.lines(of: "../../../docs/stories.md").joined(separator: "\n")
    let story = try Self.lines(of: "../../../examples/stories/Tests/LockStories/FirstStory.swift").map {
      $0.isEmpty ? "" : "    \($0)"
    }
    #expect(story.count > 10)
    #expect(page.contains(story.joined(separator: "\n")))
  }
}
