extension PageTranscript {
  /// Whether that is what the command printed, where a line `...` stands for any lines.
  func isShortened(from printed: [String]) -> Bool {
    let parts = lines.split(separator: "...", omittingEmptySubsequences: false)
    guard let first = parts.first, let last = parts.last, parts.count > 1 else { return lines == printed }
    guard printed.starts(with: first), printed.reversed().starts(with: last.reversed()) else { return false }
    var rest = printed.dropFirst(first.count).dropLast(last.count)
    for part in parts.dropFirst().dropLast() {
      guard let range = rest.firstRange(of: part) else { return false }
      rest = rest[range.upperBound...]
    }
    return true
  }
}
