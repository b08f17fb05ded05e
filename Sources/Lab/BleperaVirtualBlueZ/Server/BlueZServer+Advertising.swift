import BleperaAir
import BleperaBlueZProtocol
import BleperaBluetooth
import BleperaDBus
import BleperaHost
import BleperaLoop

/// LEAdvertisingManager1 (BlueZ src/advertising.c).
extension BlueZServer {
  /// The number of advertisements that fit: 3 in btvirt's controller, 5 if bluetoothd rotates them itself.
  static let advertisementLimit = 3

  func registerAdvertisement(at path: ObjectPath?, of sender: BusName, on adapter: AdapterID, _ call: IncomingCall) {
    guard let path else { return refuse(call, .invalidArguments) }
    let mine = registeredAdvertisements.values.filter { $0.adapter == adapter }
    guard !mine.contains(where: { $0.owner == sender && $0.path == path }) else {
      return refuse(call, .alreadyExists)
    }
    guard mine.count < Self.advertisementLimit else {
      return refuse(call, .tooManyAdvertisements)
    }
    let id = sharedAir.assumeIsolated { $0.newAdvertisement() }
    registeredAdvertisements[id] = RegisteredAdvertisement(owner: sender, path: path, adapter: adapter, call: call)
    follow(sender, of: .properties, at: path) { this, signal in
      this.changed(id, signal)
    } token: { this, token in
      guard this.registeredAdvertisements[id] != nil else { return this.unfollow([token]) }
      this.registeredAdvertisements[id]?.tokens.append(token)
    }
    // The application may have no object manager: the reply is ignored.
    self.call(sender, "GetManagedObjects", of: .objectManager, at: path) { this, _ in
      this.call(
        sender, "GetAll", of: .properties, at: path, with: [.string(BlueZName.advertisement.rawValue)]
      ) { this, result in
        guard this.registeredAdvertisements[id] != nil else { return }
        // An object without properties is an empty broadcast (measured).
        let properties = (try? result.get())?.first?.asProperties
        this.registeredAdvertisements[id]?.properties = properties ?? [:]
        this.advertise(id)
      }
    }
  }

  private func advertise(_ id: AdvertisementID) {
    guard let advertisement = registeredAdvertisements[id] else { return }
    guard let content = AdvertisementProperties(properties: advertisement.properties) else {
      return refused(id, .notParsed)
    }
    guard let adapter = air.adapters[advertisement.adapter] else { return }
    do throws(AdvertisementRefusal) {
      // The controller's limit is checked first (measured).
      let others = registeredAdvertisements.values.count { $0.adapter == adapter.id && $0.packets != nil }
      guard others < Self.advertisementLimit else { throw .tooMany }
      let encoder = AdvertisementEncoder(
        behavior: options.behavior, alias: air.hosts[advertisement.adapter]?.name ?? "",
        isAdapterDiscoverable: adapterStates[adapter.id]?.isDiscoverable == true)
      let packets = try encoder.encode(content)
      if content.timeout > 0, advertisement.end == nil {
        registeredAdvertisements[id]?.end = later(after: .seconds(Int(content.timeout))) { $0.released(id) }
      }
      registeredAdvertisements[id]?.packets = packets
      registeredAdvertisements[id]?.isLost = false
      run(.linkLayer(adapter.id, .advertise(id, packets)))
    } catch {
      refused(id, error)
    }
  }

  func advertisingBegan(_ id: AdvertisementID) {
    guard let advertisement = registeredAdvertisements[id], let call = advertisement.call else { return }
    registeredAdvertisements[id]?.call = nil
    // Controllers with extended advertising report their TX power, whether the property exists or not (measured).
    if !options.behavior.has(.addsAdvertisementsAtOnce) {
      self.call(
        advertisement.owner, "Set", of: .properties, at: advertisement.path,
        with: [.string(BlueZName.advertisement.rawValue), .string("TxPower"), .variant(.int16(0))])
    }
    countInstances(advertisement.adapter)
    reply(call, .success([]))
  }

  func refused(_ id: AdvertisementID, _ refusal: AdvertisementRefusal) {
    guard let advertisement = registeredAdvertisements[id] else { return }
    // A live advertisement stays as before the change.
    guard let call = advertisement.call else { return }
    if refusal == .neverAnswered { return }
    unfollow(advertisement.tokens)
    registeredAdvertisements[id] = nil
    switch refusal {
    case .tooMany: refuse(call, .tooManyAdvertisements)
    case .notParsed: refuse(call, .failed("Failed to parse advertisement."))
    case .notRegistered, .neverAnswered: refuse(call, .failed("Failed to register advertisement"))
    }
  }

