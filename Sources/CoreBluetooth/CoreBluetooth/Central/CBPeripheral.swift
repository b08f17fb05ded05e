// swift-format-ignore-file: AlwaysUseLowerCamelCase

import BleperaAppLink
import BleperaBluetooth

/// The state of a connection to a peripheral.
public enum CBPeripheralState: Int, Hashable, Sendable {
  /// There is no connection.
  case disconnected = 0
  /// The connection is being made.
  case connecting = 1
  /// There is a connection.
  case connected = 2
  /// The connection is being ended.
  case disconnecting = 3

  /// The name in descriptions, which an app's own `CustomStringConvertible` must not change.
  var name: String {
    switch self {
    case .disconnected: "disconnected"
    case .connecting: "connecting"
    case .connected: "connected"
    case .disconnecting: "disconnecting"
    }
  }
}

/// Whether a write is acknowledged.
public enum CBCharacteristicWriteType: Int, Hashable, Sendable {
  /// The peripheral responds.
  case withResponse = 0
  /// The peripheral does not respond.
  case withoutResponse = 1
}

/// A peripheral that a central manager has discovered, retrieved or restored.
///
/// A manager has one object for each peripheral, which the app has to retain: when the app releases the object, its
/// connection is canceled. All methods need a connection of the app; without one they are logged as API MISUSE and have
/// no effect, as on iOS. When the connection ends, the services with all that belongs to them become invalid, and
/// requests that wait for a response get none.
open class CBPeripheral: CBPeer {
  /// Receives the callbacks.
  open weak var delegate: (any CBPeripheralDelegate)?
  /// The name that the peripheral advertises; after a connection has read the Device Name (2A00), the Device Name.
  open var name: String? { record.current.name }
  /// Always nil; deprecated on iOS in favor of ``readRSSI()``.
  open var rssi: NSNumber? { nil }
  /// Whether the app is connected to the peripheral.
  open var state: CBPeripheralState { record.current.state }
  /// The services that were discovered; nil before the first discovery and after a disconnection.
  open var services: [CBService]? { record.current.attributes.services }
  /// Whether there is room for a write without response; if not,
  /// ``CBPeripheralDelegate/peripheralIsReady(toSendWriteWithoutResponse:)`` follows. The system has 20 places for a
  /// connection; how many an iPhone has is not published.
  open var canSendWriteWithoutResponse: Bool {
    let values = record.current
    return values.state == .connected && values.hasPlace
  }
  /// Always false: the phone has no notifications to forward.
  open var ancsAuthorized: Bool { false }

  let record: PeripheralRecord
  let link: CentralAppLink

  init(_ record: PeripheralRecord, _ link: CentralAppLink) {
    (self.record, self.link) = (record, link)
    // A phone's identifiers for apps are UUIDs.
    super.init(UUID(uuidString: record.id.rawValue) ?? UUID())
    record.object = self
  }

  deinit { link.forget(record, description) }

  // MARK: Discovery

  /// Reads the signal strength; the response is `peripheral(_:didReadRSSI:error:)`.
  open func readRSSI() { if mayCall() { send(.readRSSI) } }

  /// Discovers services; the response is `peripheral(_:didDiscoverServices:)`. Services that were discovered before
  /// keep their objects.
  ///
  /// - Parameter serviceUUIDs: The services to discover; nil for all.
  open func discoverServices(_ serviceUUIDs: [CBUUID]?) {
    if mayCall() { send(.discoverServices(serviceUUIDs?.map(\.uuid))) }
  }

  /// Discovers the services that a service includes; the response is
  /// `peripheral(_:didDiscoverIncludedServicesFor:error:)`.
  ///
  /// - Parameters:
  ///   - includedServiceUUIDs: The services to discover; nil for all.
  ///   - service: The service that includes them.
  open func discoverIncludedServices(_ includedServiceUUIDs: [CBUUID]?, for service: CBService) {
    send(
      { .discoverIncludedServices(includedServiceUUIDs?.map(\.uuid), service: $0) }, service,
      orReport: { $1.peripheral($0, didDiscoverIncludedServicesFor: service, error: $2) })
  }

