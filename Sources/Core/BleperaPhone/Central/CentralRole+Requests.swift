import BleperaAppLink
import BleperaBluetooth
import BleperaRadio
import BleperaRules

/// The apps' requests to peripherals: one request after the other, answered from the cache where it has the answer.
extension CentralRole {
  mutating func ask(_ call: PeripheralCall, of id: PeripheralID, by user: CentralUser) {
    guard isConnected(user, to: id) else { return fail(call, of: id, for: user, .code(.notConnected)) }
    if case .openL2CAPChannel(let psm) = call {
      guard let address = known[id]?.address else { return }
      return output(.openChannel(psm, address, user))
    }
    if case .writeValue(_, _, withResponse: false) = call,
      links[id]?.commandCount(of: user) ?? 0 >= rules.writeQueue.value
    {
      // As the system drops a write for which it has no place.
      drop(call, of: id, by: user, "\(rules.writeQueue.value) writes wait")
      return reportSent(of: id, to: user)
    }
    links[id]?.append(PeripheralRequest(user: user, call: call))
    advance(id)
  }

  /// Reports a write without response that is not sent.
  private mutating func drop(_ call: PeripheralCall, of id: PeripheralID, by user: CentralUser, _ cause: String) {
    guard case .writeValue(let handle, let value, _) = call, let record = known[id], let link = links[id] else {
      return
    }
    let limit = link.mtu - 3
    let reason = value.count > limit ? "\(value.count) bytes; the ATT_MTU leaves \(limit)" : cause
    output(.dropped(user, record, handle, value, reason: reason))
  }

  /// Begins the next requests, up to one that waits for the peripheral.
  mutating func advance(_ id: PeripheralID) {
    while let link = links[id], link.operation == nil, let request = link.next, let record = known[id] {
      switch step(request, of: id, record.cache) {
      case .perform(let procedure):
        let number = operations.begin(at: record.id)
        output(.perform(procedure, number, record.address))
        guard case .command = procedure else {
          links[id]?.operation = number
          return
        }
        links[id]?.commands[number] = request
        links[id]?.removeFirst()
      case .readRSSI:
        let number = operations.begin(at: record.id)
        output(.readRSSI(number, record.address))
        links[id]?.operation = number
      case .done:
        links[id]?.removeFirst()
      }
    }
  }

  private enum Step {
    case perform(GATTProcedure)
    case readRSSI
    /// The callback of the request is delivered.
    case done
  }

  /// Returns the next step of a request, which is `done` where the cache has the answer.
  private mutating func step(_ request: PeripheralRequest, of id: PeripheralID, _ cache: GATTCache) -> Step {
    func failed(_ error: CentralError) -> Step {
      if let user = request.user { fail(request.call, of: id, for: user, error) }
      return .done
    }
    switch request.call {
    case .discoverServices(let uuids):
      guard cache.isComplete, let services = cache.services else { return .perform(.services) }
      guard request.user != nil else { return .perform(.knownServices(services)) }
      discovered(services.filter { !$0.isHidden && (uuids?.contains($0.uuid) ?? true) }, for: request, id) {
        .didDiscoverServices($0, error: nil)
      }
    case .discoverIncludedServices(let uuids, let service):
      guard let range = cache.range(of: service) else { return failed(.code(.invalidHandle)) }
      guard let services = cache.included[service] else { return .perform(.includedServices(range)) }
      discovered(services.filter { uuids?.contains($0.uuid) ?? true }, for: request, id) {
        .didDiscoverIncludedServices($0, service: service, error: nil)
      }
    case .discoverCharacteristics(let uuids, let service):
      guard let range = cache.range(of: service) else { return failed(.code(.invalidHandle)) }
      guard let found = cache.characteristics[service] else { return .perform(.characteristics(range)) }
      let wanted = found.filter { uuids?.contains($0.uuid) ?? true }
      remember(wanted.map(\.value), request, id)
      let descriptions = wanted.map { description($0, of: id, request.user) }
      deliver(.didDiscoverCharacteristics(descriptions, service: service, error: nil), request, id)
    case .discoverDescriptors(let characteristic):
      guard let place = cache.characteristic(characteristic) else { return failed(.code(.invalidHandle)) }
      guard let found = cache.descriptors(of: characteristic) else {
        if let range = place.descriptors { return .perform(.descriptors(range)) }
        deliver(.didDiscoverDescriptors([], characteristic: characteristic, error: nil), request, id)
        return .done
      }
      remember(found.map(\.handle), request, id)
      let descriptions = found.map { RemoteDescriptorDescription(handle: $0.handle, uuid: $0.uuid) }
      deliver(.didDiscoverDescriptors(descriptions, characteristic: characteristic, error: nil), request, id)
    case .readValue(let handle): return .perform(.read(handle))
    case .writeValue(let handle, let value, let withResponse):
      return .perform(withResponse ? .write(handle, value) : .command(handle, value))
    case .setNotifyValue(let isOn, let characteristic):
      guard let place = cache.characteristic(characteristic) else { return failed(.code(.invalidHandle)) }
      let properties = CharacteristicProperties(rawValue: UInt16(place.characteristic.properties))
      guard !properties.isDisjoint(with: .subscribable) else { return failed(.att(.requestNotSupported)) }
      // The state that is asked for is there, of this app or of another one.
      let isWritten = notifies(characteristic, of: id, exceptFor: isOn ? nil : request.user)
      guard !isWritten else {
        setNotifying(isOn, of: characteristic, for: request, id)
        return .done
      }
      guard cache.descriptors(of: characteristic) != nil else {
        return place.descriptors.map { .perform(.descriptors($0)) } ?? failed(.code(.invalidParameters))
      }
      guard let descriptor = cache.configuration(of: characteristic) else { return failed(.code(.invalidParameters)) }
      let bits: UInt8 = properties.contains(.notify) ? 1 : 2
      return .perform(.write(descriptor, [isOn ? bits : 0, 0]))
    case .readRSSI: return .readRSSI
    case .openL2CAPChannel: break
    }
    return .done
  }

