import BleperaAir
import BleperaBlueZProtocol
import BleperaBluetooth
import BleperaDBus
import BleperaHost
import BleperaLoop

/// GattManager1, and calls to applications (BlueZ src/gatt-database.c).
extension BlueZServer {
  func registerApplication(at root: ObjectPath?, of sender: BusName, on adapter: AdapterID, _ call: IncomingCall) {
    guard let root else { return refuse(call, .invalidArguments) }
    guard
      !applications.values.contains(where: { $0.adapter == adapter && $0.owner == sender && $0.root == root })
    else { return refuse(call, .alreadyExists) }
    let id = sharedAir.assumeIsolated { $0.newApplication() }
    applications[id] = RegisteredApplication(owner: sender, root: root, adapter: adapter, call: call)
    for interface in [InterfaceName.properties, .objectManager] {
      follow(sender, of: interface, at: root) { this, signal in
        this.received(signal, from: id)
      } token: { this, token in
        guard this.applications[id] != nil else { return this.unfollow([token]) }
        this.applications[id]?.tokens.append(token)
      }
    }
    self.call(sender, "GetManagedObjects", of: .objectManager, at: root) { this, result in
      guard this.applications[id] != nil else { return }
      guard case .success(let values) = result else { return this.refused(id, .noObject) }
      do throws(PublicationRefusal) {
        let reader = try ApplicationReader(values.first)
        if this.options.behavior.has(.lacksNotifyPermissions), reader.hasNotifyPermissions { throw .noService }
        if this.options.behavior.has(.needsExplicitHandles), !reader.hasExplicitHandles { throw .noEntry }
        this.applications[id]?.objects = reader.objects
        this.applications[id]?.services = reader.servicePaths
        this.run(.host(adapter, .publish(id, reader.services)))
      } catch {
        this.refused(id, error)
      }
    }
  }

  func refused(_ id: ApplicationID, _ refusal: PublicationRefusal, _ begun: [AttributeHandle] = []) {
    guard let application = applications.removeValue(forKey: id) else { return }
    sendHandles(begun, of: application)
    unfollow(application.tokens)
    if let call = application.call { refuse(call, .failed(refusal.rawValue)) }
  }

  func published(_ id: ApplicationID, _ services: [AttributeHandle], _ objects: [Int: AttributeHandle]) {
    guard let application = applications[id] else { return }
    applications[id]?.call = nil
    sendHandles(services, of: application)
    for (index, object) in application.objects.enumerated() where object.wantsHandle {
      guard let handle = objects[index] else { continue }
      sendHandle(handle, of: object.path, object.interface, to: application.owner)
    }
    updateUUIDs(application.adapter)
    if let call = application.call { reply(call, .success([])) }
  }

  private func sendHandles(_ services: [AttributeHandle], of application: RegisteredApplication) {
    for (service, handle) in zip(application.services, services) where service.wantsHandle {
      sendHandle(handle, of: service.path, BlueZName.gattService, to: application.owner)
    }
  }

  private func sendHandle(
    _ handle: AttributeHandle, of path: ObjectPath, _ interface: InterfaceName, to owner: BusName
  ) {
    call(
      owner, "Set", of: .properties, at: path,
      with: [.string(interface.rawValue), .string("Handle"), .variant(.uint16(handle.rawValue))])
  }

  private func updateUUIDs(_ adapter: AdapterID) {
    guard let path = adapterStates[adapter]?.path else { return }
    set(path, BlueZName.adapter, "UUIDs", to: .strings(uuids(of: adapter)))
  }

  func unregisterApplication(at root: ObjectPath?, of sender: BusName, on adapter: AdapterID, _ call: IncomingCall) {
    guard
      let id = applications.first(where: {
        $0.value.adapter == adapter && $0.value.owner == sender && $0.value.root == root
      })?.key
    else { return refuse(call, .doesNotExist) }
    forget(id)
    reply(call, .success([]))
  }

  func forget(_ id: ApplicationID) {
    guard let application = applications.removeValue(forKey: id) else { return }
    unfollow(application.tokens)
    notifySources = notifySources.filter { $0.key.application != id }
    sharedAir.assumeIsolated { $0.run(.host(application.adapter, .unpublish(id))) }
    updateUUIDs(application.adapter)
    flush()
  }

  /// Handles a value to notify or a removed service object; objects that are added later are ignored.
  private func received(_ signal: Signal, from id: ApplicationID) {
    guard let application = applications[id] else { return }
    switch signal.member {
    case "PropertiesChanged":
      guard signal.arguments.first?.text == BlueZName.gattCharacteristic.rawValue,
        let index = application.objects.firstIndex(where: { $0.path == signal.path && !$0.isDescriptor }),
        let value = signal.arguments.dropFirst().first?.asProperties?["Value"]?.byteArray
      else { return }
      run(.host(application.adapter, .updateValue(ApplicationObject(id, index), value, to: nil)))
    case "InterfacesRemoved":
      guard let path = signal.arguments.first?.path,
        signal.arguments.last?.stringArray?.contains(BlueZName.gattService.rawValue) == true,
        let place = application.services.firstIndex(where: { $0.path == path })
      else { return }
      run(.host(application.adapter, .unpublishService(id, place)))
      updateUUIDs(application.adapter)
      flush()
    default: break
    }
  }

  // MARK: Requests of centrals

  private func target(_ object: ApplicationObject) -> (
    owner: BusName, path: ObjectPath, interface: InterfaceName, application: RegisteredApplication
  )? {
    guard let application = applications[object.application], application.objects.indices.contains(object.index)
    else { return nil }
    let entry = application.objects[object.index]
    return (application.owner, entry.path, entry.interface, application)
  }

