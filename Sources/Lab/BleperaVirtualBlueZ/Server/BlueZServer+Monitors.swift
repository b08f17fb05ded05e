import BleperaAir
import BleperaBlueZProtocol
import BleperaBluetooth
import BleperaDBus
import BleperaHost
import BleperaLoop

/// AdvertisementMonitorManager1, and calls to monitors (BlueZ src/adv_monitor.c).
extension BlueZServer {
  func registerMonitors(at path: ObjectPath?, of sender: BusName, on adapter: AdapterID, _ call: IncomingCall) {
    guard let path else { return refuse(call, .invalidArguments) }
    let root = MonitorRoot(adapter: adapter, owner: sender, path: path)
    guard monitors[root] == nil else { return refuse(call, .alreadyExists) }
    monitors[root] = RegisteredMonitors()
    // A program may export monitors later too, so its signals are followed first.
    follow(sender, of: .objectManager, at: path) { this, signal in
      this.received(signal, from: root)
    } token: { this, token in
      guard this.monitors[root] != nil else { return this.unfollow([token]) }
      this.monitors[root]?.tokens.append(token)
      // A program without objects is registered too.
      this.call(sender, "GetManagedObjects", of: .objectManager, at: path) { this, result in
        guard this.monitors[root] != nil else { return this.refuse(call, .failed("Adv Monitor app destroyed")) }
        this.reply(call, .success([]))
        guard case .dictionary(let objects)? = (try? result.get())?.first else { return }
        for entry in objects.entries { this.addMonitor(entry.key, entry.value, to: root) }
      }
    }
  }

  func unregisterMonitors(at path: ObjectPath?, of sender: BusName, on adapter: AdapterID, _ call: IncomingCall) {
    guard let path else { return refuse(call, .invalidArguments) }
    let root = MonitorRoot(adapter: adapter, owner: sender, path: path)
    guard monitors[root] != nil else { return refuse(call, .doesNotExist) }
    releaseMonitors(of: root)
    reply(call, .success([]))
  }

  /// Releases monitors as bluetoothd does when a program unregisters them, or when the adapter or the server ends.
  func releaseMonitors(of root: MonitorRoot) {
    for path in (monitors[root]?.active.keys).map({ $0.sorted() }) ?? [] { callMonitor("Release", at: path, of: root) }
    forgetMonitors(of: root)
  }

  func forgetMonitors(of root: MonitorRoot) {
    guard let registered = monitors.removeValue(forKey: root) else { return }
    unfollow(registered.tokens)
    listen(root.adapter)
  }

  private func received(_ signal: Signal, from root: MonitorRoot) {
    guard signal.arguments.count == 2 else { return }
    switch signal.member {
    case "InterfacesAdded": addMonitor(signal.arguments[0], signal.arguments[1], to: root)
    case "InterfacesRemoved":
      guard let path = signal.arguments[0].path,
        signal.arguments[1].stringArray?.contains(BlueZName.monitor.rawValue) == true
      else { return }
      monitors[root]?.active[path] = nil
      listen(root.adapter)
    default: break
    }
  }

  /// - Parameter interfaces: the interfaces of an object with their properties; others than AdvertisementMonitor1 are
  ///   ignored.
  private func addMonitor(_ path: DBusValue, _ interfaces: DBusValue, to root: MonitorRoot) {
    guard let path = path.path, monitors[root]?.active[path] == nil,
      let properties = interfaces.dictionary?.entries.first(where: { $0.key.text == BlueZName.monitor.rawValue })?
        .value.asProperties
    else { return }
    guard let monitor = AdvertisementMonitor(properties: properties) else {
      return callMonitor("Release", at: path, of: root)
    }
    monitors[root]?.active[path] = ActiveMonitor(monitor)
    callMonitor("Activate", at: path, of: root)
    listen(root.adapter)
  }

  private func callMonitor(
    _ member: MemberName, at path: ObjectPath, of root: MonitorRoot, device: ObjectPath? = nil
  ) {
    call(
      root.owner, member, of: BlueZName.monitor, at: path, with: device.map { [.objectPath($0)] } ?? [],
      expectsReply: false)
  }

  // MARK: Devices