  func isConnected(_ user: CentralUser, to id: PeripheralID) -> Bool {
    links[id] != nil && uses[id]?.contains { $0.user == user && $0.isConnected } == true
  }

  /// Whether a manager, other than the one given, is subscribed.
  func notifies(_ characteristic: AttributeHandle, of id: PeripheralID, exceptFor user: CentralUser? = nil) -> Bool {
    uses[id]?.contains { $0.user != user && $0.notifying.contains(characteristic) } == true
  }

  func notifies(_ characteristic: AttributeHandle, of id: PeripheralID, to user: CentralUser?) -> Bool {
    uses[id]?.contains { $0.user == user && $0.notifying.contains(characteristic) } == true
  }

  private mutating func setNotifying(
    _ isOn: Bool, of characteristic: AttributeHandle, for request: PeripheralRequest, _ id: PeripheralID
  ) {
    change(request.user, of: id) { use in
      if isOn { use.notifying.insert(characteristic) } else { use.notifying.remove(characteristic) }
    }
    deliver(
      .didUpdateNotificationState(characteristic: characteristic, isNotifying: isOn, error: nil), request, id)
    output(.changed)
  }

  private mutating func change(_ user: CentralUser?, of id: PeripheralID, _ body: (inout PeripheralUse) -> Void) {
    guard let index = uses[id]?.firstIndex(where: { $0.user == user }) else { return }
    body(&uses[id]![index])
  }

  private mutating func remember(_ handles: [AttributeHandle], _ request: PeripheralRequest, _ id: PeripheralID) {
    change(request.user, of: id) { $0.discovered.formUnion(handles) }
    output(.changed)
  }

  private mutating func discovered(
    _ services: [RemoteService], for request: PeripheralRequest, _ id: PeripheralID,
    callback: ([RemoteServiceDescription]) -> PeripheralCallback
  ) {
    remember(services.map(\.range.lowerBound), request, id)
    deliver(callback(services.map(\.description)), request, id)
  }

  private mutating func deliver(_ callback: PeripheralCallback, _ request: PeripheralRequest, _ id: PeripheralID) {
    if let user = request.user { deliver(callback, of: id, to: user) }
  }

  func description(
    _ characteristic: RemoteCharacteristic, of id: PeripheralID, _ user: CentralUser?
  ) -> RemoteCharacteristicDescription {
    let handle = characteristic.value
    return RemoteCharacteristicDescription(
      handle: handle, uuid: characteristic.uuid,
      properties: CharacteristicProperties(rawValue: UInt16(characteristic.properties)),
      value: known[id]?.cache.values[handle], isNotifying: notifies(handle, of: id, to: user))
  }

  // MARK: The radio

  mutating func completed(_ number: PeripheralOperationID, _ result: Result<ProcedureAnswer, ProcedureFailure>) {
    guard let id = operations.end(number) else { return }
    if let request = links[id]?.commands.removeValue(forKey: number), let user = request.user {
      if case .failure(.att(let error)) = result { drop(request.call, of: id, by: user, "\(error)") }
      return reportSent(of: id, to: user)
    }
    guard links[id]?.operation == number, let request = links[id]?.next else { return }
    switch result {
    case .success(let answer): take(answer, request, id)
    case .failure(let failure):
      links[id]?.removeFirst()
      if let user = request.user { fail(request.call, of: id, for: user, failure.error) }
    }
    advance(id)
  }

