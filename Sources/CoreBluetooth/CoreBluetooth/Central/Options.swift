/// Reads the values of a dictionary of options, which can be Swift's or Foundation's.
struct Options {
  private let values: [String: Any]

  init(_ values: [String: Any]?) { self.values = values ?? [:] }

  init(_ values: [CBConnectionEventMatchingOption: Any]) {
    self.values = Dictionary(uniqueKeysWithValues: values.map { ($0.key.rawValue, $0.value) })
  }

  func flag(_ key: String) -> Bool {
    values[key] as? Bool ?? (values[key] as? NSNumber)?.boolValue ?? (values[key] as? Int).map { $0 != 0 } ?? false
  }

  func seconds(_ key: String) -> Double {
    values[key] as? Double ?? (values[key] as? NSNumber)?.doubleValue ?? (values[key] as? Int).map(Double.init) ?? 0
  }

  func list<Element>(_ key: String, of type: Element.Type) -> [Element] {
    values[key] as? [Element] ?? (values[key] as? NSArray)?.compactMap { $0 as? Element } ?? []
  }
}
