/// Scenes with the times at which they began: a scene file.
package struct PlayedScenes: Hashable, Sendable {
  package struct Entry: Hashable, Sendable {
    package let scene: Scene
    /// The start of the scene, in nanoseconds since 1970.
    package var start: Int64
  }

  package private(set) var entries: [Entry] = []
  /// The greatest error of the starts by the clock of a capture, in nanoseconds.
  private var error: Int64 = 0

  package init() {}

  package mutating func add(_ scene: Scene, at time: Int64) { entries.append(Entry(scene: scene, start: time)) }

  /// Reads a scene file: on each line the time in seconds since 1970 and the name of a scene.
  ///
  /// - Returns: nil if the text is not a scene file.
  package init?(_ text: String) {
    for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
      let words = line.split(separator: " ")
      guard words.count == 2, entries.count < Self.most, let seconds = Double(words[0]),
        (0...Self.latest).contains(seconds),
        let scene = Scene.named(String(words[1]))
      else { return nil }
      let start = Int64((seconds * 1000).rounded()) * 1_000_000
      guard (entries.last?.start ?? 0) <= start else { return nil }
      add(scene, at: start)
    }
    if entries.isEmpty { return nil }
  }

  /// The most scenes of a file, more than anyone plays. Ours.
  private static let most = 100
  /// The latest start, in seconds since 1970: the end of 2099.
  private static let latest = 4_102_444_799.0

  /// The text of a scene file.
  package var text: String {
    entries.reduce(into: "# Seconds since 1970 and a scene, by 'blepera compare --scenes'.\n") { text, entry in
      let milliseconds = "\(entry.start / 1_000_000 % 1000 + 1000)".dropFirst()
      text += "\(entry.start / 1_000_000_000).\(milliseconds) \(entry.scene.name)\n"
    }
  }

  /// The scenes by the clock of a capture.
  package func shifted(by offset: ClockOffset) -> PlayedScenes {
    var played = self
    for index in entries.indices { played.entries[index].start += offset.nanoseconds }
    played.error = offset.error
    return played
  }

  /// The app's state at a time of the capture; nil within the error of the clocks around the start of a scene.
  func app(at time: Int64) -> AppScene? {
    guard let index = entries.lastIndex(where: { $0.start + error <= time }), index + 1 < entries.count,
      time < entries[index + 1].start - error
    else { return nil }
    return entries[index].scene.app
  }
}
