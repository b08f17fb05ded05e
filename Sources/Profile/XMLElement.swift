/// The elements of an XML property list.
package enum XMLElement: String, CaseIterable, Sendable {
  case plist
  case dictionary = "dict"
  case key
  case array
  case string
  case integer
  case real
  case `true`
  case `false`
  case date
  case data

  /// The names of the elements that stand for a value.
  package static let valueNames = allCases.filter { $0 != .plist && $0 != .key }.map(\.rawValue)

  package var tag: String { "<\(rawValue)>" }
}
