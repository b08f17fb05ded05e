/// Any JSON value, the members of an object in their order; without fractions.
package indirect enum JSONTree: Hashable, Sendable {
  case text(String)
  case number(Int)
  case flag(Bool)
  case list([JSONTree])
  case object([Member])

  package struct Member: Hashable, Sendable {
    package let name: String
    package var value: JSONTree

    package init(_ name: String, _ value: JSONTree) { (self.name, self.value) = (name, value) }
  }

  /// The raw values of these.
  package static func values(_ values: [some RawRepresentable<String>]) -> JSONTree {
    .list(values.map { .text($0.rawValue) })
  }
}

extension JSONTree: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(stringLiteral text: String) { self = .text(text) }
  package init(integerLiteral number: Int) { self = .number(number) }
  package init(booleanLiteral flag: Bool) { self = .flag(flag) }
  package init(arrayLiteral elements: JSONTree...) { self = .list(elements) }
  package init(dictionaryLiteral members: (String, JSONTree)...) { self = .object(members.map { Member($0, $1) }) }
}
