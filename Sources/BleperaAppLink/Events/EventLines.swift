/// Events as lines of text, for a client of the control socket that prints them.
struct EventLines: Hashable, Codable, JSONLineValue {
  var lines: [String] = []

  init(lines: [String] = []) { self.lines = lines }

  func write(to object: inout JSONObjectWriter) -> Bool {
    object.begin()
    object.add("lines", lines)
    object.end()
    return true
  }

  init?(reading object: inout JSONObjectReader) {
    var lines: [String]?
    let isObject = object.object { $1 == "lines" && $0.store($0.texts(), in: &lines) }
    guard isObject, let lines else { return nil }
    self.lines = lines
  }
}
