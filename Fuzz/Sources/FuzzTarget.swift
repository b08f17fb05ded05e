/// What receives the inputs of libFuzzer.
struct FuzzTarget: Sendable {
  let name: String
  /// Ends the process where a property of the input does not hold.
  let run: @Sendable ([UInt8]) -> Void

  init(_ name: String, _ run: @escaping @Sendable ([UInt8]) -> Void) {
    self.name = name
    self.run = run
  }

  static let all: [FuzzTarget] = [
    .profile, .scenario, .trace, .state, .advertising, .dbus, .appLink, .control, .clone,
  ]
}

/// Ends the process where a property does not hold; libFuzzer then keeps the input.
func require(_ condition: Bool, _ property: @autoclosure () -> String) {
  guard !condition else { return }
  fatalError("this does not hold: \(property())")
}
