/// A value of the preserved state that does not fit in its place.
package struct KeyProblem: Error, Hashable, Sendable {
  /// The keys that lead to it: `Apps[0].Services[1].Handles`.
  package let path: String
  /// What follows it: "is missing".
  package let problem: String

  package init(path: String, problem: String) {
    self.path = path
    self.problem = problem
  }
}

extension KeyProblem: CustomStringConvertible {
  package var description: String { "\(path), which \(problem)" }
}
