import BleperaBluetooth

@testable import BleperaPhone

/// The radio that a system under test has, and the central on the other side.
protocol TestedRadio: Sendable {
  /// Starts what is made with the loop on the radio.
  func start(_ system: EmulatedPhone) async throws
  /// Makes the system's radio leave without a word, as that of a process that is killed.
  func kill(_ system: EmulatedPhone) async
  func close() async

  /// Ends bluetoothd as it is stopped, or starts it.
  func runDaemon(_ isRunning: Bool) async throws
  /// Pulls the phone's adapter out, or puts it back.
  func plug(_ isIn: Bool) async

  /// Makes the central find the phone and connect to it.
  func connect() async throws
  func read(_ characteristic: BluetoothUUID) async throws -> [UInt8]
  func write(_ value: [UInt8], to characteristic: BluetoothUUID) async throws
  /// Subscribes once the central has discovered the characteristic, after services have changed.
  func subscribe(to characteristic: BluetoothUUID) async throws
  /// The next value of it that arrives.
  func value(of characteristic: BluetoothUUID) async throws -> [UInt8]
}
