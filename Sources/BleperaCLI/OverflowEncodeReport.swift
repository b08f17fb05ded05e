import GATT

/// What `blepera overflow encode` says.
struct OverflowEncodeReport: CommandReport, Equatable {
  let area: OverflowArea
  let services: [Service]
  let collisions: [Collision]

  struct Service: Encodable, Equatable {
    let uuid: String
    let bit: Int
  }

  /// Different UUIDs with one bit.
  struct Collision: Equatable {
    let bit: Int
    let uuids: [String]
  }

  init(_ uuids: [BluetoothUUID]) {
    area = OverflowArea(uuids)
    services = uuids.map { Service(uuid: "\($0)", bit: OverflowArea.bit(of: $0)) }
    collisions = OverflowArea.collisions(among: uuids).map { group in
      Collision(bit: OverflowArea.bit(of: group[0]), uuids: group.map { "\($0)" })
    }
  }

  private enum CodingKeys: CodingKey {
    case ad, mask, services, collisions
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Hex.string(area.structure.bytes), forKey: .ad)
    try container.encode(Hex.string(area.bytes), forKey: .mask)
    try container.encode(services, forKey: .services)
    try container.encode(collisions.map(\.uuids), forKey: .collisions)
  }

  func lines(for terminal: Terminal) -> [String] {
    let text = OverflowText(terminal: terminal)
    let colliding = Set(collisions.map(\.bit))
    let rows = services.map { text.bit($0.bit, isSet: true, isMarked: colliding.contains($0.bit)) + "  \($0.uuid)" }
    let notes = collisions.map { collision in
      let uuids = collision.uuids.joined(separator: ", ")
      return "\(terminal.styled("collision:", .yellow)) bit \(collision.bit) stands for \(uuids)"
    }
    return rows + notes + ["", text.hex("AD", area.structure.bytes), text.hex("mask", area.bytes), ""]
      + text.grid(area, marked: colliding)
  }
}
