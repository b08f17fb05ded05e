import BleperaAir
import BleperaAppLink
package import BleperaBluetooth
import BleperaHost
import BleperaHostRadio
import BleperaLoop
import BleperaPhone
import BleperaProfile
import BleperaProfileApp
import BleperaRadio

/// The services of an accessory, requests and subscriptions.
extension AccessoryDevice {
  struct Object {
    let name: AttributeName
    let id: CharacteristicID
    /// The value of a descriptor, which never changes; nil for a characteristic.
    var value: [UInt8]?
  }

  /// A request that the app has not answered.
  struct Request {
    /// Nil where no response is expected.
    let id: AttributeRequestID?
    let options: AttributeRequestOptions
    let index: Int
    /// Nil for a read.
    let written: [UInt8]?
  }

  func publish() {
    guard !description.profile.services.isEmpty else { return }
    var published: [PublishedService] = []
    for (place, service) in description.profile.services.enumerated() {
      let characteristics = service.characteristics.enumerated().map { index, characteristic in
        publish(
          characteristic.definition, of: service.uuid,
          CharacteristicID(service: ServiceID(rawValue: place), index: index))
      }
      published.append(
        PublishedService(
          uuid: service.uuid, isPrimary: service.isPrimary,
          includes: service.includedServices.compactMap { uuid in published.firstIndex { $0.uuid == uuid } },
          characteristics: characteristics))
    }
    let id = air.assumeIsolated { $0.newApplication() }
    application = id
    ask(.publish(id, published))
  }

  private func publish(
    _ definition: CharacteristicDefinition, of service: BluetoothUUID, _ id: CharacteristicID
  ) -> PublishedCharacteristic {
    var published = PublishedCharacteristic(
      index: objects.count, uuid: definition.uuid, flags: secured(AttributeFlags(definition)))
    objects.append(Object(name: AttributeName(service: service, characteristic: definition.uuid), id: id))
    for descriptor in definition.descriptors {
      let flags = secured(AttributeFlags(descriptor)).intersection([.read, .encryptRead, .authenticateRead])
      published.descriptors.append(
        PublishedDescriptor(index: objects.count, uuid: descriptor.uuid, flags: flags, handle: .anywhere))
      let name = AttributeName(service: service, characteristic: definition.uuid, descriptor: descriptor.uuid)
      objects.append(Object(name: name, id: id, value: descriptor.value))
    }
    return published
  }

  /// Replaces encryption by authentication where the accessory's pairing is authenticated.
  private func secured(_ flags: AttributeFlags) -> AttributeFlags {
    guard description.pairing.isAuthenticated else { return flags }
    let stronger: [(AttributeFlags, AttributeFlags)] = [
      (.encryptRead, .authenticateRead), (.encryptWrite, .authenticateWrite),
      (.encryptSubscribe, .authenticateSubscribe),
    ]
    return stronger.reduce(flags) { $0.contains($1.0) ? $0.union($1.1) : $0 }
  }

  func radioCentral(_ address: DeviceAddress) -> RadioCentral {
    air.assumeIsolated { [adapter, links] air in
      let (host, link) = (air.air.hosts[adapter], links.first { $0.value == address }?.key)
      return RadioCentral(
        id: CentralID(address), isBonded: host?.isBonded(with: address) == true,
        mtu: link.flatMap { host?.links[$0]?.mtu } ?? ATTMTU.range.lowerBound)
    }
  }

  private func describe(_ central: RadioCentral) -> CentralDescription {
    CentralDescription(id: central.id, maximumUpdateValueLength: central.maximumUpdateValueLength)
  }

  // MARK: Requests

  /// - Parameter written: nil for a read.
  func receive(_ id: AttributeRequestID?, _ index: Int, _ options: AttributeRequestOptions, written: [UInt8]?) {
    let (object, offset) = (objects[index], options.offset)
    let request = Request(id: id, options: options, index: index, written: written)
    if let value = object.value {
      do throws(ATTError) {
        return finish(request, nil, try AttributeValue.slice(value, from: offset))
      } catch { return finish(request, error, []) }
    }
    lastRequest += 1
    let (number, central) = (RequestID(rawValue: lastRequest), describe(radioCentral(options.device)))
    requests[number] = request
    if let written {
      let write = WriteRequest(id: number, central: central, characteristic: object.id, offset: offset, value: written)
      receive(.didReceiveWrite([write]))
    } else {
      let read = ReadRequest(id: number, central: central, characteristic: object.id, offset: offset)
      receive(.didReceiveRead(read))
    }
  }

