import BleperaBlueZProtocol
package import BleperaBluetooth
import BleperaDBus
package import BleperaLoop
package import BleperaRadio

/// The operations that apps request of peripherals.
extension BlueZRadio {
  package func perform(_ procedure: GATTProcedure, as id: PeripheralOperationID, at peripheral: PeripheralID) {
    guard let path = role.device(of: peripheral) else {
      Task { report(.completed(id, .failure(.notConnected))) }
      return
    }
    let operation = BlueZCentralRole.Operation(id: id, procedure: procedure)
    if !role.wait(operation, at: path) { start(operation, at: path) }
  }

  /// bluetoothd does not report the signal strength of a link.
  package func readRSSI(of peripheral: PeripheralID, as id: PeripheralOperationID) {
    guard let path = role.device(of: peripheral) else {
      Task { report(.completed(id, .failure(.notConnected))) }
      return
    }
    Task { if role.isLinked(path) { report(.completed(id, .failure(.att(.requestNotSupported)))) } }
  }

  /// bluetoothd has no channels, and sends no request for one.
  package func openChannel(
    _ psm: L2CAPPSM, at peripheral: PeripheralID,
    _ completion: @escaping @Sendable (Result<any ByteStream, ProcedureFailure>) -> Void
  ) {
    Task { completion(.failure(.channel(.unanswered))) }
  }

  /// Performs an operation; an operation that ends after the connection is not reported.
  func start(_ wanted: BlueZCentralRole.Operation, at path: ObjectPath) {
    guard let manager = role.manager else { return }
    Task {
      var result = await result(of: wanted.procedure, at: path, manager)
      if result == .failure(.att(.unlikelyError)), await isBondedLater(path) {
        result = await self.result(of: wanted.procedure, at: path, manager)
      }
      if role.isLinked(path) { report(.completed(wanted.id, result)) }
    }
  }

  private func result(
    of procedure: GATTProcedure, at path: ObjectPath, _ manager: CentralManager
  ) async -> Result<ProcedureAnswer, ProcedureFailure> {
    do throws(CentralFailure) {
      return .success(try await answer(to: procedure, at: path, manager))
    } catch {
      return .failure(ProcedureFailure(error))
    }
  }

  /// Whether a request has begun a pairing: bluetoothd may answer such a request with 0x0E at once, and not repeat it.
  private func isBondedLater(_ path: ObjectPath) async -> Bool {
    guard role.peripheral(at: path)?.isBonded == false else { return false }
    for _ in 0..<20 {
      if devices.device(at: path).hasBond { return true }
      try? await loop.sleep(for: .milliseconds(100))
    }
    return false
  }

  private func answer(
    to procedure: GATTProcedure, at path: ObjectPath, _ manager: CentralManager
  ) async throws(CentralFailure) -> ProcedureAnswer {
    let services = role.services(of: path) ?? []
    func attribute(_ handle: AttributeHandle) throws(CentralFailure) -> FoundAttribute {
      guard let attribute = services.attribute(at: handle) else { throw .att(.invalidHandle) }
      return attribute
    }
    switch procedure {
    case .services, .knownServices: return .services(services.filter(\.isPrimary).compactMap(\.remote))
    case .includedServices(let range):
      let paths = services.filter { $0.path.attributeHandle == range.lowerBound }.flatMap(\.includedServices)
      return .services(services.filter { paths.contains($0.path) }.compactMap { $0.remote?.asIncluded })
    case .characteristics(let range):
      let found = services.flatMap(\.characteristics).compactMap(\.remote)
      return .characteristics(found.filter { range.contains($0.declaration) })
    case .descriptors(let range):
      let found = services.flatMap(\.characteristics).flatMap(\.descriptors).compactMap(\.remote)
      return .descriptors(found.filter { range.contains($0.handle) })
    case .read(let handle, offset: 0):
      switch try attribute(handle) {
      case .descriptor(let descriptor, _): return .value(try await manager.read(descriptor.path, descriptor: true))
      case .characteristic(let characteristic): return .value(try await manager.read(characteristic.path))
      }
    case .write(let handle, let value, offset: 0, isReliable: false):
      switch try attribute(handle) {
      case .characteristic(let characteristic): try await manager.write(value, to: characteristic.path)
      case .descriptor(let descriptor, let characteristic) where descriptor.isConfiguration:
        try await setNotifying(value.contains { $0 != 0 }, characteristic.path, at: path, manager)
      case .descriptor(let descriptor, _): try await manager.write(value, toDescriptor: descriptor.path)
      }
      return .done
    case .command(let handle, let value):
      guard case .characteristic(let characteristic) = try attribute(handle) else { throw .att(.invalidHandle) }
      try await manager.write(value, to: characteristic.path, .command)
      return .done
    // The phone asks for none of these.
    case .read, .readByType, .write, .prepared: throw .att(.requestNotSupported)
    }
  }

