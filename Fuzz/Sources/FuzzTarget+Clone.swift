import BleperaBlueZ
import BleperaBluetooth
import BleperaProfile
import BleperaPropertyLists

@testable import BleperaCLI
@testable import BleperaSessions

extension FuzzTarget {
  /// The file that `clone` writes is a profile without errors.
  static let clone = FuzzTarget("clone") { bytes in
    var reader = ByteReader(bytes)
    let device = ClonedDevice(reading: &reader)
    let text = ClonedProfile(device: device).text
    // Combined characters are not escaped.
    guard text.count == text.unicodeScalars.count else { return }
    let check = Profile.check(Array(text.utf8), file: "clone.plist")
    requireOrder(of: check.diagnostics)
    guard let profile = check.profile else {
      let first = check.diagnostics.first { $0.severity == .error }
      return require(false, "a clone has no errors: \(first.map { "\($0)" } ?? "")\n\(text)")
    }
    require(profile.services.map(\.uuid) == device.ownServices.map(\.uuid), "a clone has the device's services")
  }
}

extension ClonedDevice {
  fileprivate init(reading reader: inout ByteReader) {
    var advertised = AdvertisedContent()
    if reader.flag() { advertised.name = reader.text() }
    advertised.serviceUUIDs = reader.several(atMost: 3) { $0.uuid() }
    for _ in 0..<reader.byte() % 3 {
      advertised.manufacturerData[reader.flag() ? 0x004C : UInt16(reader.byte())] = reader.list()
    }
    if reader.flag() { advertised.serviceData[reader.uuid()] = reader.list() }
    if reader.flag() { advertised.appearance = UInt16(reader.byte()) << 8 }
    if reader.flag() { advertised.txPower = Int(reader.byte()) - 128 }
    self.init(
      address: "00:11:22:33:44:55", advertised: advertised, wasCached: reader.flag(),
      services: reader.several(atMost: 4) { Service(reading: &$0) })
  }
}

extension ClonedDevice.Service {
  fileprivate init(reading reader: inout ByteReader) {
    self.init(
      uuid: reader.uuid(), isPrimary: !reader.flag(), includedServices: reader.several(atMost: 2) { $0.uuid() },
      characteristics: reader.several(atMost: 4) { ClonedDevice.Characteristic(reading: &$0) })
  }
}

extension ClonedDevice.Characteristic {
  fileprivate init(reading reader: inout ByteReader) {
    let encryption = reader.byte()
    let uuid = reader.uuid()
    let properties = CharacteristicProperties(rawValue: .init(reader.byte()))
    self.init(
      uuid: uuid, properties: properties,
      value: properties.contains(.read) ? ClonedDevice.Reading(reading: &reader) : .none,
      readsEncrypted: encryption == 2 ? nil : encryption == 1,
      descriptors: reader.several(atMost: 3) {
        ClonedDevice.Descriptor(uuid: $0.uuid(), value: ClonedDevice.Reading(reading: &$0))
      })
  }
}

extension ClonedDevice.Reading {
  fileprivate init(reading reader: inout ByteReader) {
    switch reader.byte() % 5 {
    case 0: self = .none
    case 1: self = .encrypted
    case 2: self = .refused(reader.text())
    default: self = .value(reader.list())
    }
  }
}
