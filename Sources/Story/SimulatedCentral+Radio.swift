import GATT
import SimulatedRadio
import VirtualBlueZ

extension SimulatedCentral: CentralRadio {
  func scan(_ isOn: Bool) { scan(isOn ? ScanWindow() : nil) }

  func connect(to phone: String) { DeviceAddress(phone).map { connect(to: $0) } }

  func disconnect(from phone: String) { DeviceAddress(phone).map { disconnect(from: $0) } }

  func isConnected(to phone: String) -> Bool { DeviceAddress(phone).map { isConnected(to: $0) } ?? false }

  func services(of phone: String) -> [BluetoothUUID] {
    DeviceAddress(phone).map { address in services(of: address).map(\.uuid) } ?? []
  }

  func characteristics(of phone: String) -> [FoundAttribute] {
    guard let phone = DeviceAddress(phone) else { return [] }
    return services(of: phone).flatMap { service in
      service.characteristics.map { characteristic in
        FoundAttribute(
          id: characteristic.value.attribute, uuid: characteristic.uuid,
          properties: CharacteristicProperties(rawValue: UInt16(characteristic.properties)))
      }
    }
  }

  func read(_ attribute: FoundAttribute.ID, of phone: String) async throws(StoryFailure) -> [UInt8] {
    try await perform(.read(try attribute.handle, offset: 0), phone)
  }

  func write(
    _ value: [UInt8], to attribute: FoundAttribute.ID, of phone: String, withResponse: Bool
  ) async throws(StoryFailure) {
    let handle = try attribute.handle
    _ = try await perform(
      withResponse ? .write(handle, value, offset: 0, isReliable: false) : .command(handle, value), phone)
  }

  func setNotifying(_ isOn: Bool, _ characteristic: FoundAttribute, of phone: String) async throws(StoryFailure) {
    let found = DeviceAddress(phone).map { services(of: $0) }?.flatMap(\.characteristics)
      .first { $0.value.attribute == characteristic.id }
    guard let descriptor = found?.clientConfiguration else { throw .refused(.requestNotSupported) }
    let bits: UInt8 = characteristic.properties.contains(.notify) ? 1 : 2
    _ = try await perform(.write(descriptor, [isOn ? bits : 0, 0], offset: 0, isReliable: false), phone)
  }

  func pair(with phone: String) async throws(StoryFailure) {
    guard let address = DeviceAddress(phone) else { throw .notConnected }
    do throws(ClientFailure) { try await pair(with: address) } catch { throw StoryFailure(error) }
  }

  private func perform(_ operation: ClientOperation, _ phone: String) async throws(StoryFailure) -> [UInt8] {
    guard let address = DeviceAddress(phone) else { throw .notConnected }
    do throws(ClientFailure) {
      return try await perform(operation, at: address)
    } catch {
      throw StoryFailure(error)
    }
  }
}

extension AttributeHandle {
  var attribute: FoundAttribute.ID { FoundAttribute.ID(rawValue: description) }
}

extension FoundAttribute.ID {
  /// Of a virtual radio's attribute.
  fileprivate var handle: AttributeHandle {
    get throws(StoryFailure) {
      guard let number = UInt16(rawValue.dropFirst(2), radix: 16) else { throw .notConnected }
      return AttributeHandle(rawValue: number)
    }
  }
}
