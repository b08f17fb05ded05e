package import BleperaAir
package import BleperaBluetooth
import BleperaHost
package import BleperaLoop
import BleperaRules

extension VirtualCentral: CentralRadio {
  package func scan(_ isOn: Bool) { scan(isOn ? ScanWindow() : nil) }

  package func connect(to phone: String) { DeviceAddress(phone).map { connect(to: $0) } }

  package func disconnect(from phone: String) { DeviceAddress(phone).map { disconnect(from: $0) } }

  package func isConnected(to phone: String) -> Bool { DeviceAddress(phone).map { isConnected(to: $0) } ?? false }

  package func services(of phone: String) -> [BluetoothUUID] { remoteServices(of: phone).map(\.uuid) }

  package func characteristics(of phone: String) -> [DiscoveredCharacteristic] {
    remoteServices(of: phone).flatMap(\.characteristics).map { characteristic in
      DiscoveredCharacteristic(
        id: "\(characteristic.value)", uuid: characteristic.uuid,
        properties: CharacteristicProperties(rawValue: UInt16(characteristic.properties)))
    }
  }

  package func read(_ characteristic: DiscoveredCharacteristic, of phone: String) async throws(StoryFailure) -> [UInt8]
  {
    try await perform(.read(try find(characteristic, phone).value), phone)
  }

  package func write(
    _ value: [UInt8], to characteristic: DiscoveredCharacteristic, of phone: String, withResponse: Bool
  ) async throws(StoryFailure) {
    let handle = try find(characteristic, phone).value
    _ = try await perform(
      withResponse ? .write(handle, value) : .command(handle, value), phone)
  }

  package func write(
    _ values: [(characteristic: DiscoveredCharacteristic, value: [UInt8])], of phone: String
  ) async throws(StoryFailure) {
    guard let mtu = DeviceAddress(phone).flatMap({ mtu(of: $0) }) else { throw .notConnected }
    var pieces: [AttributeWrite] = []
    for (characteristic, value) in values {
      let handle = try find(characteristic, phone).value
      pieces += AttributeWrite(handle: handle, offset: 0, value: value).pieces(mtu: mtu)
    }
    _ = try await perform(.prepared(pieces), phone)
  }

  package func setNotifying(
    _ isOn: Bool, _ characteristic: DiscoveredCharacteristic, of phone: String
  ) async throws(StoryFailure) {
    guard let descriptor = try find(characteristic, phone).clientConfiguration else {
      throw .refused(.requestNotSupported)
    }
    let bits: UInt8 = characteristic.properties.contains(.notify) ? 1 : 2
    _ = try await perform(.write(descriptor, [isOn ? bits : 0, 0]), phone)
  }

  package func pair(with phone: String) async throws(StoryFailure) {
    guard let address = DeviceAddress(phone) else { throw .notConnected }
    do throws(ProcedureFailure) { try await pair(with: address) } catch { throw StoryFailure(error) }
  }

  package func openChannel(_ psm: L2CAPPSM, of phone: String) async throws(StoryFailure) -> any ByteStream {
    guard let address = DeviceAddress(phone) else { throw .notConnected }
    do throws(ProcedureFailure) {
      return try await openChannel(psm, at: address)
    } catch {
      throw StoryFailure(error)
    }
  }

  private func remoteServices(of phone: String) -> [RemoteService] {
    DeviceAddress(phone).map { services(of: $0) } ?? []
  }

  private func find(
    _ characteristic: DiscoveredCharacteristic, _ phone: String
  ) throws(StoryFailure) -> RemoteCharacteristic {
    let all = remoteServices(of: phone).flatMap(\.characteristics)
    guard let found = all.first(where: { "\($0.value)" == characteristic.id }) else { throw .notConnected }
    return found
  }

  private func perform(_ operation: GATTProcedure, _ phone: String) async throws(StoryFailure) -> [UInt8] {
    guard let address = DeviceAddress(phone) else { throw .notConnected }
    do throws(ProcedureFailure) {
      return try await perform(operation, at: address)
    } catch {
      throw StoryFailure(error)
    }
  }
}

extension CentralEvent {
  init(_ event: VirtualCentral.Event) {
    switch event {
    case .received(let report):
      self = .discovered(
        "\(report.address)",
        ReceivedAdvertisement(
          AdvertisingData(leniently: report.data), scanResponse: AdvertisingData(leniently: report.scanResponse),
          isConnectable: report.isConnectable, rssi: report.rssi))
    case .connected(let phone): self = .connected("\(phone)")
    case .disconnected(let phone): self = .disconnected("\(phone)")
    case .services(let phone): self = .services("\(phone)")
    case .value(let phone, let handle, let value): self = .value("\(phone)", "\(handle)", value)
    }
  }
}