  /// Discovery scans actively, monitors alone scan passively.
  func listen(_ adapter: AdapterID) {
    guard let state = adapterStates[adapter] else { return }
    let isOn = air.adapters[adapter]?.isPowered == true
    let isMonitored = isOn && monitors.contains { $0.key.adapter == adapter && !$0.value.active.isEmpty }
    let window = !state.clients.isEmpty ? ScanWindow() : isMonitored ? .ofMonitors : nil
    guard window != state.scan else { return }
    adapterStates[adapter]?.scan = window
    run(.linkLayer(adapter, .scan(window)))
  }

  /// The monitors of an adapter that an advertisement matches.
  func monitors(at adapter: AdapterID, for structures: [ADStructure]) -> [(root: MonitorRoot, path: ObjectPath)] {
    guard !monitors.isEmpty else { return [] }
    return monitors.filter { $0.key.adapter == adapter }.flatMap { root, registered in
      registered.active.filter { $0.value.monitor.matches(structures) }.map { (root, $0.key) }
    }.sorted { $0.path < $1.path }
  }

  func report(_ key: DeviceKey, _ rssi: Int, to matching: [(root: MonitorRoot, path: ObjectPath)]) {
    guard let device = devices[key]?.path else { return }
    for (root, path) in matching {
      guard let thresholds = monitors[root]?.active[path]?.monitor.thresholds else {
        callMonitor("DeviceFound", at: path, of: root, device: device)
        continue
      }
      track(key, by: root, path) { $0.received(rssi, at: $1, thresholds) }
      guard monitors[root]?.active[path]?.devices[key]?.state.isFound == true else { continue }
      monitors[root]?.active[path]?.devices[key]?.expiry = later(after: thresholds.lowTime) { this in
        this.track(key, by: root, path) { $0.expired(at: $1, thresholds) }
      }
    }
  }

  private func track(
    _ key: DeviceKey, by root: MonitorRoot, _ path: ObjectPath,
    _ change: (inout MonitoredDevice, Duration) -> MonitoredDevice.Change?
  ) {
    guard let device = devices[key]?.path, var entry = monitors[root]?.active[path]?.devices[key, default: .init()]
    else { return }
    entry.expiry = nil
    let found = change(&entry.state, now)
    monitors[root]?.active[path]?.devices[key] = entry
    if let found { callMonitor(found == .found ? "DeviceFound" : "DeviceLost", at: path, of: root, device: device) }
  }

  /// The devices that monitors have found are lost with the power (`btd_adv_monitor_power_down`).
  func loseMonitored(at adapter: AdapterID) {
    for (root, registered) in monitors where root.adapter == adapter {
      for (path, monitor) in registered.active {
        for (key, device) in monitor.devices where device.state.isFound {
          callMonitor("DeviceLost", at: path, of: root, device: devices[key]?.path)
          monitors[root]?.active[path]?.devices[key] = nil
        }
      }
    }
  }

  /// A device that is removed is neither found nor lost.
  func forgetMonitored(_ key: DeviceKey) {
    for (root, registered) in monitors {
      for path in registered.active.keys { monitors[root]?.active[path]?.devices[key] = nil }
    }
  }
}

extension ScanWindow {
  /// The kernel's window for advertisement monitors (`le_scan_int_adv_monitor`, `le_scan_window_adv_monitor`).
  fileprivate static let ofMonitors = ScanWindow(
    interval: .milliseconds(60), window: .milliseconds(30), isActive: false)
}

/// The path with which a program has called RegisterMonitor.
struct MonitorRoot: Hashable, Sendable {
  let adapter: AdapterID
  let owner: BusName
  let path: ObjectPath
}

/// The monitors below a path.
struct RegisteredMonitors: Sendable {
  var active: [ObjectPath: ActiveMonitor] = [:]
  var tokens: [Int] = []
}

struct ActiveMonitor: Sendable {
  struct Device: Sendable {
    var state = MonitoredDevice()
    /// The timer after which the device counts as lost.
    var expiry: (any LoopTimer)?
  }

  let monitor: AdvertisementMonitor
  /// The devices that a monitor with thresholds has discovered.
  var devices: [DeviceKey: Device] = [:]

  init(_ monitor: AdvertisementMonitor) { self.monitor = monitor }
}
