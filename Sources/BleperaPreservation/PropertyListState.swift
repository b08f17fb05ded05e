import BleperaBluetooth
import FoundationEssentials

/// Reads state files of versions 1 and 2, which were XML property lists. They are never written.
///
/// Version 2 added `DescriptorValues` and `Updates`. Both had BlueZ's numbers of a service, `Application` and `Place`,
/// which are ignored.
enum PropertyListState {
  static let lastVersion = 2

  static func decode(_ body: ArraySlice<UInt8>) throws(StateFileCorruption) -> PreservedState {
    try check(body)
    do {
      return try PropertyListDecoder().decode(Root.self, from: Data(body)).state
    } catch {
      throw StateFileCorruption(error, syntax: .notPropertyList)
    }
  }

  // MARK: Syntax

  /// The maximum nesting depth, far more than a state needs.
  private static let maximumDepth = 32
  private static let start = Array("<plist version=\"1.0\">".utf8)
  private static let longestTag = "</integer>".utf8.count

  /// Accepts UTF-8 with the tags that blepera wrote, to a limited depth: `PropertyListDecoder` traps on bytes that are
  /// not UTF-8 in a number, and on nesting deeper than its stack.
  private static func check(_ document: ArraySlice<UInt8>) throws(StateFileCorruption) {
    guard String(validating: document, as: UTF8.self) != nil else { throw .notPropertyList }
    guard let root = document.firstRange(of: start) else { throw .notPropertyList }
    var rest = document[root.upperBound...]
    var depth = 0
    while true {
      guard let open = rest.firstIndex(of: UInt8(ascii: "<")) else { throw .notPropertyList }
      rest = rest[open...]
      guard let close = rest.prefix(longestTag).firstIndex(of: UInt8(ascii: ">")) else { throw .notPropertyList }
      let tag = String(decoding: rest[...close], as: UTF8.self)
      rest = rest[(close + 1)...]
      if tag == "</plist>" { break }
      guard let change = nesting(of: tag) else { throw .notPropertyList }
      depth += change
      guard depth <= maximumDepth else { throw .notPropertyList }
    }
    guard rest.elementsEqual("\n".utf8) else { throw .notPropertyList }
  }

  /// The change of depth by a tag; nil for tags that blepera never wrote.
  private static func nesting(of tag: String) -> Int? {
    switch tag {
    case "<dict>", "<array>": 1
    case "</dict>", "</array>": -1
    case "<key>", "</key>", "<string>", "</string>", "<integer>", "</integer>", "<real>", "</real>", "<date>",
      "</date>", "<data>", "</data>", "<true/>", "<false/>", "<dict/>", "<array/>":
      0
    default: nil
    }
  }

  // MARK: Contents

  /// A key as these versions spelled it.
  private struct Key: CodingKey, ExpressibleByStringLiteral {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringLiteral value: String) { stringValue = value }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// A dictionary of the property list.
  private typealias Fields = KeyedDecodingContainer<Key>

