import BleperaAppLink
import BleperaBluetooth
import BleperaProfileApp
import BleperaPropertyLists
import Testing

@testable import BleperaProfile

/// Short forms of profiles and identifiers for traces.
enum Fixture {
  static func uuid(_ short: UInt16) -> BluetoothUUID { BluetoothUUID(short) }

  static func id(_ index: Int, inService service: Int = 0) -> CharacteristicID {
    CharacteristicID(service: ServiceID(rawValue: service), index: index)
  }

  /// The characteristic FE01, FE02, ... with all properties and permissions.
  static func characteristic(
    _ number: UInt16 = 1, _ behavior: Behavior? = nil, answersAfter delay: Duration = .zero
  ) -> Profile.Characteristic {
    Profile.Characteristic(
      definition: CharacteristicDefinition(
        uuid: uuid(0xFE00 + number), properties: [.read, .write, .notify], permissions: [.readable, .writeable]),
      behavior: behavior, answerDelay: delay)
  }

  /// Counts from 0 in one byte.
  static func counter(every interval: Duration = .seconds(1), prefix: [UInt8] = []) -> Behavior {
    .generator(
      Generator(
        format: .unsigned(bytes: 1), shape: .counter(start: 0, step: 1), interval: interval, prefix: prefix))
  }

  static func random(seed: UInt64? = nil) -> Behavior {
    .generator(Generator(format: .unsigned(bytes: 4), shape: .random(minimum: 0, maximum: 0xFFFF_FFFF, seed: seed)))
  }

  /// Services FE10, FE20, ... with these characteristics; each advertised.
  static func profile(_ services: [[Profile.Characteristic]], isAdvertised: Bool = true) -> Profile {
    let services = services.enumerated().map { index, characteristics in
      Profile.Service(uuid: uuid(0xFE10 + 0x10 * UInt16(index)), characteristics: characteristics)
    }
    return Profile(
      advertisement: isAdvertised
        ? AdvertisementData(localName: "Test", serviceUUIDs: services.map(\.uuid)) : nil,
      services: services)
  }

  /// An app of one service with these characteristics.
  static func machine(_ characteristics: Profile.Characteristic..., seed: UInt64 = 1) -> ProfileMachine {
    ProfileMachine(profile: profile([characteristics]), name: "test", seed: seed)
  }
}
