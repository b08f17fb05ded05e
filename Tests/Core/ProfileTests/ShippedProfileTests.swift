import BleperaBluetooth
import BleperaPropertyLists
import Testing

@testable import BleperaProfile

@Suite struct ShippedProfileTests {
  @Test("A shipped profile checks without a word, and begins with what it shows", arguments: ShippedProfiles.names)
  func clean(name: String) throws {
    let bytes = try ShippedProfiles.bytes(name)
    let check = Profile.check(bytes, file: name)
    #expect(check.diagnostics.map(\.description) == [])
    let profile = try #require(check.profile)
    #expect(profile.bundleIdentifier == "org.blepera.\(name)")
    let mode = name == "lock-remote" ? AppIdentity.centralBackgroundMode : AppIdentity.peripheralBackgroundMode
    #expect(profile.backgroundModes == (name == "foreground-only" ? [] : [mode]))
    let identifier = profile.central.map(\.restoreIdentifier) ?? profile.restoreIdentifier
    #expect(identifier == (name == "foreground-only" ? nil : name))
    #expect(profile.advertisement?.serviceUUIDs ?? [] == profile.services.map(\.uuid))
    #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("// "))
  }

  @Test("The binary form of a profile is the same profile", arguments: ShippedProfiles.xmlNames)
  func binary(name: String) throws {
    let xml = try ShippedProfiles.xml(name)
    var faults = FaultList()
    let root = try #require(PropertyList.read(xml, faults: &faults).root)
    let profile = try #require(Profile.check(xml, file: name).profile)
    #expect(Profile.check(BinaryEncoder.encode(root.value), file: name).profile == profile)
  }

  @Test("A fault in the binary form has the same path, and the offset as its column")
  func binaryFault() throws {
    let xml = Document.services(Document.service("18XD"))
    var faults = FaultList()
    let root = try #require(PropertyList.read(Array(xml.utf8), faults: &faults).root)
    let bytes = BinaryEncoder.encode(root.value)
    let diagnostic = try #require(Profile.check(bytes, file: "f").diagnostics.first)
    let offset = try #require(bytes.indices.first { bytes[$0...].starts(with: [0x54] + Array("18XD".utf8)) })
    #expect(
      diagnostic.description.hasPrefix("f:1:\(offset + 1): error: BLEPeripheral.Services[0].UUID: found \"18XD\""))
  }

  private func characteristics(_ name: String) throws -> [Profile.Characteristic] {
    let profile = try #require(Profile.check(try ShippedProfiles.bytes(name), file: name).profile)
    return profile.services.flatMap(\.characteristics)
  }

  @Test("The heart rate is a measurement with flags")
  func heartRate() throws {
    let characteristics = try characteristics("heart-rate")
    #expect(characteristics.map(\.definition.uuid.description) == ["2A37", "2A38"])
    guard case .generator(let generator)? = characteristics.first?.behavior else {
      Issue.record("no generator")
      return
    }
    #expect(generator.interval == .seconds(1))
    #expect(
      (0..<100 as Range<UInt64>).allSatisfy { step in
        let value = generator.value(step: step, seed: 0)
        return value.count == 2 && value[0] == 6 && (60...100).contains(value[1])
      })
    #expect(characteristics.last?.definition.value == [1])
  }

  @Test("The encrypted profiles ask for encryption")
  func encryption() throws {
    let lock = try characteristics("smart-lock")
    #expect(lock.first?.definition.permissions == .writeEncryptionRequired)
    #expect(lock.last?.behavior == .echo(Echo(source: lock.first?.definition.uuid, initialValue: [0])))
    let words = try characteristics("say-something")
    #expect(words.map(\.definition.uuid.description) == ["463FED21-DA93-45E7-B00F-B5CD99775150"])
    #expect(words.first?.definition.properties == [.read, .notifyEncryptionRequired])
    #expect(words.first?.definition.permissions == .readEncryptionRequired)
  }

  @Test("The slow lock takes 20 s over a command, and no time over its state")
  func slowness() throws {
    let lock = try characteristics("slow-lock")
    #expect(lock.map(\.answerDelay) == [.seconds(20), .zero])
    #expect(lock.last?.behavior == .echo(Echo(source: lock.first?.definition.uuid, initialValue: [0])))
  }

  @Test("The lock remote uses what the smart lock has, and locks it again")
  func lockRemote() throws {
    let central = try #require(Profile.check(try ShippedProfiles.bytes("lock-remote"), file: "f").profile?.central)
    let lock = try #require(Profile.check(try ShippedProfiles.bytes("smart-lock"), file: "f").profile)
    #expect(central.scan.services == lock.advertisement?.serviceUUIDs)
    #expect(central.connection?.name == lock.advertisement?.localName)
    let known = lock.services[0].characteristics.map(\.definition.uuid)
    #expect(central.characteristics.allSatisfy { $0.service == lock.services[0].uuid })
    #expect(central.characteristics.map(\.characteristic) == known.reversed())
    #expect(central.characteristics.map(\.subscribes) == [true, false])
    #expect(central.characteristics.map(\.value) == [nil, [1]])
    let step = Responses.Step(after: .seconds(5), characteristic: known[0], value: ValueTemplate([0]))
    #expect(central.characteristics[0].reactions == [Responses.Row(.exactly([1]), steps: [step])])
  }

  @Test("Among them everything is that the real lane exercises")
  func coverage() throws {
    let all = try ShippedProfiles.names.flatMap { try characteristics($0) }.map(\.definition)
    #expect(all.contains { $0.properties.contains(.indicate) })
    #expect(all.contains { $0.properties == [.read, .write] && $0.permissions == [.readable, .writeable] })
    #expect(Set(all.flatMap(\.descriptors).map(\.uuid.description)) == ["2901", "2904"])
    #expect(try characteristics("five-services").count == 5)
  }

  @Test("The schema names each key once in a dictionary and says what it is")
  func schema() {
    for section in Profile.schema {
      #expect(Set(section.keys.map(\.name)).count == section.keys.count)
      #expect(section.keys.allSatisfy { !$0.meaning.isEmpty })
    }
    #expect(Profile.schema.count == 16 + Behavior.Kind.allCases.count)
  }
}