  /// An answer for the cache lets the request begin again.
  private mutating func take(_ answer: ProcedureAnswer, _ request: PeripheralRequest, _ id: PeripheralID) {
    links[id]?.operation = nil
    switch (request.call, answer) {
    case (.discoverServices, .services(let found)):
      known.change(id) { $0.cache.set(services: found) }
      guard request.user == nil else { return }
      // Managers that have registered by services learn of a connection once its services are known.
      reportEvent(id, isConnected: true) { !$0.peripherals.contains(id) }
    case (.discoverIncludedServices(_, let service), .services(let found)):
      return known.change(id) { $0.cache.set(included: found, of: service) }
    case (.discoverCharacteristics(_, let service), .characteristics(let found)):
      return known.change(id) { $0.cache.set(found, of: service) }
    case (.discoverDescriptors(let characteristic), .descriptors(let found)),
      (.setNotifyValue(_, let characteristic), .descriptors(let found)):
      return known.change(id) { $0.cache.set(found, of: characteristic) }
    case (.setNotifyValue(let isOn, let characteristic), _): setNotifying(isOn, of: characteristic, for: request, id)
    case (.readValue(let handle), .value(let value)):
      known.change(id) { $0.cache.set(value, of: handle) }
      if let user = request.user { reportValue(value, of: handle, at: id, to: user) }
      deliver(.didUpdateValue(handle, value: value, error: nil), request, id)
    case (.writeValue(let handle, _, _), _): deliver(.didWriteValue(handle, error: nil), request, id)
    case (.readRSSI, .rssi(let rssi)): deliver(.didReadRSSI(rssi, error: nil), request, id)
    default: if let user = request.user { fail(request.call, of: id, for: user, .code(.unknown)) }
    }
    links[id]?.removeFirst()
  }

  mutating func valueReceived(_ handle: AttributeHandle, _ value: [UInt8], of address: PeripheralID, at now: Duration) {
    let id = known.identifier(of: address, at: now)
    let subscribed = uses[id]?.filter { $0.notifying.contains(handle) || subscribes($0.user, to: handle, of: id) } ?? []
    // A value that no app has subscribed to does not change `CBCharacteristic.value`: ours.
    if !subscribed.isEmpty { known.change(id) { $0.cache.set(value, of: handle) } }
    for use in subscribed {
      reportValue(value, of: handle, at: id, to: use.user)
      deliver(
        .peripheral(id, .didUpdateValue(handle, value: value, error: nil)), to: use.user, .notification,
        alerts: (uses[id] ?? []).filter { $0.notifying.contains(handle) }.alerted(by: .notification))
    }
  }

  /// Whether the user's subscription is written: a value may come before the response.
  private func subscribes(_ user: CentralUser, to characteristic: AttributeHandle, of id: PeripheralID) -> Bool {
    guard let link = links[id], link.operation != nil, let request = link.next, request.user == user else {
      return false
    }
    return request.call == .setNotifyValue(true, characteristic: characteristic)
  }

  private mutating func reportValue(
    _ value: [UInt8], of handle: AttributeHandle, at id: PeripheralID, to user: CentralUser
  ) {
    if let record = known[id] { output(.received(user, record, handle, value)) }
  }

  /// Requests for services that are no longer there end with an error. Then each app that is connected learns which of
  /// the services that it has discovered these are: none where the peripheral has added a service (Apple,
  /// `peripheral(_:didModifyServices:)`).
  mutating func servicesChanged(_ changes: [ClosedRange<AttributeHandle>], of address: PeripheralID, at now: Duration) {
    let id = known.identifier(of: address, at: now)
    var dead: [AttributeHandle] = []
    var ranges: [ClosedRange<AttributeHandle>] = []
    known.change(id) { record in
      let before = record.cache
      dead = Set(changes.flatMap { record.cache.invalidate($0) }).sorted()
      ranges = dead.compactMap { before.range(of: $0) }
    }
    guard let link = links[id] else { return }
    for (index, request) in link.requests.enumerated() where index > 0 || link.operation == nil {
      guard let handle = request.call.handle, ranges.contains(where: { $0.contains(handle) }),
        let user = request.user
      else { continue }
      fail(request.call, of: id, for: user, .code(.invalidHandle))
    }
    links[id]?.removeWaiting { call in call.handle.map { handle in ranges.contains { $0.contains(handle) } } ?? false }
    for index in uses[id, default: []].indices {
      guard let use = uses[id]?[index] else { continue }
      let lost = dead.filter(use.discovered.contains)
      uses[id]?[index].discovered = use.discovered.filter { handle in !ranges.contains { $0.contains(handle) } }
      uses[id]?[index].notifying = use.notifying.filter { handle in !ranges.contains { $0.contains(handle) } }
      if use.isConnected { deliver(.peripheral(id, .didModifyServices(lost)), to: use.user, .change) }
    }
    output(.changed)
  }
}

extension PeripheralCall {
  /// The attribute that the call is about.
  fileprivate var handle: AttributeHandle? {
    switch self {
    case .readRSSI, .discoverServices, .openL2CAPChannel: nil
    case .discoverIncludedServices(_, let handle), .discoverCharacteristics(_, let handle),
      .discoverDescriptors(let handle), .readValue(let handle), .writeValue(let handle, _, _),
      .setNotifyValue(_, let handle):
      handle
    }
  }
}