  func unregisterAdvertisement(at path: ObjectPath?, of sender: BusName, on adapter: AdapterID, _ call: IncomingCall) {
    guard
      let id = registeredAdvertisements.first(where: {
        $0.value.adapter == adapter && $0.value.owner == sender && $0.value.path == path
      })?.key
    else { return refuse(call, .doesNotExist) }
    forget(id)
    reply(call, .success([]))
  }

  /// Restarts a changed live advertisement, which also puts it back on the air after a connection.
  private func changed(_ id: AdvertisementID, _ signal: Signal) {
    guard let advertisement = registeredAdvertisements[id], advertisement.call == nil,
      signal.path == advertisement.path, signal.member == "PropertiesChanged",
      signal.arguments.first?.text == BlueZName.advertisement.rawValue,
      let changes = signal.arguments.dropFirst().first?.asProperties
    else { return }
    let taken = changes.filter { options.behavior.takesChangedScanResponses || !$0.key.hasPrefix("ScanResponse") }
    registeredAdvertisements[id]?.properties.merge(taken) { $1 }
    registeredAdvertisements[id]?.packets = nil
    registeredAdvertisements[id]?.pause = nil
    run(.linkLayer(advertisement.adapter, .withdraw(id)))
    advertise(id)
  }

  /// The kernel stops all connectable advertisements at a connection; those that are registered afterwards are on the
  /// air (measured).
  func pauseAdvertising(of adapter: AdapterID, for connection: ConnectionID) {
    for (id, advertisement) in registeredAdvertisements.sorted(by: { $0.key < $1.key })
    where advertisement.adapter == adapter && advertisement.packets?.isConnectable == true
      && advertisement.pause == nil && !advertisement.isLost
    {
      registeredAdvertisements[id]?.pause = connection
      run(.linkLayer(advertisement.adapter, .withdraw(id)))
    }
  }

  /// The kernel starts the stopped advertisements again when the connection ends.
  func resumeAdvertising(after connection: ConnectionID) {
    for (id, advertisement) in registeredAdvertisements.sorted(by: { $0.key < $1.key })
    where advertisement.pause == connection {
      registeredAdvertisements[id]?.pause = nil
      if let packets = advertisement.packets { run(.linkLayer(advertisement.adapter, .advertise(id, packets))) }
    }
  }

  /// Power off drops them for good, while bluetoothd believes that they are on the air (measured).
  func loseAdvertising(of adapter: AdapterID) {
    for (id, advertisement) in registeredAdvertisements where advertisement.adapter == adapter {
      registeredAdvertisements[id]?.isLost = true
      registeredAdvertisements[id]?.pause = nil
    }
  }

  /// The advertisement's Timeout has expired, or its adapter was removed.
  func released(_ id: AdvertisementID) {
    guard let advertisement = registeredAdvertisements[id] else { return }
    release(advertisement)
    forget(id)
  }

  func release(_ advertisement: RegisteredAdvertisement) {
    call(
      advertisement.owner, "Release", of: BlueZName.advertisement, at: advertisement.path, expectsReply: false)
  }

  func forget(_ id: AdvertisementID) {
    guard let advertisement = registeredAdvertisements.removeValue(forKey: id) else { return }
    unfollow(advertisement.tokens)
    sharedAir.assumeIsolated { $0.run(.linkLayer(advertisement.adapter, .withdraw(id))) }
    countInstances(advertisement.adapter)
  }

  private func countInstances(_ adapter: AdapterID) {
    guard let path = adapterStates[adapter]?.path else { return }
    let active = registeredAdvertisements.values.count { $0.adapter == adapter && $0.call == nil }
    set(path, BlueZName.advertisingManager, "ActiveInstances", to: .byte(UInt8(clamping: active)))
    set(
      path, BlueZName.advertisingManager, "SupportedInstances",
      to: .byte(UInt8(clamping: max(0, Self.advertisementLimit - active))))
    flush()
  }
}

extension DBusErrorReply {
  fileprivate static let tooManyAdvertisements = notPermitted("Maximum advertisements reached")
}

/// An advertisement that a program has registered or is registering.
struct RegisteredAdvertisement: Sendable {
  let owner: BusName
  let path: ObjectPath
  let adapter: AdapterID
  /// The pending RegisterAdvertisement call; nil after the reply.
  var call: IncomingCall?
  var properties: [String: DBusValue] = [:]
  var tokens: [Int] = []
  /// The packets on the air, or on the air again after the connection that has stopped them; nil before.
  var packets: AdvertisingPackets?
  var pause: ConnectionID?
  /// Whether power off has ended the advertisement.
  var isLost = false
  /// Ends the advertisement after its Timeout.
  var end: (any LoopTimer)?
}
