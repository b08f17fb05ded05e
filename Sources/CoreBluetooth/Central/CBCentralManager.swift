import BleperaAppLink
import BleperaBluetooth

/// Scans for peripherals and connects to them. The state is the phone's, but blepera has no central role for apps yet: no
/// peripheral is ever found. The first call that a peripheral would have to answer logs this.
open class CBCentralManager: CBManager {
  /// What a device may be able to do.
  public struct Feature: OptionSet, Sendable {
    public let rawValue: UInt

    /// - Parameter rawValue: The bits of the features.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Scanning for extended advertisements, and connecting by them.
    public static var extendedScanAndConnect: CBCentralManager.Feature { Self(rawValue: 1) }
  }

  /// Receives the callbacks.
  open weak var delegate: (any CBCentralManagerDelegate)?
  private let session: AppSession
  private let queue: DispatchQueue
  private let lock = NSLock()
  private var storedState = CBManagerState.unknown
  private var storedIsScanning = false
  private var hasLogged = false

  /// Creates a manager without a delegate.
  public override convenience init() { self.init(delegate: nil, queue: nil, options: nil) }

  /// - Parameters:
  ///   - delegate: Receives the callbacks.
  ///   - queue: The queue of the callbacks; nil for the main queue.
  public convenience init(delegate: (any CBCentralManagerDelegate)?, queue: dispatch_queue_t?) {
    self.init(delegate: delegate, queue: queue, options: nil)
  }

  /// - Parameters:
  ///   - delegate: Receives the callbacks.
  ///   - queue: The queue of the callbacks; nil for the main queue.
  ///   - options: Have no effect.
  public init(delegate: (any CBCentralManagerDelegate)?, queue: dispatch_queue_t?, options: [String: Any]? = nil) {
    self.delegate = delegate
    self.queue = queue ?? .main
    session = .current
    super.init()
    session.add(self)
  }

  /// Reports the phone's state to the app, where it is known by then.
  func follow(_ state: @escaping @Sendable () -> ManagerState) {
    let reference = Reference(manager: self)
    session.call(on: queue) {
      guard let manager = reference.manager, let state = CBManagerState(rawValue: state().rawValue), state != .unknown
      else { return }
      let isNew = manager.lock.withLock {
        defer { manager.storedState = state }
        if state != .poweredOn { manager.storedIsScanning = false }
        return manager.storedState != state
      }
      if isNew { manager.delegate?.centralManagerDidUpdateState(manager) }
    }
  }

  private struct Reference: @unchecked Sendable {  // used once, on the manager's queue
    weak var manager: CBCentralManager?
  }

  open override var state: CBManagerState { lock.withLock { storedState } }

  /// Whether the app has asked to scan.
  open var isScanning: Bool { lock.withLock { storedIsScanning } }

  /// Whether the device has the features: it has none.
  ///
  /// - Parameter features: The features.
  open class func supports(_ features: CBCentralManager.Feature) -> Bool { features.isEmpty }

  /// Returns no peripheral.
  ///
  /// - Parameter identifiers: The identifiers of known peripherals.
  open func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] {
    _ = mayCall()
    return []
  }

  /// Returns no peripheral.
  ///
  /// - Parameter serviceUUIDs: The services of connected peripherals.
  open func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID]) -> [CBPeripheral] {
    _ = mayCall()
    return []
  }

  /// Scans, and finds nothing.
  ///
  /// - Parameters:
  ///   - serviceUUIDs: The services to scan for; nil for all.
  ///   - options: How to scan.
  open func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]? = nil) {
    if mayCall() { lock.withLock { storedIsScanning = true } }
  }

  /// Stops scanning.
  open func stopScan() {
    if mayCall(needsPeripherals: false) { lock.withLock { storedIsScanning = false } }
  }

  /// Waits for the peripheral without end, as for one that is out of range.
  ///
  /// - Parameters:
  ///   - peripheral: The peripheral.
  ///   - options: How to connect.
  open func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) { _ = mayCall() }

  /// Has no effect.
  ///
  /// - Parameter peripheral: The peripheral.
  open func cancelPeripheralConnection(_ peripheral: CBPeripheral) { _ = mayCall(needsPeripherals: false) }

  /// Has no effect.
  ///
  /// - Parameter options: Which events are reported.
  open func registerForConnectionEvents(options: [CBConnectionEventMatchingOption: Any]? = nil) { _ = mayCall() }

  /// Whether Bluetooth is on; logs the misuse otherwise, and once that there are no peripherals.
  private func mayCall(needsPeripherals: Bool = true) -> Bool {
    guard state == .poweredOn else {
      Misuse.log("API MISUSE: \(self) can only accept this command while in the powered on state")
      return false
    }
    let isFirst = lock.withLock {
      defer { hasLogged = hasLogged || needsPeripherals }
      return needsPeripherals && !hasLogged
    }
    if isFirst { Misuse.log("WARNING: \(self) finds no peripheral: blepera has no central role for apps yet") }
    return true
  }

  open override var description: String { "<\(Self.self): \(Address.of(self))>" }
}

/// A connection or disconnection of a peripheral by any app.
public enum CBConnectionEvent: Int, Hashable, Sendable {
  /// The peripheral was disconnected.
  case peerDisconnected = 0
  /// The peripheral was connected.
  case peerConnected = 1
}

/// Which connection events are reported.
public struct CBConnectionEventMatchingOption: RawRepresentable, Hashable, Sendable {
  public let rawValue: String

  /// - Parameter rawValue: The name of the option.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The services of the peripherals, an array of `CBUUID`.
  public static let serviceUUIDs = CBConnectionEventMatchingOption(
    rawValue: "kCBConnectionEventMatchingOptionServiceUUIDs")
  /// The identifiers of the peripherals, an array of `UUID`.
  public static let peripheralUUIDs = CBConnectionEventMatchingOption(
    rawValue: "kCBConnectionEventMatchingOptionPeripheralUUIDs")
}
