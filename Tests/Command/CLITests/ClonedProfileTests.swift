import BleperaBlueZ
import BleperaBluetooth
import BleperaProfile
import BleperaPropertyLists
import FoundationEssentials
import Testing

@testable import BleperaCLI
@testable import BleperaSessions

@Suite struct ClonedProfileTests {
  private typealias Service = ClonedDevice.Service
  private typealias Characteristic = ClonedDevice.Characteristic
  private typealias Descriptor = ClonedDevice.Descriptor

  private static func uuid(_ value: UInt16) -> BluetoothUUID { BluetoothUUID(value) }

  private static func characteristic(
    _ properties: CharacteristicProperties, _ value: ClonedDevice.Reading = .none, readsEncrypted: Bool? = false,
    _ descriptors: [Descriptor] = []
  ) -> Characteristic {
    Characteristic(
      uuid: uuid(0x2AAA), properties: properties, value: value, readsEncrypted: readsEncrypted,
      descriptors: descriptors)
  }

  private static func device(
    _ services: [Service] = [], _ change: (inout AdvertisedContent) -> Void = { _ in }
  ) -> ClonedDevice {
    var advertised = AdvertisedContent()
    change(&advertised)
    return ClonedDevice(address: "00:11:22:33:44:55", advertised: advertised, services: services)
  }

  private static func service(_ value: UInt16, _ characteristics: [Characteristic] = []) -> Service {
    Service(uuid: uuid(value), isPrimary: true, includedServices: [], characteristics: characteristics)
  }

