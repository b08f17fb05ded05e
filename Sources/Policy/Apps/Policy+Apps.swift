/// Finding and changing apps.
extension Policy {
  func index(of id: AppID) -> Int? { apps.firstIndex { $0.id == id } }

  func app(_ id: AppID) -> App? { index(of: id).map { apps[$0] } }

  /// Nothing where there is no such app.
  mutating func change(_ id: AppID, _ body: (inout App) -> [Action]) -> [Action] {
    index(of: id).map { body(&apps[$0]) } ?? []
  }

  /// In the order of their numbers.
  mutating func changeAll(_ body: (inout App) -> [Action]) -> [Action] {
    apps.indices.flatMap { body(&apps[$0]) }
  }
}