  /// Discovers characteristics; the response is `peripheral(_:didDiscoverCharacteristicsFor:error:)`.
  ///
  /// - Parameters:
  ///   - characteristicUUIDs: The characteristics to discover; nil for all.
  ///   - service: Their service.
  open func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService) {
    send(
      { .discoverCharacteristics(characteristicUUIDs?.map(\.uuid), service: $0) }, service,
      orReport: { $1.peripheral($0, didDiscoverCharacteristicsFor: service, error: $2) })
  }

  /// Discovers descriptors; the response is `peripheral(_:didDiscoverDescriptorsFor:error:)`.
  ///
  /// - Parameter characteristic: The characteristic of the descriptors.
  open func discoverDescriptors(for characteristic: CBCharacteristic) {
    send(
      { .discoverDescriptors(characteristic: $0) }, characteristic,
      orReport: { $1.peripheral($0, didDiscoverDescriptorsFor: characteristic, error: $2) })
  }

  // MARK: Values

  /// Reads a characteristic, also a value that is longer than a packet; the response is
  /// `peripheral(_:didUpdateValueFor:error:)`.
  ///
  /// - Parameter characteristic: The characteristic to read.
  open func readValue(for characteristic: CBCharacteristic) {
    send(
      { .readValue($0) }, characteristic,
      orReport: { $1.peripheral($0, didUpdateValueFor: characteristic, error: $2) })
  }

  /// Reads a descriptor; the response is `peripheral(_:didUpdateValueFor:error:)`.
  ///
  /// - Parameter descriptor: The descriptor to read.
  open func readValue(for descriptor: CBDescriptor) {
    send({ .readValue($0) }, descriptor, orReport: { $1.peripheral($0, didUpdateValueFor: descriptor, error: $2) })
  }

  /// Writes a characteristic. `peripheral(_:didWriteValueFor:error:)` responds to a write with response only.
  ///
  /// - Parameters:
  ///   - data: The value.
  ///   - characteristic: The characteristic to write. A write without response to a characteristic that does not have
  ///     the property is logged and not sent, as on iOS.
  ///   - type: Whether the write is acknowledged. A write without response may be dropped while
  ///     ``canSendWriteWithoutResponse`` is false.
  open func writeValue(_ data: Data, for characteristic: CBCharacteristic, type: CBCharacteristicWriteType) {
    switch type {
    case .withResponse:
      send(
        { .writeValue($0, value: Array(data), withResponse: true) }, characteristic,
        orReport: { $1.peripheral($0, didWriteValueFor: characteristic, error: $2) })
    case .withoutResponse:
      guard mayCall() else { return }
      guard characteristic.properties.contains(.writeWithoutResponse) else {
        return Misuse.log(
          "WARNING: Characteristic \(characteristic) does not specify the \"Write Without Response\" property - "
            + "ignoring response-less write")
      }
      let place = record.access { values -> AttributeHandle? in
        guard values.attributes.contains(characteristic) else { return nil }
        values.writes += 1
        return characteristic.handle
      }
      if let place { send(.writeValue(place, value: Array(data), withResponse: false)) }
    }
  }

  /// Writes a descriptor; the response is `peripheral(_:didWriteValueFor:error:)`.
  ///
  /// - Parameters:
  ///   - data: The value.
  ///   - descriptor: The descriptor to write. Client Characteristic Configuration (2902) is written by
  ///     ``setNotifyValue(_:for:)`` alone: the process ends otherwise, as on iOS.
  open func writeValue(_ data: Data, for descriptor: CBDescriptor) {
    if descriptor.uuid.uuid == BluetoothUUID(0x2902 as UInt16) {
      Misuse.end(
        "Client Characteristic Configuration descriptors must be configured using "
          + "setNotifyValue:forCharacteristic:")
    }
    send(
      { .writeValue($0, value: Array(data), withResponse: true) }, descriptor,
      orReport: { $1.peripheral($0, didWriteValueFor: descriptor, error: $2) })
  }

  /// Subscribes to a characteristic, or unsubscribes; the response is
  /// `peripheral(_:didUpdateNotificationStateFor:error:)`. A characteristic with both is notified, not indicated.
  ///
  /// - Parameters:
  ///   - enabled: Whether to subscribe.
  ///   - characteristic: The characteristic.
  open func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic) {
    send(
      { .setNotifyValue(enabled, characteristic: $0) }, characteristic,
      orReport: { $1.peripheral($0, didUpdateNotificationStateFor: characteristic, error: $2) })
  }

  /// The largest number of bytes that one write carries: without a response as many as the ATT_MTU allows, with a
  /// response 512, which the system sends in several packets; 20 without a connection.
  ///
  /// - Parameter type: Whether the write is acknowledged.
  open func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int {
    let values = record.current
    return type == .withResponse && values.state == .connected ? 512 : values.mtu &- 3
  }

  // MARK: L2CAP

  /// Opens an L2CAP channel; the response is `peripheral(_:didOpen:error:)`.
  ///
  /// - Parameter PSM: The number of the channel.
  open func openL2CAPChannel(_ PSM: CBL2CAPPSM) {
    if mayCall() { send(.openL2CAPChannel(L2CAPPSM(rawValue: PSM))) }
  }

  // MARK: Channel sounding

  /// Asks for a session that measures the distance to the peripheral. The phone's radio cannot measure: the session
  /// ends at once, with an error in `peripheral(_:didCompleteChannelSoundingSession:)`.
  ///
  /// - Parameter configuration: The app's role.
  open func startChannelSoundingSession(_ configuration: CBChannelSoundingSessionConfiguration) {
    guard mayCall() else { return }
    // Apple does not publish which of the two codes for channel sounding iOS reports here.
    link.onQueue { [weak self] _ in
      guard let self else { return }
      delegate?.peripheral(self, didCompleteChannelSoundingSession: CBError(.channelSoundingConfigurationFailed))
    }
  }

  /// Has no effect: no session ever begins.
  open func cancelChannelSoundingSession() {}

  open override var description: String {
    let values = record.current
    return "<\(Self.self): \(Address.of(self)), identifier = \(identifier.uuidString), "
      + "name = \(values.name ?? "(null)"), mtu = \(values.mtu), state = \(values.state.name)>"
  }
}

extension CBPeripheral {
  /// Whether the app is connected and Bluetooth is on; logs the misuse otherwise.
  private func mayCall() -> Bool {
    guard state == .connected else {
      Misuse.log("API MISUSE: \(self) can only accept commands while in the connected state")
      return false
    }
    return link.mayCall()
  }

  private func send(_ call: PeripheralCall) { link.send(.peripheral(record.id, call)) }

  /// Sends a call for an attribute, or reports that its handle is not valid. Attributes become invalid when the
  /// connection is lost.
  private func send(
    _ call: (AttributeHandle) -> PeripheralCall, _ attribute: CBAttribute,
    orReport report: @escaping (CBPeripheral, any CBPeripheralDelegate, CBError) -> Void
  ) {
    guard mayCall() else { return }
    guard let handle = attribute.handle, record.access({ $0.attributes.contains(attribute) }) else {
      return link.onQueue { [weak self] _ in
        guard let self, let delegate else { return }
        report(self, delegate, CBError(.invalidHandle))
      }
    }
    send(call(handle))
  }
}
