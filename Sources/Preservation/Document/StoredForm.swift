/// How a value stands in the document, where that is not as its own `Codable` has it.
protocol StoredForm: Codable {
  associatedtype Value
  var value: Value { get }
  init(_ value: Value)
}
