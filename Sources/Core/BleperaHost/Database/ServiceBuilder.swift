import BleperaBluetooth

/// Assigns the handles of a service's attributes, in the order of bluetoothd (`database_add_service`, `_add_chrc`); an
/// iPhone's service has 2900 before 2902 (Bleak issue 64).
struct ServiceBuilder {
  /// Whether the service is an iPhone's.
  var isExact = false
  private(set) var attributes: [DatabaseAttribute] = []
  private let start: Int
  private let end: Int
  private var next: Int

  /// Nil if the handles are out of range.
  init?(start: Int, count: Int) {
    guard start >= 1, start + count - 1 <= 0xFFFF else { return nil }
    self.start = start
    end = start + count - 1
    next = start
  }

  var range: ClosedRange<AttributeHandle> { handle(start)...handle(end) }

  mutating func declare(
    _ uuid: BluetoothUUID, isPrimary: Bool, includes: [(uuid: BluetoothUUID, range: ClosedRange<AttributeHandle>)]
  ) {
    append(
      isPrimary ? AttributeTypes.primaryService : AttributeTypes.secondaryService,
      .fixed(Self.short(uuid).littleEndianBytes))
    for service in includes {
      let uuid = Self.short(service.uuid)
      let tail = uuid.width == .bits16 ? uuid.littleEndianBytes : []
      append(
        AttributeTypes.include,
        .fixed(LittleEndian.bytes(service.range.lowerBound) + LittleEndian.bytes(service.range.upperBound) + tail))
    }
  }

  mutating func add(
    _ characteristic: PublishedCharacteristic, _ content: DatabaseAttribute.Content, _ application: ApplicationID?
  ) throws(PublicationRefusal) {
    let value = try place(characteristic.handle, leaving: 1)
    next = value - 1
    let uuid = Self.short(characteristic.uuid)
    append(
      AttributeTypes.characteristic,
      .fixed([characteristic.flags.properties] + LittleEndian.bytes(handle(value)) + uuid.littleEndianBytes))
    append(uuid, content, characteristic.flags.access, characteristic.flags)
    if isExact { addExtendedProperties(characteristic) }
    if characteristic.flags.isSubscribable {
      append(
        AttributeTypes.clientConfiguration, .clientConfiguration(of: handle(value)),
        AttributeAccess(reading: .open, writing: characteristic.flags.subscriptionSecurity), characteristic.flags)
    }
    if !isExact { addExtendedProperties(characteristic) }
    guard let application else { return }
    for descriptor in characteristic.descriptors {
      next = try place(descriptor.handle, leaving: 0)
      append(
        descriptor.uuid, .application(ApplicationObject(application, descriptor.index)), descriptor.flags.access,
        descriptor.flags)
    }
  }

  private mutating func addExtendedProperties(_ characteristic: PublishedCharacteristic) {
    guard characteristic.flags.contains(.extendedProperties) else { return }
    let bits: UInt8 =
      (characteristic.flags.contains(.reliableWrite) ? 1 : 0)
      | (characteristic.flags.contains(.writableAuxiliaries) ? 2 : 0)
    append(AttributeTypes.extendedProperties, .fixed([bits, 0]))
  }

  /// The handle of an attribute that follows `leaving` others; a requested handle must not be lower than the next one.
  private func place(_ wish: HandleRequest, leaving before: Int) throws(PublicationRefusal) -> Int {
    let place: Int
    switch wish {
    case .anywhere: place = next + before
    case .exactly(let handle): place = Int(handle.rawValue)
    }
    guard place >= next + before, place <= end else { throw .noEntry }
    return place
  }

  private mutating func append(
    _ type: BluetoothUUID, _ content: DatabaseAttribute.Content, _ access: AttributeAccess = .readable,
    _ flags: AttributeFlags = []
  ) {
    attributes.append(
      DatabaseAttribute(handle: handle(next), type: type, content: content, access: access, flags: flags))
    next += 1
  }

  private func handle(_ number: Int) -> AttributeHandle { AttributeHandle(rawValue: UInt16(clamping: number)) }

  /// The protocol has no 32-bit form of UUIDs.
  private static func short(_ uuid: BluetoothUUID) -> BluetoothUUID {
    uuid.written(at: .bits16) ?? BluetoothUUID(bits: uuid.bits)
  }
}