  /// bluetoothd writes the Client Characteristic Configuration itself, and refuses to have it written.
  private func setNotifying(
    _ isOn: Bool, _ characteristic: ObjectPath, at path: ObjectPath, _ manager: CentralManager
  ) async throws(CentralFailure) {
    guard isOn else {
      role.setNotifying(false, characteristic, at: path)
      return try await manager.unsubscribe(from: characteristic)
    }
    // A value may come before the reply.
    role.setNotifying(true, characteristic, at: path)
    do throws(CentralFailure) {
      try await manager.subscribe(to: characteristic)
    } catch {
      role.setNotifying(false, characteristic, at: path)
      throw error
    }
  }

  func received(_ value: [UInt8], of characteristic: ObjectPath) {
    guard let peripheral = role.peripheral(notifying: characteristic), let handle = characteristic.valueHandle else {
      return
    }
    report(.valueReceived(peripheral.id, handle, value))
  }
}

extension ProcedureFailure {
  /// bluetoothd has one error for three ATT errors, and its own errors for others.
  fileprivate init(_ failure: CentralFailure) {
    self =
      switch failure {
      case .att(let error): .att(error)
      case .notPaired: .pairing(.failed)
      case .noRadio, .notConnected, .bus: .notConnected
      case .refused(let reply) where reply.bluez == .notSupported: .att(.requestNotSupported)
      case .refused, .timedOut: .att(.unlikelyError)
      }
  }
}

/// A characteristic, by the handle of its value, or a descriptor.
enum FoundAttribute {
  case characteristic(FoundCharacteristic)
  case descriptor(FoundDescriptor, of: FoundCharacteristic)
}

extension [FoundService] {
  func attribute(at handle: AttributeHandle) -> FoundAttribute? {
    for characteristic in lazy.flatMap(\.characteristics) {
      if characteristic.remote?.value == handle { return .characteristic(characteristic) }
      if let descriptor = characteristic.descriptors.first(where: { $0.path.attributeHandle == handle }) {
        return .descriptor(descriptor, of: characteristic)
      }
    }
    return nil
  }
}

/// bluetoothd's paths end with the handles of declarations, or of descriptors: `service0010`, `char0011`, `desc0013`. A
/// value follows its declaration (Core Specification, Vol 3, Part G, 3.3.2). The end of a service is not known: it is
/// taken to be the end of its last attribute.
extension FoundService {
  var remote: RemoteService? {
    guard let start = path.attributeHandle else { return nil }
    let last = characteristics.last
    let end = last?.descriptors.last?.path.attributeHandle ?? last?.remote?.value ?? start
    return RemoteService(range: start...Swift.max(start, end), uuid: uuid, isPrimary: isPrimary)
  }
}

extension RemoteService {
  fileprivate var asIncluded: RemoteService { RemoteService(range: range, uuid: uuid, isPrimary: false) }
}

extension FoundCharacteristic {
  var remote: RemoteCharacteristic? {
    guard let declaration = path.attributeHandle, let value = path.valueHandle else { return nil }
    return RemoteCharacteristic(
      declaration: declaration, value: value, uuid: uuid,
      properties: UInt8(truncatingIfNeeded: properties.rawValue))
  }
}

extension FoundDescriptor {
  fileprivate var remote: RemoteDescriptor? { path.attributeHandle.map { RemoteDescriptor(handle: $0, uuid: uuid) } }
  fileprivate var isConfiguration: Bool { uuid == DescriptorDefinition.clientCharacteristicConfiguration }
}

extension ObjectPath {
  /// The handle at the end of an attribute's path.
  fileprivate var attributeHandle: AttributeHandle? {
    UInt16(lastElement.suffix(4), radix: 16).map { AttributeHandle(rawValue: $0) }
  }

  /// The handle of a characteristic's value.
  fileprivate var valueHandle: AttributeHandle? { attributeHandle?.successor }
}
