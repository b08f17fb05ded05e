/// The handles of one service: the declaration at `start`, the last attribute at `end`, and no other service between.
public struct ServiceHandles: Hashable, Codable, Sendable {
  /// The handle of the service declaration.
  public var start: AttributeHandle
  /// The handle of the last attribute.
  public var end: AttributeHandle
  /// The include declarations, in the order of the definition's included services.
  public var includes: [AttributeHandle] = []
  /// In the order of the definition's characteristics.
  public var characteristics: [CharacteristicHandles] = []
}

/// The handles of one characteristic, ascending in the order of the members.
public struct CharacteristicHandles: Hashable, Codable, Sendable {
  /// The handle of the characteristic declaration.
  public var declaration: AttributeHandle
  /// The handle that reads, writes and notifications carry: the declaration's plus one.
  public var value: AttributeHandle
  /// The Characteristic Extended Properties descriptor; nil without that property.
  public var extendedProperties: AttributeHandle?
  /// The Client Characteristic Configuration; nil where a central cannot subscribe.
  public var clientConfiguration: AttributeHandle?
  /// In the order of the definition's descriptors.
  public var descriptors: [AttributeHandle] = []
}

/// The layout of a service with given handles: bluetoothd's (`database_add_service`, `_add_chrc`), but with an iPhone's
/// 2900 before 2902.
extension ServiceDefinition {
  /// The number of attributes of the service in the database.
  public var handleCount: Int {
    characteristics.reduce(1 + includedServices.count) { $0 + $1.handleCount }
  }

  /// The handles of the service when its declaration is at `start`; the last must not exceed 0xFFFF, to which higher
  /// handles are clamped.
  package func handles(startingAt start: AttributeHandle) -> ServiceHandles {
    var next = Int(start.rawValue)
    func take() -> AttributeHandle {
      defer { next += 1 }
      return AttributeHandle(rawValue: UInt16(clamping: next))
    }
    let declaration = take()
    let includes = includedServices.map { _ in take() }
    let characteristics = characteristics.map { characteristic in
      CharacteristicHandles(
        declaration: take(), value: take(),
        extendedProperties: characteristic.hasExtendedProperties ? take() : nil,
        clientConfiguration: characteristic.hasClientConfiguration ? take() : nil,
        descriptors: characteristic.descriptors.map { _ in take() })
    }
    return ServiceHandles(
      start: declaration, end: AttributeHandle(rawValue: UInt16(clamping: next - 1)), includes: includes,
      characteristics: characteristics)
  }
}

extension CharacteristicDefinition {
  /// Whether the system creates a Client Characteristic Configuration descriptor for the characteristic.
  public var hasClientConfiguration: Bool { !properties.isDisjoint(with: .subscribable) }

  /// Whether the system creates a Characteristic Extended Properties descriptor for the characteristic.
  var hasExtendedProperties: Bool { properties.contains(.extendedProperties) }

  /// The number of attributes: declaration, value, and the descriptors of the system and of the app.
  var handleCount: Int {
    2 + (hasClientConfiguration ? 1 : 0) + (hasExtendedProperties ? 1 : 0) + descriptors.count
  }
}
