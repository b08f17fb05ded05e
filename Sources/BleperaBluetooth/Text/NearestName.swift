/// Finds the name that a misspelled one probably stands for.
package enum NearestName {
  /// Longer texts are not searched for: no name is as long, and the cost is the product of the lengths.
  private static let longest = 40

  /// The name with the lowest edit distance from `text`, in which a change of letter case weighs a third; nil where
  /// more than a third of the name differs, or more than `edits` letters.
  package static func find(_ text: String, in names: [String], edits: Int = .max) -> String? {
    let text = Array(text.utf8)
    guard !text.isEmpty, text.count <= longest else { return nil }
    var best: (name: String, cost: Int)?
    for name in names {
      let letters = Array(name.utf8)
      // A difference in case costs 1, any other edit 3.
      let allowed = min(max(letters.count, 3), min(edits, longest) * 3)
      guard abs(letters.count - text.count) * 3 <= allowed else { continue }
      let cost = cost(from: text, to: letters)
      if cost <= allowed, cost < best?.cost ?? .max { best = (name, cost) }
    }
    return best?.name
  }

  /// The lowest cost of insertions, deletions, substitutions and transpositions.
  private static func cost(from source: [UInt8], to target: [UInt8]) -> Int {
    var beforeLast: [Int] = []
    var last = (0...target.count).map { $0 * 3 }
    for row in 1...source.count {
      var current = [row * 3]
      for column in 0..<target.count {
        let isSame = source[row - 1] == target[column]
        let isSameLetter = source[row - 1] | 0x20 == target[column] | 0x20
        var cell = last[column] + (isSame ? 0 : isSameLetter ? 1 : 3)
        cell = min(cell, last[column + 1] + 3, current[column] + 3)
        if row > 1, column > 0, source[row - 1] == target[column - 1], source[row - 2] == target[column] {
          cell = min(cell, beforeLast[column - 1] + 3)
        }
        current.append(cell)
      }
      beforeLast = last
      last = current
    }
    return last[target.count]
  }
}
