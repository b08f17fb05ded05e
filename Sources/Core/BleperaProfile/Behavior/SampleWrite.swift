package import BleperaBluetooth

/// A write of a central that shows what a characteristic's behavior does.
package struct SampleWrite: Hashable, Sendable {
  package var service: BluetoothUUID
  package var characteristic: BluetoothUUID
  package var value: [UInt8]

  /// The written value where a profile does not say what it expects.
  package static let defaultValue: [UInt8] = [1]
}

extension Profile {
  /// The writes that exercise the echoes and responses of the profile, for a central that subscribes to everything.
  package var sampleWrites: [SampleWrite] { services.flatMap(\.sampleWrites) }
}

extension Profile.Service {
  fileprivate var sampleWrites: [SampleWrite] {
    var writes: [SampleWrite] = []
    var state = states.first
    func add(_ value: [UInt8], to characteristic: BluetoothUUID) {
      writes.append(SampleWrite(service: uuid, characteristic: characteristic, value: value))
    }
    for characteristic in characteristics {
      let uuid = characteristic.definition.uuid
      switch characteristic.behavior {
      case .echo(let echo):
        let source = echo.source ?? uuid
        let isWritable = characteristics.contains { candidate in
          candidate.definition.uuid == source && !candidate.definition.properties.isDisjoint(with: .writable)
        }
        if isWritable, !writes.contains(where: { $0.characteristic == source }) {
          add(SampleWrite.defaultValue, to: source)
        }
      case .responses(let responses):
        for value in responses.sampleValues(from: &state) { add(value, to: uuid) }
      case .generator, nil: break
      }
    }
    return writes
  }
}

extension Responses {
  /// The maximum number of sample values.
  private static let sampleLimit = 6
  /// Steps that follow within this time are done before the next write.
  private static let pause = Duration.milliseconds(400)

  /// A value for each row that accepts a value, as far as the states let the row be reached in the order of the table.
  fileprivate func sampleValues(from state: inout String?) -> [[UInt8]] {
    var values: [[UInt8]] = []
    for row in rows where row.error == nil && values.count < Self.sampleLimit {
      let value = row.pattern.sample
      let taken = rows.first { candidate in
        candidate.unlessSubscribed.isEmpty && candidate.states.map { $0.contains(state ?? "") } ?? true
          && candidate.pattern.match(value) != nil
      }
      guard taken == row else { continue }
      values.append(value)
      state = row.newState ?? state
      var time = Duration.zero
      for step in row.steps {
        time += step.delay
        guard time <= Self.pause else { break }
        state = step.newState ?? state
      }
    }
    return values
  }
}

extension WritePattern {
  private static let text = Array("hello".utf8)

  /// A value that the pattern matches: text where the given bytes are text.
  fileprivate var sample: [UInt8] {
    let isText = bytes.allSatisfy { $0.map { (0x20...0x7E).contains($0) } ?? true }
    guard isText else { return bytes.map { $0 ?? 1 } }
    return bytes.enumerated().map { $1 ?? Self.text[$0 % Self.text.count] } + (allowsRest ? Self.text : [])
  }
}
