import BleperaBlueZProtocol
package import BleperaBluetooth
import BleperaDBus
import BleperaEventLoop
import BleperaLoop
package import BleperaRadio

/// Follows bluetoothd, its adapters and its devices.
extension BlueZRadio {
  func observe(_ event: DaemonObserver.Event) {
    switch event {
    case .daemon(let owner, let isBusLost):
      let crash = isBusLost ? nil : DaemonFault.possibleCrashes(devices.inventory)
      let isLost = daemon.ownerChanged(to: owner, after: crash)
      // After bluetoothd has started, nothing is reported before its adapters are known.
      if owner != nil { registerAgent() }
      if isLost { replaceInventory(with: Inventory()) }
    case .objects(let objects): replaceInventory(with: Inventory(managedObjects: objects))
    case .signal(let signal): apply(signal)
    case .busLost: busLost()
    }
  }

  private func replaceInventory(with new: Inventory) {
    for device in devices.replaceInventory(with: new) { disconnected(device) }
    adaptersChanged()
    for device in new.connectedDevices { connected(device) }
  }

  private func apply(_ signal: Signal) {
    for change in devices.apply(signal) {
      switch change {
      case .adapters: adaptersChanged()
      case .connected(let device): connected(device)
      case .disconnected(let device): disconnected(device)
      case .bonded(let device):
        let isCentral = devices.connected.contains(device.path)
        guard isCentral || isOutgoing(device.path) else { continue }
        devices.bond(device.path)
        // The central role follows after this.
        Task { updatePeripheral(at: device.path) }
        if isCentral { report(.bonded(devices.central(at: device.path))) }
      }
    }
  }

  /// Reports a central of the adapter in use; devices connected to other adapters are ignored.
  private func connected(_ device: RemoteDevice) {
    guard isOfAdapter(device), !isOutgoing(device.path), devices.connect(device.path) else { return }
    updateDefaultAgent()
    report(.connected(devices.central(at: device.path)))
    reportChanges(subscribers.connected(device.path))
    // The controller stops advertising until the connection ends: a second central would not discover us.
    for number in air.objects.keys.sorted() { run(.refresh(.advertisement(number))) }
    advertiseBesideConnection()
  }

  private func disconnected(_ device: RemoteDevice) {
    guard devices.disconnect(device.path) else { return }
    updateDefaultAgent()
    let changes = subscribers.disconnected(device.path, isBonded: device.hasBond)
    endStreams(of: device, changes.map(\.characteristic))
    reportChanges(changes)
    report(.disconnected(devices.forget(device)))
  }

  private func isOfAdapter(_ device: RemoteDevice) -> Bool { daemon.isInUse(device.path.parent) }

  // MARK: Centrals

  package var connectedCentrals: [RadioCentral] {
    devices.inventory.connectedDevices.filter { isOfAdapter($0) && !isOutgoing($0.path) }
      .map { devices.central(at: $0.path) }
  }

  package func disconnect(_ central: CentralID) {
    let connected = devices.inventory.connectedDevices
    guard let device = connected.first(where: { isOfAdapter($0) && $0.address == central.rawValue }) else { return }
    start(.toDaemon(at: device.path, BlueZName.device, "Disconnect"))
  }

  // MARK: Bonds

  /// Sorted by path.
  private var bondedDevices: [RemoteDevice] {
    devices.inventory.devices.values.filter { isOfAdapter($0) && $0.hasBond }.sorted { $0.path < $1.path }
  }

  package var bonds: [RadioBond] {
    bondedDevices.map { device in
      RadioBond(
        address: device.address, isOwn: devices.bondsMade.contains(device.path), isConnected: device.isConnected)
    }
  }

  package func forgetBonds(with address: String?, _ completion: @escaping @Sendable (RadioFailure?) -> Void) {
    // bluetoothd takes 2 s to disconnect a device.
    Task { completion(await removeBonds(with: address, timeout: .seconds(10))) }
  }

  /// Removes a device from bluetoothd, or each device that has bonded since the radio's start: the other bonds of the
  /// adapter may serve other programs.
  ///
  /// - Returns: the last failure.
  func removeBonds(with address: String?, timeout: Duration = settleTimeout) async -> RadioFailure? {
    var last: RadioFailure?
    for device in bondedDevices {
      let isMeant = address.map { $0 == device.address } ?? devices.bondsMade.contains(device.path)
      guard isMeant, let adapter = device.path.parent else { continue }
      let call = MethodCall.toDaemon(at: adapter, BlueZName.adapter, "RemoveDevice", [.objectPath(device.path)])
      do throws(DBusFailure) {
        _ = try await connection.call(call, timeout: timeout)
      } catch { last = RadioFailure(error) }
    }
    return last
  }

  // MARK: Adapters

  /// The adapter in use.
  var adapter: Adapter? { daemon.adapter(in: devices.inventory) }

  private func adaptersChanged() {
    let adapter = daemon.owner == nil ? nil : adapter
    let usable = adapter.flatMap { $0.hasGATTManager && $0.advertising != nil ? $0 : nil }
    if let new = daemon.adapterChanged(to: adapter) {
      if !new.isOn { forgetCentralRole(isBusLost: false) }
      report(.state(new))
    }
    if let adapter, air.takeScanResponses(BluetoothDaemon(adapter).takesScanResponses), air.requested != nil {
      advertise(air.requested)
    }
    followKernel(adapter)
    applyDefaultInterval()
    register(on: usable.map { .init(adapter: $0.path, isPowered: $0.isPowered) })
    if options.powersOn, daemon.powersOn(adapter), let adapter { setPower(of: adapter.path, isFirstTry: true) }
  }

  // MARK: Power

  package func switchPower(on isOn: Bool, _ completion: @escaping @Sendable (RadioFailure?) -> Void) -> Bool {
    guard daemon.owner != nil, let adapter else { return false }
    daemon.switchPower(on: isOn)
    // Linux 6.1 ends bluetoothd where a connection attempt is under way when an adapter is switched off.
    if !isOn { forgetCentralRole(isBusLost: false) }
    connection.assumeIsolated { connection in
      _ = connection.start(.power(adapter.path, isOn: isOn)) { result in
        guard case .failure(let failure) = result else { return completion(nil) }
        completion(RadioFailure(failure))
      }
    }
    return true
  }

  /// A refusal is reported once and retried: rfkill may be lifted, bluetoothd may have been busy.
  private func setPower(of path: ObjectPath, isFirstTry: Bool) {
    start(.power(path, isOn: true)) { this, result in
      guard case .failure(let failure) = result, this.devices.inventory.adapters[path]?.isPowered == false else {
        return
      }
      if isFirstTry { this.report(.poweringFailed(adapter: path.lastElement, RadioFailure(failure))) }
      this.schedule(.power, after: .seconds(2)) { this in
        if this.daemon.retriesPower(of: path, in: this.devices.inventory) { this.setPower(of: path, isFirstTry: false) }
      }
    }
  }
}
