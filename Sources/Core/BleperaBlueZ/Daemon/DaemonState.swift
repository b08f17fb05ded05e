import BleperaDBus
import BleperaRadio

/// bluetoothd as the radio knows it, and the adapter in use with its power.
struct DaemonState: Sendable {
  /// `hci1`; nil for the first powered adapter, or the first.
  let wanted: String?
  /// The identifier of this run of the message bus; nil while it is unknown.
  private var bus: String?
  /// The unique name of bluetoothd; nil while it is not running.
  private(set) var owner: BusName?
  /// The known crashes that may have ended bluetoothd; nil while it runs, or if there are none.
  private var crash: String?
  /// The state that was reported last.
  private(set) var radio: RadioState?
  /// Whether the user has switched the adapter off, so that the radio switches it on again when it ends.
  private(set) var isSwitchedOff = false
  /// The adapter whose power has been looked at since it appeared.
  private var appeared: ObjectPath?

  init(wanted: String?) { self.wanted = wanted }

  mutating func attach(to bus: String?) { self.bus = bus }

  /// - Returns: whether everything known about bluetoothd's objects is out of date.
  mutating func ownerChanged(to new: BusName?, after crash: String? = nil) -> Bool {
    defer { (owner, self.crash) = (new, new == nil ? crash : nil) }
    return owner != nil || new == nil
  }

  /// Names the run of bluetoothd that has the adapter; nil while it is unknown.
  func run(of adapter: ObjectPath) -> String? {
    guard let bus, let owner else { return nil }
    return "\(bus) \(owner) \(adapter.lastElement)"
  }

  /// The adapter in use, which stays selected while it is present, powered or not.
  func adapter(in inventory: Inventory) -> Adapter? {
    if let wanted { return inventory.adapter(named: wanted) }
    return radio?.adapter.flatMap { inventory.adapter(named: $0) } ?? inventory.adapter(named: nil)
  }

  func isInUse(_ adapter: ObjectPath?) -> Bool { adapter?.lastElement == radio?.adapter }

  /// - Returns: the new state of the radio; nil if it is as before.
  mutating func adapterChanged(to adapter: Adapter?) -> RadioState? {
    let new = owner == nil ? .noDaemon(crash: crash) : RadioState(adapter: adapter, wanted: wanted)
    guard new != radio else { return nil }
    radio = new
    return new
  }

  // MARK: Power

  mutating func switchPower(on isOn: Bool) { isSwitchedOff = !isOn }

  /// Whether the adapter is to be powered on: once when it appears, because an adapter that the user switches off later
  /// stays off.
  mutating func powersOn(_ adapter: Adapter?) -> Bool {
    guard adapter?.path != appeared else { return false }
    appeared = adapter?.path
    return adapter?.isPowered == false
  }

  /// Whether a refusal to power the adapter on is retried.
  func retriesPower(of adapter: ObjectPath, in inventory: Inventory) -> Bool {
    appeared == adapter && inventory.adapters[adapter]?.isPowered == false
  }
}

extension RadioState {
  init(adapter: Adapter?, wanted: String?) {
    self =
      switch adapter {
      case nil: .noAdapter(wanted: wanted)
      case let adapter?: adapter.isPowered ? .poweredOn(adapter: adapter.name) : .poweredOff(adapter: adapter.name)
      }
  }
}
