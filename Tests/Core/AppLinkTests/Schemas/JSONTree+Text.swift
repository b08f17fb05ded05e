@testable import BleperaAppLink

extension JSONTree {
  /// The value of a member of an object; nil where there is none.
  subscript(name: String) -> JSONTree? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  /// A schema with a note: as for `JSONVisitor.note`. Members of objects are merged; a property must be there.
  func with(_ note: JSONTree) -> JSONTree {
    if case .text = note { return with(["description": note]) }
    guard case .object(var members) = self, case .object(let others) = note else { return note }
    for other in others {
      if let index = members.firstIndex(where: { $0.name == other.name }) {
        members[index].value = members[index].value.with(other.value, of: other.name)
      } else {
        members.append(other)
      }
    }
    return .object(members)
  }

  private func with(_ value: JSONTree, of keyword: String) -> JSONTree {
    guard case .object(let notes) = value, case .object = self else { return value }
    if keyword == "properties" {
      for note in notes { precondition(self[note.name] != nil, "no property \(note.name)") }
    }
    return with(value)
  }

  /// Each value on one line where that has at most 120 columns.
  var text: String { text(indent: "", room: 120) + "\n" }

  private func text(indent: String, room: Int) -> String {
    let line = self.line
    guard line.count > room - indent.count else { return line }
    let inner = indent + "  "
    switch self {
    case .list(let elements):
      let lines = elements.map { inner + $0.text(indent: inner, room: 119) }
      return "[\n" + lines.joined(separator: ",\n") + "\n\(indent)]"
    case .object(let members):
      let lines = members.map { member in
        let name = "\(JSONLine.text(member.name)): "
        return inner + name + member.value.text(indent: inner, room: 119 - name.count)
      }
      return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
    case .text, .number, .flag: return line
    }
  }

  private var line: String {
    switch self {
    case .text(let text): JSONLine.text(text)
    case .number(let number): "\(number)"
    case .flag(let flag): "\(flag)"
    case .list(let elements): "[" + elements.map(\.line).joined(separator: ", ") + "]"
    case .object(let members):
      "{" + members.map { "\(JSONLine.text($0.name)): \($0.value.line)" }.joined(separator: ", ") + "}"
    }
  }
}
