import GATT

@testable import System

/// The radio that a system under test has, and the central on the other side.
protocol TestedRadio: Sendable {
  /// Starts what is made with the loop on the radio.
  func start(_ system: System) async throws
  /// Makes the system's radio leave without a word, as that of a process that is killed.
  func kill(_ system: System) async
  func close() async

  /// Makes the central find the phone and connect to it.
  func connect() async throws
  func read(_ characteristic: BluetoothUUID) async throws -> [UInt8]
  func write(_ value: [UInt8], to characteristic: BluetoothUUID) async throws
  /// As soon as the central has found it, where services have changed.
  func subscribe(to characteristic: BluetoothUUID) async throws
  /// The next value of it that arrives.
  func value(of characteristic: BluetoothUUID) async throws -> [UInt8]
}
