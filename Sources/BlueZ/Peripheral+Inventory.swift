package import DBus
import EventLoop

/// Follows what bluetoothd has: itself, its adapters and the devices it knows.
extension Peripheral {
  func daemonChanged(to owner: BusName?) {
    guard owner != daemon || !hasLooked else { return }
    let hadDaemon = daemon != nil
    hasLooked = true
    daemon = owner
    if owner == nil || hadDaemon { replaceInventory(with: Inventory()) }
    guard owner != nil else { return }
    takeInventory()
    registerAgent()
  }

  /// Asks bluetoothd for its objects, again and again while it refuses: it may be busy, or let us in later.
  private func takeInventory() {
    guard let owner = daemon else { return }
    let call = MethodCall(
      destination: BlueZName.bus, path: .root, interface: .objectManager, member: "GetManagedObjects")
    connection.assumeIsolated { connection in
      _ = connection.start(call) { [weak self] result in
        self?.assumeIsolated { this in
          guard this.daemon == owner else { return }
          guard case .success(let values) = result, let objects = values.first else {
            this.retry = this.loop.schedule(after: .seconds(1)) { [weak self] in
              self?.assumeIsolated { if $0.daemon == owner { $0.takeInventory() } }
            }
            return
          }
          this.replaceInventory(with: Inventory(managedObjects: objects))
        }
      }
    }
  }

  private func replaceInventory(with new: Inventory) {
    let old = inventory.devices.values.filter(\.isConnected)
    inventory = new
    for device in old where new.devices[device.path]?.isConnected != true { lose(device) }
    adaptersChanged()
    for device in new.devices.values.sorted(by: { $0.path < $1.path }) where device.isConnected { greet(device) }
  }

  func apply(_ signal: Signal) {
    for change in inventory.apply(signal) {
      switch change {
      case .adapters: adaptersChanged()
      case .connected(let device): greet(device)
      case .disconnected(let device): lose(device)
      case .paired(let device): if connected.contains(device.path) { tell(.paired(device)) }
      }
    }
  }

  /// A central of the adapter in use; what connects to another one is not ours.
  private func greet(_ device: RemoteDevice) {
    guard device.path.parent?.lastElement == radio?.adapter, connected.insert(device.path).inserted else { return }
    tell(.connected(device))
    for (path, change) in subscribers.connected(device.path) { tell(change, at: path) }
    // The controller stops advertising at a connection and resumes at its end: a second central would not see us.
    for number in advertisements.keys.sorted() { run(.renew(.advertisement(number))) }
  }

  private func lose(_ device: RemoteDevice) {
    guard connected.remove(device.path) != nil else { return }
    for (path, change) in subscribers.disconnected(device.path, isBonded: device.isPaired) { tell(change, at: path) }
    mtus[device.path] = nil
    tell(.disconnected(device))
  }

  private func adaptersChanged() {
    let adapter = daemon == nil ? nil : inventory.adapter(named: wantedAdapter)
    let state: RadioState =
      switch adapter {
      case _ where daemon == nil: .noDaemon
      case nil: .noAdapter(wanted: options.adapter)
      case let adapter?: adapter.isPowered ? .poweredOn(adapter: adapter.name) : .poweredOff(adapter: adapter.name)
      }
    let usable = adapter.flatMap { $0.hasGATTManager && $0.advertising != nil ? $0 : nil }
    if state != radio {
      radio = state
      tell(.radio(state))
    }
    run(.stationChanged(usable.map { .init(adapter: $0.path, isPowered: $0.isPowered) }))
    powerOn(adapter)
  }

  /// The adapter in use stays the one in use while it is there, on or off.
  var wantedAdapter: String? {
    if let adapter = options.adapter { return adapter }
    guard let name = radio?.adapter, inventory.adapter(named: name) != nil else { return nil }
    return name
  }

  /// Once for each appearance: what a person switches off later stays off.
  private func powerOn(_ adapter: Adapter?) {
    guard let adapter else { return poweringOn = nil }
    guard options.powersOn, poweringOn != adapter.path else { return }
    poweringOn = adapter.path
    if !adapter.isPowered { setPower(of: adapter.path, isFirstTry: true) }
  }

  /// Of the centrals of the adapter in use.
  package var connectedAddresses: Set<String> {
    Set(
      inventory.devices.values.filter { $0.isConnected && $0.path.parent?.lastElement == radio?.adapter }.map(\.address)
    )
  }

  /// Drops a central's connection; without effect where it has none.
  package func disconnect(address: String) {
    guard let device = inventory.devices.values.first(where: { $0.isConnected && $0.address == address }) else {
      return
    }
    let call = MethodCall(
      destination: BlueZName.bus, path: device.path, interface: BlueZName.device, member: "Disconnect")
    connection.assumeIsolated { _ = $0.start(call) { _ in } }
  }

  /// Switches the adapter in use on or off; `completion` hears a refusal.
  package func switchPower(on isOn: Bool, _ completion: @escaping @Sendable (DBusFailure?) -> Void) -> Bool {
    guard daemon != nil, let adapter = inventory.adapter(named: wantedAdapter) else { return false }
    isSwitchedOff = !isOn
    connection.assumeIsolated { connection in
      _ = connection.start(Self.powerCall(adapter.path, isOn: isOn)) { result in
        guard case .failure(let failure) = result else { return completion(nil) }
        completion(failure)
      }
    }
    return true
  }

  static func powerCall(_ adapter: ObjectPath, isOn: Bool) -> MethodCall {
    MethodCall(
      destination: BlueZName.bus, path: adapter, interface: .properties, member: "Set",
      arguments: [.string(BlueZName.adapter.rawValue), .string("Powered"), .variant(.boolean(isOn))])
  }

  /// Whether bluetoothd heeds MinInterval and MaxInterval; nil where it cannot be told.
  package var takesIntervals: Bool? {
    guard let adapter = inventory.adapter(named: wantedAdapter), let advertising = adapter.advertising else {
      return nil
    }
    if advertising.hasCapabilities { return true }
    return adapter.version.flatMap { DaemonQuirk.ignoresIntervals.applies(to: $0) ? false : nil }
  }

  package var version: DaemonVersion? { inventory.adapter(named: wantedAdapter)?.version }

  /// A refusal is told once and tried again: rfkill may be undone, bluetoothd may have been busy.
  private func setPower(of path: ObjectPath, isFirstTry: Bool) {
    connection.assumeIsolated { connection in
      _ = connection.start(Self.powerCall(path, isOn: true)) { [weak self] result in
        guard case .failure(let failure) = result else { return }
        self?.assumeIsolated { this in
          guard this.inventory.adapters[path]?.isPowered == false else { return }
          if isFirstTry { this.tell(.poweringFailed(adapter: path.lastElement, failure)) }
          this.retry = this.loop.schedule(after: .seconds(2)) { [weak self] in
            self?.assumeIsolated { this in
              guard this.poweringOn == path, this.inventory.adapters[path]?.isPowered == false else { return }
              this.setPower(of: path, isFirstTry: false)
            }
          }
        }
      }
    }
  }
}

extension ObjectPath {
  /// `/org/bluez/hci0/dev_00_11_22_33_44_55` names the address of a device that is already gone.
  package var deviceAddress: String? {
    guard lastElement.hasPrefix("dev_") else { return nil }
    return lastElement.dropFirst(4).split(separator: "_").joined(separator: ":")
  }
}