  private struct Root: Decodable {
    let state: PreservedState

    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: Key.self)
      let version = try fields.decode(Int.self, forKey: "Version")
      guard (1...lastVersion).contains(version) else {
        throw DecodingError.dataCorruptedError(
          forKey: "Version", in: fields, debugDescription: "version \(version) is not a property list")
      }
      state = PreservedState(apps: try fields.list("Apps") { try app($0, version) })
    }
  }

  private static func app(_ fields: Fields, _ version: Int) throws -> PreservedApp {
    PreservedApp(
      identity: try identity(fields.dictionary("Identity")),
      launch: try fields.optional("Launch") {
        LaunchDescription(
          arguments: try $0.decode([Text].self, forKey: "Arguments").map(\.value), folder: try $0.text("Folder"),
          environment: try $0.decode([String: Text].self, forKey: "Environment").mapValues(\.value))
      },
      since: try fields.decode(Date.self, forKey: "Since"),
      termination: try fields.optional("Ended") {
        AppTermination(
          cause: try $0.decode(TerminationCause.self, forKey: "Cause"), at: try $0.decode(Date.self, forKey: "At"))
      },
      services: try fields.list("Services") { try service($0, version) },
      advertisement: try fields.optional("Advertisement") {
        PreservedAdvertisement(
          requested: try $0.optional("Asked", advertisement), effective: try $0.optional("Granted", advertisement),
          order: try $0.decode(Int.self, forKey: "Order"))
      },
      subscribers: try fields.list("Subscribers") { try subscriber($0, version) })
  }

  private static func identity(_ fields: Fields) throws -> AppIdentity {
    let rules = try fields.dictionary("Rules")
    return AppIdentity(
      bundleIdentifier: try fields.text("BundleIdentifier"), name: try fields.text("Name"),
      backgroundModes: try fields.decode([Text].self, forKey: "BackgroundModes").map(\.value),
      restoreIdentifier: try fields.decodeIfPresent(Text.self, forKey: "RestoreIdentifier")?.value,
      rules: RuleOverrides(
        foregroundInterval: try rules.decodeIfPresent(Double.self, forKey: "ForegroundInterval"),
        backgroundInterval: try rules.decodeIfPresent(Double.self, forKey: "BackgroundInterval"),
        suspendedError: try rules.decodeIfPresent(ATTError.self, forKey: "SuspendedError"),
        disablesCachedValues: try rules.decodeIfPresent(Bool.self, forKey: "DisablesCachedValues")),
      usesAccessorySetup: try fields.decodeIfPresent(Bool.self, forKey: "UsesAccessorySetup") ?? false)
  }

  private static func advertisement(_ fields: Fields) throws -> AdvertisementData {
    AdvertisementData(
      localName: try fields.decodeIfPresent(Text.self, forKey: "LocalName")?.value,
      serviceUUIDs: try fields.decode([BluetoothUUID].self, forKey: "ServiceUUIDs"))
  }

  private static func service(_ fields: Fields, _ version: Int) throws -> PreservedService {
    PreservedService(
      id: try fields.decode(ServiceID.self, forKey: "ID"), definition: try definition(fields.dictionary("Definition")),
      handles: try handles(fields.dictionary("Handles")),
      descriptorValues: version < 2
        ? []
        : try fields.list("DescriptorValues") {
          DescriptorValue(
            characteristic: try $0.decode(Int.self, forKey: "Characteristic"),
            descriptor: try $0.decode(Int.self, forKey: "Descriptor"), value: try $0.bytes("Value"))
        })
  }

  private static func definition(_ fields: Fields) throws -> ServiceDefinition {
    ServiceDefinition(
      uuid: try fields.decode(BluetoothUUID.self, forKey: "UUID"),
      isPrimary: try fields.decode(Bool.self, forKey: "Primary"),
      includedServices: try fields.decode([BluetoothUUID].self, forKey: "IncludedServices"),
      characteristics: try fields.list("Characteristics") {
        CharacteristicDefinition(
          uuid: try $0.decode(BluetoothUUID.self, forKey: "UUID"),
          properties: try $0.decode(CharacteristicProperties.self, forKey: "Properties"),
          permissions: try $0.decode(AttributePermissions.self, forKey: "Permissions"),
          value: try $0.contains("Value") ? $0.bytes("Value") : nil,
          descriptors: try $0.list("Descriptors") {
            DescriptorDefinition(
              uuid: try $0.decode(BluetoothUUID.self, forKey: "UUID"), value: try $0.bytes("Value"),
              permissions: try $0.decode(AttributePermissions.self, forKey: "Permissions"))
          })
      })
  }

  private static func handles(_ fields: Fields) throws -> ServiceHandles {
    ServiceHandles(
      start: try fields.decode(AttributeHandle.self, forKey: "Start"),
      end: try fields.decode(AttributeHandle.self, forKey: "End"),
      includes: try fields.decode([AttributeHandle].self, forKey: "Includes"),
      characteristics: try fields.list("Characteristics") {
        CharacteristicHandles(
          declaration: try $0.decode(AttributeHandle.self, forKey: "Declaration"),
          value: try $0.decode(AttributeHandle.self, forKey: "Value"),
          clientConfiguration: try $0.decodeIfPresent(AttributeHandle.self, forKey: "ClientConfiguration"),
          extendedProperties: try $0.decodeIfPresent(AttributeHandle.self, forKey: "ExtendedProperties"),
          descriptors: try $0.decode([AttributeHandle].self, forKey: "Descriptors"))
      })
  }

  private static func subscriber(_ fields: Fields, _ version: Int) throws -> PreservedSubscriber {
    let characteristic = try fields.dictionary("Characteristic")
    return PreservedSubscriber(
      central: CentralID(rawValue: try fields.text("Central")),
      isBonded: try fields.decode(Bool.self, forKey: "Bonded"),
      characteristic: CharacteristicID(
        service: try characteristic.decode(ServiceID.self, forKey: "Service"),
        index: try characteristic.decode(Int.self, forKey: "Index")),
      updates: version < 2 ? [] : try fields.decode([Data].self, forKey: "Updates").map { Array($0) })
  }

  /// A string; an array with its UTF-8 as data where XML cannot represent one of its characters.
  fileprivate struct Text: Decodable {
    let value: String

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      do {
        value = try container.decode(String.self)
      } catch let error {
        guard let parts = try? container.decode([Data].self), parts.count == 1,
          let text = parts.first.flatMap({ String(validating: $0, as: UTF8.self) })
        else { throw error }
        value = text
      }
    }
  }
}

extension KeyedDecodingContainer where Key: CodingKey & ExpressibleByStringLiteral {
  fileprivate func dictionary(_ key: Key) throws -> Self {
    try nestedContainer(keyedBy: Key.self, forKey: key)
  }

  fileprivate func optional<Value>(_ key: Key, _ read: (Self) throws -> Value) throws -> Value? {
    contains(key) ? try read(dictionary(key)) : nil
  }

  fileprivate func list<Value>(_ key: Key, _ read: (Self) throws -> Value) throws -> [Value] {
    var elements = try nestedUnkeyedContainer(forKey: key)
    var values: [Value] = []
    while !elements.isAtEnd { values.append(try read(elements.nestedContainer(keyedBy: Key.self))) }
    return values
  }

  fileprivate func text(_ key: Key) throws -> String { try decode(PropertyListState.Text.self, forKey: key).value }
  fileprivate func bytes(_ key: Key) throws -> [UInt8] { Array(try decode(Data.self, forKey: key)) }
}
