import BleperaBluetooth
import BleperaDBus
import BleperaEventLoop

/// The radio's use of the kernel's management interface, beside bluetoothd.
struct BlueZKernel {
  /// The socket of `exact`, for its commands, their replies, and events.
  var socket: ManagementSocket?
  var source: EventSource?
  /// The adapter that was last in use; the kernel has it also while bluetoothd does not run.
  private(set) var adapter: (path: ObjectPath, address: String, index: UInt16)?
  /// Whether `adapter` advertises under private addresses; false while unknown.
  var hasPrivacy = false
  /// Whether this process has no Bluetooth sockets.
  private(set) var isMissing = false
  var exact = ExactAdvertising()
  /// Why packets are not exact although exact packets were requested.
  var obstacle: ManagementFailure?
  var keeper: InstanceKeeper?
  private let memory: KernelMemory?
  private var changes = KernelChanges()
  /// The adapter's default interval; nil if unknown.
  private(set) var defaultInterval: AdvertisingInterval?
  private var mayNotSetDefault = false

  init(memory: KernelMemory?) { self.memory = memory }

  func has(_ other: Adapter) -> Bool { adapter?.path == other.path && adapter?.address == other.address }

  /// - Returns: the settings of the adapter.
  mutating func find(_ new: Adapter) throws(ManagementFailure) -> AdapterSettings {
    let (index, settings) = try ManagementSocket().find(new)
    adapter = (new.path, new.address, index)
    hasPrivacy = settings.hasPrivacy
    if let text = memory?.load(new.address) { changes = KernelChanges(text: text, boot: KernelMemory.boot) }
    removeFormerInstances(counted: new.advertising?.activeInstances ?? 0)
    readDefaultInterval()
    return settings
  }

  mutating func adapterNotFound(_ failure: ManagementFailure) {
    isMissing = failure == .noBluetooth || failure == .otherNamespace
  }

  mutating func removeAdapter() {
    (adapter, defaultInterval, mayNotSetDefault) = (nil, nil, false)
    changes = KernelChanges()
  }

  private func saveChanges() {
    if let adapter { memory?.save(adapter.address, changes.text(boot: KernelMemory.boot)) }
  }

  // MARK: Instances

  /// The instances that are the phone's from now on.
  mutating func hold(_ instances: Set<UInt8>) {
    changes.hold(instances)
    saveChanges()
  }

  /// Has the keeper remove the instances when the phone's process ends.
  func keepInstances() {
    guard let adapter else { return }
    // An older kernel may perform only the first of several commands, and the highest number is what sends packets.
    let commands = changes.instances.sorted(by: >).map { ManagementCommand.removeAdvertising(instance: $0) }
    keeper?.hold(commands, of: adapter.index)
  }

  /// Removes the instances that a former process of the phone has left, if both it and its keeper were killed, except
  /// instances that can be bluetoothd's by its count.
  private mutating func removeFormerInstances(counted: Int) {
    guard let adapter, !changes.instances.isEmpty else { return }
    for instance in changes.instances where counted < instance {
      _ = try? ManagementSocket().ask(.removeAdvertising(instance: instance), of: adapter.index)
    }
    hold([])
  }

  // MARK: The default interval

  /// Sets the interval of advertisements, if this process may.
  mutating func apply(_ requested: AdvertisingInterval) {
    guard let current = readDefaultInterval(), current != requested, !mayNotSetDefault else { return }
    let old = changes
    changes.beginSetting(requested, over: current)
    saveChanges()
    if setDefaultInterval(requested) { return }
    mayNotSetDefault = true
    changes = old
    saveChanges()
  }

  /// Restores the interval that was set before the phone, unless another program has changed it.
  mutating func restoreDefaultInterval() {
    guard adapter != nil, changes.formerInterval != nil else { return }
    let current = readDefaultInterval()
    if let former = changes.endSetting(over: current) { _ = setDefaultInterval(former) }
    saveChanges()
  }

  @discardableResult
  private mutating func readDefaultInterval() -> AdvertisingInterval? {
    guard let adapter, let reply = try? ManagementSocket().ask(.readDefaults, of: adapter.index) else { return nil }
    defaultInterval = ManagementCommand.defaultInterval(in: reply)
    return defaultInterval
  }

  private mutating func setDefaultInterval(_ interval: AdvertisingInterval) -> Bool {
    guard let adapter, (try? ManagementSocket().ask(.setDefaultInterval(interval), of: adapter.index)) != nil else {
      return false
    }
    defaultInterval = interval
    return true
  }
}
