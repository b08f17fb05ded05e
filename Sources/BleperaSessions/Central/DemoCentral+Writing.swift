import BleperaBlueZ
import BleperaBluetooth
import BleperaProfile

/// What the central writes: the values that show what the profiles' echoes and responses do, and at the user's request
/// a value to every other characteristic that can be written.
extension DemoCentral {
  /// Between two writes: long enough for the notifications that follow a write.
  private static let pause = Duration.milliseconds(400)

  /// Writes during the present connection, or during the next one, which is made as soon as possible; false while
  /// nothing is on the air.
  func writeNow() -> Bool {
    guard connectNow() else { return false }
    writesAll = true
    if connected != nil { wakeWaiter() }
    return true
  }

  /// Writes the sample values, and if the user has asked for it one value to each of the other characteristics.
  func write(to services: [FoundService]) async throws(CentralFailure) {
    let isForAll = writesAll
    writesAll = false
    for service in services {
      for characteristic in service.characteristics where !characteristic.properties.isDisjoint(with: .writable) {
        let samples = sampleWrites.filter {
          $0.service == service.uuid && $0.characteristic == characteristic.uuid
        }
        let values = samples.isEmpty && isForAll ? [SampleWrite.defaultValue] : samples.map(\.value)
        for value in values {
          try await write(value, to: characteristic, of: service)
          try? await Task.sleep(for: Self.pause)
        }
      }
    }
  }

  /// Reports a refused write; the connection stays.
  private func write(
    _ value: [UInt8], to characteristic: FoundCharacteristic, of service: FoundService
  ) async throws(CentralFailure) {
    var record = DemoCentralEvent(.written, service, characteristic, value: value)
    do throws(CentralFailure) {
      try await manager?.write(
        value, to: characteristic.path, characteristic.properties.contains(.write) ? .request : .command)
    } catch {
      try rethrowIfFatal(error)
      record.reason = "\(error)"
    }
    report(record)
  }
}
