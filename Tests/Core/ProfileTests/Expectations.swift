import BleperaProfile
import BleperaPropertyLists
import TestSupport
import Testing

/// Checks a marked profile: as many diagnostics as there are texts, each at its marker and with its text in it.
func expectDiagnostics(
  _ texts: [String], in input: String, sourceLocation: SourceLocation = #_sourceLocation
) {
  let marked = Marked(input)
  let check = Profile.check(marked.bytes, file: "f")
  let lines = check.diagnostics.map(\.description)
  #expect(
    check.diagnostics.map { "\($0.line):\($0.column)" } == marked.places, "\(lines)", sourceLocation: sourceLocation)
  guard lines.count == texts.count else {
    Issue.record("expected \(texts.count) diagnostics, not \(lines)", sourceLocation: sourceLocation)
    return
  }
  for (line, text) in zip(lines, texts) {
    #expect(line.contains(text), sourceLocation: sourceLocation)
  }
  #expect(
    (check.profile == nil) == check.diagnostics.contains { $0.severity == .error }, sourceLocation: sourceLocation)
}

/// A profile that checks without any diagnostic.
func expectProfile(_ input: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> Profile {
  let check = Profile.check(Array(input.utf8), file: "f")
  #expect(check.diagnostics.map(\.description) == [], sourceLocation: sourceLocation)
  return try #require(check.profile, sourceLocation: sourceLocation)
}
