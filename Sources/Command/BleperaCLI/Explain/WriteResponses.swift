import BleperaBluetooth
import BleperaProfile

/// The responses of one characteristic of a profile.
struct WriteResponses: Equatable {
  let characteristic: BluetoothUUID
  let count: Int
  /// The error of every other write; nil if each write has a response.
  let otherwise: ATTError?

  static func all(of profile: Profile) -> [WriteResponses] {
    profile.services.flatMap(\.characteristics).compactMap { characteristic in
      guard case .responses(let responses) = characteristic.behavior else { return nil }
      let isComplete = responses.rows.contains { $0.covers(Responses.Row(.any)) }
      return WriteResponses(
        characteristic: characteristic.definition.uuid, count: responses.rows.count,
        otherwise: isComplete ? nil : responses.otherwise)
    }
  }

  var text: String {
    let count = "\(characteristic): \(count) \(count == 1 ? "response" : "responses")"
    return otherwise.map { "\(count); others are refused with \($0)" } ?? "\(count)"
  }
}

extension WriteResponses: Encodable {
  private enum CodingKeys: CodingKey {
    case characteristic, count, otherwise
  }

  private enum ErrorKeys: CodingKey {
    case code, name
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode("\(characteristic)", forKey: .characteristic)
    try container.encode(count, forKey: .count)
    guard let otherwise else { return }
    var nested = container.nestedContainer(keyedBy: ErrorKeys.self, forKey: .otherwise)
    try nested.encode(otherwise.rawValue, forKey: .code)
    try nested.encodeIfPresent(otherwise.name, forKey: .name)
  }
}
