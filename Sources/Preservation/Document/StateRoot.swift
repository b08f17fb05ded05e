/// The document's root: the version beside what the state has.
struct StateRoot: Codable {
  let version: Int
  let state: PreservedState

  init(version: Int, state: PreservedState) {
    self.version = version
    self.state = state
  }

  init(from decoder: any Decoder) throws {
    let fields = try StateReader(decoder)
    version = try fields.value(.version)
    state = try PreservedState(reading: fields)
  }

  func encode(to encoder: any Encoder) throws {
    var fields = StateWriter(encoder)
    try fields.value(version, .version)
    try state.write(to: &fields)
  }
}
