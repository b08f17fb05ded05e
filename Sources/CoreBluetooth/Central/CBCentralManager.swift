/// Scans for peripherals and connects to them. blepera has no central role for apps yet: the state is
/// ``CBManagerState/unsupported``, and all calls are logged as API MISUSE and have no effect.
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
  private let lock = NSLock()
  private var storedState = CBManagerState.unknown

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
    super.init()
    self.delegate = delegate
    let reference = Reference(manager: self)
    (queue ?? .main).async {
      guard let manager = reference.manager else { return }
      manager.lock.withLock { manager.storedState = .unsupported }
      manager.delegate?.centralManagerDidUpdateState(manager)
    }
  }

  private struct Reference: @unchecked Sendable {  // used once, on the manager's queue
    weak var manager: CBCentralManager?
  }

  open override var state: CBManagerState { lock.withLock { storedState } }

  /// Whether the manager scans: never.
  open var isScanning: Bool { false }

  /// Whether the device has the features: it has none.
  ///
  /// - Parameter features: The features.
  open class func supports(_ features: CBCentralManager.Feature) -> Bool { features.isEmpty }

  /// Returns no peripheral.
  ///
  /// - Parameter identifiers: The identifiers of known peripherals.
  open func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] {
    misuse()
    return []
  }

  /// Returns no peripheral.
  ///
  /// - Parameter serviceUUIDs: The services of connected peripherals.
  open func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID]) -> [CBPeripheral] {
    misuse()
    return []
  }

  /// Has no effect.
  ///
  /// - Parameters:
  ///   - serviceUUIDs: The services to scan for; nil for all.
  ///   - options: How to scan.
  open func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]? = nil) { misuse() }

  /// Has no effect.
  open func stopScan() { misuse() }

  /// Has no effect.
  ///
  /// - Parameters:
  ///   - peripheral: The peripheral.
  ///   - options: How to connect.
  open func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) { misuse() }

  /// Has no effect.
  ///
  /// - Parameter peripheral: The peripheral.
  open func cancelPeripheralConnection(_ peripheral: CBPeripheral) { misuse() }

  /// Has no effect.
  ///
  /// - Parameter options: Which events are reported.
  open func registerForConnectionEvents(options: [CBConnectionEventMatchingOption: Any]? = nil) { misuse() }

  private func misuse() {
    Misuse.log("API MISUSE: \(self) can only accept this command while in the powered on state")
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