  private func device(_ connection: ConnectionID) -> ObjectPath? {
    devices.values.first { $0.connection == connection && $0.isServer }?.path
  }

  /// Like `append_options`: no "type"; offset and prepare-authorize only if not the default (measured).
  private func dictionary(_ options: AttributeRequestOptions) -> DBusValue {
    var entries: [(String, DBusValue)] = []
    if let path = device(options.connection) { entries.append(("device", .objectPath(path))) }
    entries += [("link", .string("LE")), ("mtu", .uint16(UInt16(clamping: options.mtu)))]
    if options.offset != 0 { entries.append(("offset", .uint16(UInt16(clamping: options.offset)))) }
    if options.isPrepareAuthorize { entries.append(("prepare-authorize", .boolean(true))) }
    return .properties(entries)
  }

  func read(
    _ object: ApplicationObject, _ options: AttributeRequestOptions, for id: AttributeRequestID, at adapter: AdapterID
  ) {
    guard let (owner, path, interface, _) = target(object) else {
      return run(.host(adapter, .respond(id, .failure(.unlikelyError))))
    }
    let behavior = self.options.behavior
    call(owner, "ReadValue", of: interface, at: path, with: [dictionary(options)]) { this, result in
      switch result {
      case .success(let values):
        // bluetoothd treats a reply of another type as NotSupported (measured).
        let value = values.first?.byteArray
        this.run(.host(adapter, .respond(id, value.map { .success($0) } ?? .failure(.requestNotSupported))))
      case .failure(let failure):
        this.run(.host(adapter, .respond(id, .failure(ATTError(failure, isRead: true, behavior)))))
      }
    }
  }

  func write(
    _ value: [UInt8], to object: ApplicationObject, _ options: AttributeRequestOptions, for id: AttributeRequestID?,
    at adapter: AdapterID
  ) {
    guard let (owner, path, interface, _) = target(object) else {
      if let id { run(.host(adapter, .respond(id, .failure(.unlikelyError)))) }
      return
    }
    let behavior = self.options.behavior
    call(
      owner, "WriteValue", of: interface, at: path, with: [.bytes(value), dictionary(options)], expectsReply: id != nil
    ) { this, result in
      guard let id else { return }
      switch result {
      case .success: this.run(.host(adapter, .respond(id, .success([]))))
      case .failure(let failure):
        this.run(.host(adapter, .respond(id, .failure(ATTError(failure, isRead: false, behavior)))))
      }
    }
  }

  // MARK: Subscriptions

  /// Calls AcquireNotify first if NotifyAcquired exists; a refusal, except for two errors, leads to StartNotify.
  func subscribed(_ object: ApplicationObject, _ connection: ConnectionID, isFirst: Bool) {
    guard let (owner, path, interface, application) = target(object),
      let link = air.hosts[application.adapter]?.links[connection]
    else { return }
    let address = link.peer
    guard application.objects[object.index].canAcquireNotify else { return startNotify(object) }
    if options.behavior.has(.acquiresForFirstSubscriber), application.sockets[object.index]?.isEmpty == false { return }
    let request = AttributeRequestOptions(connection: connection, device: address, mtu: link.mtu)
    call(owner, "AcquireNotify", of: interface, at: path, with: [dictionary(request)]) { this, result in
      switch result {
      case .success(let values):
        guard let descriptor = values.first?.fileDescriptor else { return }
        this.keep(descriptor, object, address, at: application.adapter)
      case .failure(.remote(let error)) where error.bluez == .failed || error.name == .noReply: break
      case .failure: this.startNotify(object)
      }
    }
  }

  private func startNotify(_ object: ApplicationObject) {
    guard let (owner, path, interface, _) = target(object) else { return }
    applications[object.application]?.started.insert(object.index)
    call(owner, "StartNotify", of: interface, at: path, expectsReply: false)
  }

  /// Notifies data written to the file descriptor: to its device since 5.76, before that to all subscribers.
  private func keep(
    _ descriptor: UnixFileDescriptor, _ object: ApplicationObject, _ device: DeviceAddress, at adapter: AdapterID
  ) {
    guard let socket = SequencedSocket(descriptor) else { return }
    applications[object.application]?.sockets[object.index, default: [:]][device] = socket
    let devices: Set<DeviceAddress>? = options.behavior.has(.sendsAcquiredToAll) ? nil : [device]
    notifySources[object, default: [:]][device] = socket.watch(on: loop) { [weak self] value in
      self?.assumeIsolated { $0.run(.host(adapter, .updateValue(object, value, to: devices))) }
    } end: { [weak self] in
      self?.assumeIsolated { $0.drop(object, device) }
    }
  }

  private func drop(_ object: ApplicationObject, _ device: DeviceAddress) {
    notifySources[object]?[device] = nil
    applications[object.application]?.sockets[object.index]?[device] = nil
  }

  func unsubscribed(_ object: ApplicationObject, _ device: DeviceAddress, isLast: Bool) {
    drop(object, device)
    guard isLast, let (owner, path, interface, application) = target(object),
      application.started.contains(object.index)
    else { return }
    applications[object.application]?.started.remove(object.index)
    call(owner, "StopNotify", of: interface, at: path, expectsReply: false)
  }

  func confirmed(_ object: ApplicationObject, _ device: DeviceAddress) {
    guard let (owner, path, interface, application) = target(object) else { return }
    if let socket = application.sockets[object.index]?[device] {
      if !options.behavior.has(.confirmsWithoutDescriptor) { socket.send([1]) }
    } else {
      call(owner, "Confirm", of: interface, at: path, expectsReply: false)
    }
  }
}
