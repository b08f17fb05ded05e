import BleperaBluetooth
import BleperaPropertyLists
package import BleperaRules

extension MeasuredPhone {
  /// The phone file, in the text form.
  ///
  /// - Parameter head: the lines of the comment at the top.
  package func text(head: [String] = []) -> String {
    var entries: [PropertyListWriter.Entry] = [.value(SchemaKey.phone.name, .string(name))]
    if let ios { entries.append(.value(SchemaKey.iosVersion.name, .integer(Int128(ios.rawValue)))) }
    if let deviceName { entries.append(.value(SchemaKey.deviceName.name, .string(deviceName))) }
    for value in values {
      entries += [.comment(Self.mark + value.source), .value(value.name, PropertyListWriter(value.content))]
    }
    return PropertyListWriter.dictionary(entries).text(head: head, ScalarTypes(Self.schema))
  }
}

extension PropertyListWriter {
  fileprivate init(_ content: RuleContent) {
    self =
      switch content {
      case .milliseconds(let value): Int128(exactly: value).map { .integer($0) } ?? .real(value)
      case .number(let value): .integer(Int128(value))
      case .word(let word): .string(word)
      case .bytes(let bytes): .data(bytes)
      case .list(let contents): .array(contents.map { PropertyListWriter($0) })
      case .fields(let fields): .dictionary(fields.map { .value($0.name, PropertyListWriter($0.content)) })
      case .none: .string(MeasuredPhone.nothing)
      }
  }
}
