@testable import BleperaAppLink

/// Finds the members that a type decodes: those that it requires, and those that it decodes if they are present.
final class SchemaDecoder: Decoder {
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]
  var visitor: SchemaVisitor
  /// Whether the type has members.
  private(set) var isObject = false
  private var optional: Set<String> = []

  init(_ visitor: SchemaVisitor) { self.visitor = visitor }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    isObject = true
    return KeyedDecodingContainer(Members(decoder: self))
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer { Elements(decoder: self) }

  func singleValueContainer() -> any SingleValueDecodingContainer { Value(decoder: self) }

  private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: SchemaDecoder
    let codingPath: [any CodingKey] = []
    let allKeys: [Key] = []

    /// Marks a key as optional, because a decoder asks for an optional key first.
    func contains(_ key: Key) -> Bool {
      decoder.optional.insert(key.stringValue)
      return true
    }

    func decodeNil(forKey key: Key) -> Bool { false }

    func decode<Member: Decodable>(_ type: Member.Type, forKey key: Key) -> Member {
      let name = key.stringValue
      return decoder.visitor.decodeMember(name, isRequired: !decoder.optional.contains(name))
    }

    func nestedContainer<Other: CodingKey>(
      keyedBy type: Other.Type, forKey key: Key
    ) -> KeyedDecodingContainer<Other> { fatalError("no type has one") }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer { fatalError("no type has one") }
    func superDecoder() -> any Decoder { decoder }
    func superDecoder(forKey key: Key) -> any Decoder { decoder }
  }

  /// One element, whose type is that of all.
  private struct Elements: UnkeyedDecodingContainer {
    let decoder: SchemaDecoder
    let codingPath: [any CodingKey] = []
    let count: Int? = 1
    var currentIndex = 0
    var isAtEnd: Bool { currentIndex == 1 }

    func decodeNil() -> Bool { false }

    mutating func decode<Element: Decodable>(_ type: Element.Type) -> Element {
      currentIndex += 1
      return decoder.visitor.decodeElement()
    }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
      fatalError("no type has one")
    }

    func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer { fatalError("no type has one") }
    func superDecoder() -> any Decoder { decoder }
  }

  private struct Value: SingleValueDecodingContainer {
    let decoder: SchemaDecoder
    let codingPath: [any CodingKey] = []

    func decodeNil() -> Bool { false }
    func decode<Single: Decodable>(_ type: Single.Type) -> Single { decoder.visitor.visitDecodable(type) }
  }
}
