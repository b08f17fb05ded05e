/// The order in which bluetoothd lays out a service whose handles it is told (`database_add_service`, `_add_chrc`).
extension ServiceDefinition {
  /// How many attributes the service takes in the database.
  public var handleCount: Int {
    characteristics.reduce(1 + includedServices.count) { $0 + $1.handleCount }
  }

  /// The handles of the service when its declaration is at `start`; the last must not be beyond 0xFFFF, where they
  /// would all be 0xFFFF.
  func handles(startingAt start: AttributeHandle) -> ServiceHandles {
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
        clientConfiguration: characteristic.hasClientConfiguration ? take() : nil,
        extendedProperties: characteristic.hasExtendedProperties ? take() : nil,
        descriptors: characteristic.descriptors.map { _ in take() })
    }
    return ServiceHandles(
      start: declaration, end: AttributeHandle(rawValue: UInt16(clamping: next - 1)), includes: includes,
      characteristics: characteristics)
  }
}

extension CharacteristicDefinition {
  /// Whether the system makes a Client Characteristic Configuration descriptor for it.
  public var hasClientConfiguration: Bool { !properties.isDisjoint(with: .subscribable) }

  /// Whether the system makes a Characteristic Extended Properties descriptor for it.
  var hasExtendedProperties: Bool { properties.contains(.extendedProperties) }

  /// Declaration, value, the descriptors that the system makes and the app's own.
  var handleCount: Int {
    2 + (hasClientConfiguration ? 1 : 0) + (hasExtendedProperties ? 1 : 0) + descriptors.count
  }
}
