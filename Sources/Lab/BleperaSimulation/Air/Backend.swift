package import BleperaBluetooth
package import BleperaLoop
package import BleperaPhone

/// The implementation of an air: a clock, and radios for phones and centrals.
package protocol Backend: Sendable {
  var loop: any ActorLoop { get }

  /// This backend if virtual, which supports faults; nil for real adapters.
  var virtual: VirtualBackend? { get }

  /// Lets time pass; everything that becomes due happens at its own time.
  func advance(by duration: Duration) async

  /// Runs `body` on the loop, and returns when `body` has run; no time passes on a virtual clock.
  func perform<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value

  /// Runs `body` on the loop until `body` has finished; nil if cancelled at the time limit. Blocks the thread.
  func wait<Value: Sendable>(
    within limit: Duration, _ body: @escaping @Sendable () async throws -> Value
  ) -> Result<Value, any Error>?

  /// Like `wait`, without blocking the thread.
  func finish<Value: Sendable>(
    within limit: Duration, _ body: @escaping @Sendable () async throws -> Value
  ) async -> Result<Value, any Error>?

  /// Adds a radio for a phone.
  func addPhone(named name: String, _ settings: PhoneSettings) throws(StoryFailure) -> PhonePlace

  /// Adds a radio for a central, which reports events on the loop.
  ///
  /// - Parameter mtu: The requested ATT_MTU, in `ATTMTU.range`; nil for the radio's own.
  func addCentral(
    named name: String, as kind: Central.Kind, mtu: Int?, report: @escaping @Sendable (CentralEvent) -> Void
  ) throws(StoryFailure) -> CentralPlace

  /// Takes everything off the air.
  func close() async
}

/// The radio of a phone before a system uses it.
package struct PhonePlace: Sendable {
  /// The identity address: `00:AA:01:00:00:00`.
  package let address: String
  /// Nil for a radio that uses its identity address.
  package let key: IdentityResolvingKey?
  package let start: @Sendable (EmulatedPhone) async throws -> Void

  package init(
    address: String, key: IdentityResolvingKey? = nil,
    start: @escaping @Sendable (EmulatedPhone) async throws -> Void
  ) {
    self.address = address
    self.key = key
    self.start = start
  }
}

/// The radio of a central, and its address.
package struct CentralPlace: Sendable {
  package let address: String
  package let radio: any CentralRadio

  package init(address: String, radio: any CentralRadio) {
    self.address = address
    self.radio = radio
  }
}