  func finish(_ request: Request, _ error: ATTError?, _ value: [UInt8]) {
    let (central, name) = (radioCentral(request.options.device), objects[request.index].name)
    let offset = request.options.offset
    if let written = request.written {
      report(
        .write(
          central, name, offset: offset, value: written, error: error, isAcknowledged: request.id != nil, rule: nil))
    } else {
      let outcome = error.map { PhoneEvent.Outcome.error($0) } ?? .value(value)
      report(.read(central, name, offset: offset, outcome, isCached: false, rule: nil))
    }
    if let id = request.id { ask(.respond(id, error.map { .failure($0) } ?? .success(value))) }
  }

  // MARK: Subscriptions

  func subscribe(_ central: DeviceAddress, _ index: Int, _ isOn: Bool) {
    let object = objects[index]
    guard object.value == nil, isSubscribed(central, object.id) != isOn else { return }
    let device = radioCentral(central)
    report(isOn ? .subscribed(device, object.name) : .unsubscribed(device, object.name))
    let app = describe(device)
    receive(isOn ? .didSubscribe(app, to: object.id) : .didUnsubscribe(app, from: object.id))
  }

  private func isSubscribed(_ central: DeviceAddress, _ id: CharacteristicID) -> Bool {
    machine.subscribers[id]?.contains(CentralID(central)) == true
  }

  /// Resumes the subscriptions that a bonded central has made in an earlier connection.
  func resumeSubscriptions(over id: ConnectionID) {
    guard let central = links[id], let database = air.assumeIsolated({ $0.air.hosts[adapter]?.database }) else {
      return
    }
    for index in objects.indices {
      let descriptor = handles[index].flatMap { database.clientConfiguration(of: $0) }
      if let descriptor, database.configuration(descriptor, of: central) != 0 { subscribe(central, index, true) }
    }
  }

  /// - Returns: false where too many values wait for a central; `isReadyToUpdateSubscribers` follows then.
  func notify(_ id: CharacteristicID, _ value: [UInt8]) -> Bool {
    let subscribers = connectedCentrals.filter { isSubscribed($0, id) }
    guard let application, let index = objects.firstIndex(where: { $0.id == id }), !subscribers.isEmpty else {
      return true
    }
    guard hasRoom else {
      awaitRoom()
      return false
    }
    report(.notified(subscribers.map { radioCentral($0) }, objects[index].name, value: value))
    ask(.updateValue(ApplicationObject(application, index), value, to: Set(subscribers)))
    return true
  }

  /// Whether less than 64 values wait for each central, which is ours.
  private var hasRoom: Bool {
    air.assumeIsolated { [adapter, links] sharedAir in
      links.keys.allSatisfy { sharedAir.air.hosts[adapter]?.links[$0]?.uncarriedValues ?? 0 < 64 }
    }
  }

  /// Looks ten times a second.
  private func awaitRoom() {
    room =
      room
      ?? air.loop.schedule(after: .milliseconds(100)) { [weak self] in
        self?.assumeIsolated { this in
          this.room = nil
          if this.hasRoom { this.receive(.isReadyToUpdateSubscribers) } else { this.awaitRoom() }
        }
      }
  }
}

/// The values and requests of a story.
extension AccessoryDevice {
  private func id(of uuid: BluetoothUUID) -> CharacteristicID? { objects.first { $0.name.characteristic == uuid }?.id }

  /// - Returns: false without such a characteristic.
  package func set(_ uuid: BluetoothUUID, to value: [UInt8]) -> Bool {
    guard let id = id(of: uuid) else { return false }
    for action in machine.set(id, to: value) { perform(action) }
    return true
  }

  package func value(of uuid: BluetoothUUID) -> [UInt8]? { id(of: uuid).map { machine.value(of: $0, at: now) } }

  package func subscribers(of uuid: BluetoothUUID) -> [DeviceAddress] {
    id(of: uuid).map { id in connectedCentrals.filter { isSubscribed($0, id) } } ?? []
  }

  package var connectedCentrals: [DeviceAddress] { links.values.sorted() }
}
