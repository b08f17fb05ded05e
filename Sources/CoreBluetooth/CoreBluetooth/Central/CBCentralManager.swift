import BleperaAppLink
import BleperaBluetooth

/// Scans for peripherals, and connects to them.
///
/// All calls but `init` need the state ``CBManagerState/poweredOn``; before that they are logged as API MISUSE and have
/// no effect, as on iOS. A manager that is deallocated stops scanning and gives up its connections.
open class CBCentralManager: CBManager {
  /// The features that a device may support.
  public struct Feature: OptionSet, Sendable {
    public let rawValue: UInt

    /// - Parameter rawValue: The bits of the features.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Scanning for extended advertisements, and connecting by them.
    public static var extendedScanAndConnect: CBCentralManager.Feature { Self(rawValue: 1) }

    /// Measuring the distance to a peripheral. The value comes from .NET's bindings: Apple's pages have none.
    public static var channelSounding: CBCentralManager.Feature { Self(rawValue: 1 << 10) }
  }

  /// Receives the callbacks.
  open weak var delegate: (any CBCentralManagerDelegate)?
  private var link: CentralAppLink!

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
  ///   - options: `CBCentralManagerOptionRestoreIdentifierKey` opts in to state restoration, which needs the background
  ///     mode `bluetooth-central`: without that mode the process ends, as on iOS. The other options have no effect.
  public init(delegate: (any CBCentralManagerDelegate)?, queue: dispatch_queue_t?, options: [String: Any]? = nil) {
    super.init()
    self.delegate = delegate
    let session = AppSession.current
    link = CentralAppLink(self, session, queue: queue)
    session.add(link, .central, restoreIdentifier: options?[CBCentralManagerOptionRestoreIdentifierKey] as? String)
  }

  deinit { link?.close() }

  open override var state: CBManagerState { link.state }

  /// Whether the manager scans: from the call until ``stopScan()``, or until Bluetooth is off.
  open var isScanning: Bool { link.isScanning }

  /// Whether the device has the features: it has none.
  ///
  /// - Parameter features: The features.
  open class func supports(_ features: CBCentralManager.Feature) -> Bool { features.isEmpty }

  // MARK: Scanning

  /// Scans, and replaces the scan before. Each peripheral is reported once, unless the options say otherwise.
  ///
  /// - Parameters:
  ///   - serviceUUIDs: The services to scan for; a peripheral has to advertise at least one. Nil for all peripherals,
  ///     which has no results in the background.
  ///   - options: `CBCentralManagerScanOptionAllowDuplicatesKey`, which has no effect in the background, and
  ///     `CBCentralManagerScanOptionSolicitedServiceUUIDsKey`.
  open func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]? = nil) {
    if link.mayCall() { link.scan(ScanRequest(serviceUUIDs, options)) }
  }

  /// Stops scanning.
  open func stopScan() { if link.mayCall() { link.stopScan() } }

  // MARK: Peripherals

  /// Returns the peripherals that the phone knows, in no particular order; they need not be in range.
  ///
  /// - Parameter identifiers: The identifiers of peripherals.
  open func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] {
    link.retrieve(.retrievePeripherals(identifiers.map { PeripheralID(rawValue: $0.uuidString) }))
  }

  /// Returns the peripherals that the phone is connected to for any app; this app has to connect before it uses one.
  ///
  /// - Parameter serviceUUIDs: The services; a peripheral has to have at least one.
  open func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID]) -> [CBPeripheral] {
    link.retrieve(.retrieveConnectedPeripherals(serviceUUIDs.map(\.uuid)))
  }

  /// Connects, and waits for the peripheral without a limit. The response is `centralManager(_:didConnect:)` or
  /// `centralManager(_:didFailToConnect:error:)`.
  ///
  /// - Parameters:
  ///   - peripheral: A peripheral of this manager.
  ///   - options: The options whose names begin with `CBConnectPeripheralOption`.
  open func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) { link.connect(peripheral, options) }

  /// Ends the app's use of a connection, or the wait for one; the response is the callback of a disconnection, without
  /// an error. The phone stays connected while another app or manager uses the peripheral.
  ///
  /// - Parameter peripheral: A peripheral of this manager; ignored unless connecting or connected.
  open func cancelPeripheralConnection(_ peripheral: CBPeripheral) { link.cancel(peripheral) }

  /// Reports when matching peripherals are connected or disconnected by any app:
  /// `centralManager(_:connectionEventDidOccur:for:)`.
  ///
  /// - Parameter options: Which events are reported; nil to stop reporting.
  open func registerForConnectionEvents(options: [CBConnectionEventMatchingOption: Any]? = nil) {
    if link.mayCall() { link.register(options.map { ConnectionEventMatching($0) }) }
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
