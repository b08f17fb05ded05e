/// The way from the root of a property list to one of its values, printed only when something is reported there.
package indirect enum NodePath: Sendable {
  case root
  case key(String, in: NodePath)
  case index(Int, in: NodePath)

  package func key(_ name: String) -> NodePath { .key(name, in: self) }
  package func index(_ index: Int) -> NodePath { .index(index, in: self) }
}

extension NodePath: CustomStringConvertible {
  /// `BLEPeripheral.Services[0].UUID`; a key that would read badly is quoted.
  package var description: String {
    var parts: [String] = []
    var path = self
    while true {
      switch path {
      case .root:
        var text = ""
        for part in parts.reversed() {
          if !text.isEmpty && !part.utf8.starts(with: "[".utf8) { text += "." }
          text += part
        }
        return text
      case .key(let name, let parent):
        parts.append(Self.printed(name))
        path = parent
      case .index(let index, let parent):
        parts.append("[\(index)]")
        path = parent
      }
    }
  }

  private static func printed(_ key: String) -> String {
    let isPlain =
      !key.isEmpty && key.utf8.count <= Quote.limit
      && key.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "[") }
    return isPlain ? key : Quote.text(key)
  }
}