  /// The text, and the profile that it is.
  private static func clone(_ device: ClonedDevice) throws -> (text: String, profile: Profile) {
    let text = ClonedProfile(device: device).text
    let check = Profile.check(Array(text.utf8), file: "clone.plist")
    // A name may be too long for an iPhone, and notified values are unknown.
    #expect(check.diagnostics.filter { $0.severity == .error } == [])
    return (text, try #require(check.profile))
  }

  private static func text(_ behavior: Behavior?) -> String {
    switch behavior {
    case nil: ""
    case .echo(let echo): "echo \(Hex.string(echo.initialValue))"
    case .generator: "sequence"
    case .responses: "responses"
    }
  }

  /// Properties, what came of a read, whether that needs encryption; permissions, the cached value, the behavior, and
  /// what a comment says.
  private static let characteristics:
    [(
      CharacteristicProperties, ClonedDevice.Reading, Bool?, AttributePermissions, [UInt8]?, behavior: String, String
    )] = [
      (.read, .value([1]), false, .readable, [1], "", "Read: 01"),
      (.read, .value([]), false, .readable, [], "", "Read: (empty)"),
      (.read, .value([1]), true, .readEncryptionRequired, nil, "sequence", "requires an encrypted link"),
      (.read, .value([1]), nil, .readable, [1], "", "whether reading requires one is unknown."),
      (.read, .encrypted, true, .readEncryptionRequired, nil, "", "Not read: the link could not be encrypted."),
      (.read, .refused("0x02 - -"), false, .readable, nil, "", "Not read: 0x02 - -."),
      ([.read, .notify], .value([1, 2]), false, .readable, nil, "sequence", "A constant value"),
      ([.read, .notify], .value([]), false, .readable, nil, "", "Read: (empty)"),
      ([.read, .write], .value([7]), false, [.readable, .writeable], nil, "echo 07", "Read: 07"),
      ([.write, .writeWithoutResponse], .none, false, .writeable, nil, "", ""),
      ([.notify, .indicate], .none, false, .readable, nil, "", "The notified values are unknown"),
      ([.read, .broadcast], .value([1]), false, .readable, [1], "", "The device also has the properties broadcast"),
    ]

  @Test(arguments: characteristics.indices)
  func `a characteristic has the values that were read`(index: Int) throws {
    let (properties, value, readsEncrypted, permissions, cached, behavior, comment) = Self.characteristics[index]
    let (text, profile) = try Self.clone(
      Self.device([Self.service(0x1815, [Self.characteristic(properties, value, readsEncrypted: readsEncrypted)])]))
    let characteristic = try #require(profile.services.first?.characteristics.first)
    #expect(characteristic.definition.properties == properties.subtracting(.broadcast))
    #expect(characteristic.definition.permissions == permissions && characteristic.definition.value == cached)
    #expect(Self.text(characteristic.behavior) == behavior)
    #expect(text.contains(comment))
  }

  @Test func `services that no app can publish are left out and reported`() throws {
    let refused = Descriptor(uuid: Self.uuid(0x2904), value: .refused("no"))
    let descriptors = [
      Descriptor(uuid: Self.uuid(0x2902), value: .value([0, 0])),
      Descriptor(uuid: Self.uuid(0x2901), value: .value(Array("a & <b>".utf8))),
      Descriptor(uuid: Self.uuid(0x2901), value: .value(Array("again".utf8))), refused,
      Descriptor(uuid: Self.uuid(0x2905), value: .value([1])),
    ]
    let (text, profile) = try Self.clone(
      Self.device([
        Self.service(0x1800), Self.service(0x180F),
        Service(uuid: ServiceDefinition.continuity, isPrimary: true, includedServices: [], characteristics: []),
        Self.service(
          0x1815, [Self.characteristic(.broadcast), Self.characteristic(.read, .value([1]), descriptors)]),
      ]))
    #expect(profile.services.map(\.uuid) == [Self.uuid(0x1815)])
    let definition = try #require(profile.services[0].characteristics.first?.definition)
    #expect(profile.services[0].characteristics.count == 1)
    #expect(
      definition.descriptors == [DescriptorDefinition(uuid: Self.uuid(0x2901), value: Array("a & <b>".utf8))])
    for comment in [
      "Omitted, since iOS publishes them itself: 1800 Generic Access, 180F Battery, "
        + "D0611E78-BBB4-4591-A5F8-487910AE4366.",
      "Omitted: 2AAA",
      "the descriptor 2901, with 616761696E, which an app cannot publish.",
      "the descriptor 2904, which was not read: no.", "the descriptor 2905, with 01, which an app cannot publish.",
    ] { #expect(text.contains(comment), "\(comment)") }
    #expect(!text.contains("2902"))
  }

  @Test(arguments: [0x1812, 0x181E] as [UInt16])
  func `a service that Core Bluetooth refuses by its short UUID has the long one`(value: UInt16) throws {
    let (text, profile) = try Self.clone(Self.device([Self.service(value)]))
    #expect(profile.services.map(\.uuid) == [Self.uuid(value)])
    #expect(profile.services.map(\.uuid.width) == [.bits128])
    #expect(text.contains("In its 128-bit form, since Core Bluetooth refuses \(Self.uuid(value))."))
  }

  @Test func `services include those before them`() throws {
    let first = Self.service(0x1815)
    let second = Service(
      uuid: Self.uuid(0x1816), isPrimary: false,
      includedServices: [0x1815, 0x1817, 0x180A, 0x1815].map(Self.uuid), characteristics: [])
    let (text, profile) = try Self.clone(Self.device([first, second, Self.service(0x1817)]))
    #expect(profile.services.map(\.includedServices) == [[], [Self.uuid(0x1815)], []])
    #expect(profile.services.map(\.isPrimary) == [true, false, true])
    #expect(text.contains("The device also includes 1817"))
  }

  @Test func `what was advertised is advertised, as far as an app can`() throws {
    let (text, profile) = try Self.clone(
      Self.device([Self.service(0x1815), Self.service(0x1816)]) { advertised in
        advertised.name = "A -- <b> & \"c\""
        advertised.serviceUUIDs = [Self.uuid(0x1815)]
        advertised.manufacturerData = [
          OverflowArea.companyIdentifier: [1] + OverflowArea([Self.uuid(0x1816)]).bytes, 0x0059: [1, 2],
        ]
        advertised.serviceData = [Self.uuid(0xFD6F): [3]]
      })
    #expect(profile.advertisement?.localName == "A -- <b> & \"c\"")
    #expect(profile.advertisement?.serviceUUIDs == [Self.uuid(0x1815), Self.uuid(0x1816)])
    #expect(text.contains("Manufacturer data 0059 0102: an app cannot advertise this."))
    #expect(text.contains("Service data FD6F 03: an app cannot advertise this."))
    #expect(
      text.contains("Overflow area: bit \(OverflowArea.bit(of: Self.uuid(0x1816))), which matches 1816")
        && !text.contains("old one"))
  }

