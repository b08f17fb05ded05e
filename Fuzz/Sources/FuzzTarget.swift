/// A function that receives the inputs of libFuzzer, or of the corpus.
struct FuzzTarget: Sendable {
  let name: String
  /// Calls `require` for each property of the input.
  let run: @Sendable ([UInt8]) -> Void

  init(_ name: String, _ run: @escaping @Sendable ([UInt8]) -> Void) {
    self.name = name
    self.run = run
  }

  static let all: [FuzzTarget] =
    [
      .profile, .accessory, .phone, .scenario, .scenes, .kernel, .trace, .state, .advertising, .dbus, .appLink,
      .control, .clone, .shard, .hci, .hciEvents, .att, .client, .l2cap, .smp,
    ] + captures
}