  @Test func `a name beside nothing but an overflow area is doubted`() throws {
    let (text, profile) = try Self.clone(
      Self.device { advertised in
        advertised.name = "A"
        advertised.manufacturerData = [OverflowArea.companyIdentifier: [1] + OverflowArea().bytes]
      })
    #expect(profile.advertisement?.localName == "A" && text.contains("The name may be an old one"))
    #expect(!text.contains("overflow area"))
  }

  @Test(arguments: [[OverflowArea.companyIdentifier: [1] + OverflowArea([uuid(0x1815)]).bytes], [:]])
  func `the reason for a missing name is printed where it is known`(data: [UInt16: [UInt8]]) throws {
    let (text, profile) = try Self.clone(Self.device([Self.service(0x1815)]) { $0.manufacturerData = data })
    #expect(profile.advertisement?.localName == nil)
    #expect(
      text.contains("No name was advertised: an app in the background does not advertise its name.") == !data.isEmpty)
    #expect(text.contains("No name was advertised.") == data.isEmpty)
  }

  @Test(arguments: [
    (CharacteristicProperties.read, false), (.write, true), (.writeWithoutResponse, true), (.notify, true),
  ])
  func `unknown permissions are reported`(properties: CharacteristicProperties, isReported: Bool) throws {
    let (text, _) = try Self.clone(Self.device([Self.service(0x1815, [Self.characteristic(properties)])]))
    #expect(text.contains("Whether writing and subscribing require an encrypted link is unknown.") == isReported)
  }

  @Test func `the advertisement of a device that bluetoothd knows already is unknown`() throws {
    var device = Self.device([Self.service(0x1800), Self.service(0x1815)]) { advertised in
      advertised.serviceUUIDs = [0x1800, 0x1801, 0x1815].map(Self.uuid)
    }
    device.wasCached = true
    let (text, profile) = try Self.clone(device)
    #expect(profile.advertisement?.serviceUUIDs == [Self.uuid(0x1815)])
    #expect(text.contains("All services: bluetoothd knew the device"))
  }

  @Test(arguments: [
    (nil, "No name was advertised."), ("\u{1}", #"A property list cannot represent the name "\u{1}"."#),
  ])
  func `a device may have no name`(name: String?, comment: String) throws {
    let (text, profile) = try Self.clone(Self.device { $0.name = name })
    #expect(profile.advertisement?.localName == nil && profile.bundleName == "00:11:22:33:44:55")
    #expect(text.contains(comment))
  }

  @Test func `a name that is too long for a profile is cut off, and the file says so`() throws {
    let name = String(repeating: "\u{FFFD}", count: 100)
    let (text, profile) = try Self.clone(Self.device { $0.name = name })
    #expect(profile.advertisement?.localName == String(name.prefix(82)))
    #expect(text.contains("<!-- The name is longer; a profile takes 248 bytes. -->"))
  }

  /// Markup, followed or preceded by each scalar that makes one character of both, and by all the others.
  @Test func `the clone of any name and of any value is faultless`() throws {
    var scalars = (0x20...0xFFF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init)
    scalars += (0...0x110 as ClosedRange<UInt32>).flatMap { plane in
      [0x1D, 0xF3, 0x0FFD, 0x0FFE, 0x0FFF].compactMap { Unicode.Scalar(plane << 12 | $0) }
    }
    for start in stride(from: 0, to: scalars.count, by: 6) {
      let some = scalars[start..<min(start + 6, scalars.count)]
      let name = some.map { "<\($0)&\($0)-->\($0)--\($0)]]>\($0)" }.joined()
      let text = Array(some.map { "<\($0)--\($0)--><\($0)" }.joined().utf8.prefix(512))
      let (_, profile) = try Self.clone(
        Self.device([Self.service(0x1815, [Self.characteristic([.read], .value(text))])]) { $0.name = name })
      let isRepresentable = PropertyListWriter.canRepresent(name)
      #expect(profile.advertisement?.localName?.unicodeScalars.elementsEqual(name.unicodeScalars) ?? !isRepresentable)
    }
  }

  @Test func `bytes are Base64 at every length`() {
    for length in 0...5 {
      let bytes = (0..<length).map { UInt8(250 + $0) }
      guard case .bytes(bytes) = Base64.decode(Array(Data(bytes).base64EncodedString().utf8)) else {
        Issue.record("\(length) bytes")
        continue
      }
    }
  }
}
