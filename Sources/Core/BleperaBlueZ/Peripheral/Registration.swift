import BleperaBlueZProtocol
package import BleperaDBus

/// A GATT application or an advertisement, by our own numbers. Applications sort before advertisements.
package enum Registration: Hashable, Comparable, Sendable {
  case application(Int)
  case advertisement(Int)

  /// Whether this is an advertisement, which needs a powered radio; applications do not.
  package var isAdvertisement: Bool {
    switch self {
    case .application: false
    case .advertisement: true
    }
  }
}

extension RegistrationMachine {
  /// The adapter to register with.
  package struct Target: Hashable, Sendable {
    package let adapter: ObjectPath
    package let isPowered: Bool
  }

  package typealias Attempt = Int

  package enum Event: Hashable, Sendable {
    /// Nil while no adapter has both managers.
    case targetChanged(Target?)
    /// Whether there are applications that are not added yet, for which advertisements wait.
    case expectsApplications(Bool)
    /// `after`: unwanted applications whose handles the item takes over.
    case add(Registration, after: [Registration] = [])
    case remove(Registration)
    /// Replaces several advertisements at once: `removed`, `wanted` to keep or add, and `changed`, the wanted
    /// advertisements with new content.
    case replace(removed: [Registration], wanted: [Registration], changed: [Registration])
    /// The content has changed, or a connection has stopped the advertising.
    case refresh(Registration)
    /// The daemon has dropped the item.
    case released(Registration)
    case registered(Registration, Attempt)
    case failed(Registration, Attempt, DBusFailure)
    /// bluetoothd no longer has the item, whether the call succeeded or not.
    case unregistered(Registration, Attempt)
    case retryDue(Registration, Attempt)
  }

  package enum Action: Hashable, Sendable {
    case register(Registration, on: ObjectPath, Attempt)
    case unregister(Registration, on: ObjectPath, Attempt)
    case retry(Registration, Attempt, after: Duration)
    case didRegister(Registration)
    /// `count` is the number of failures in a row, from 1.
    case didFail(Registration, DBusFailure, count: Int)
    /// A registered item is off the air; it is registered again without a request.
    case didLose(Registration)
    /// The item is no longer wanted and no longer registered.
    case didUnregister(Registration)
  }
}

extension DBusFailure {
  /// Whether an immediate retry cannot help: bluetoothd has no room for another advertisement.
  var isFinal: Bool {
    guard case .remote(let error) = self else { return false }
    return error.bluez == .notPermitted
  }

  /// Whether bluetoothd may have a registration despite the failure: the reply timed out, or an older one still exists.
  var mayLeaveRegistration: Bool {
    switch self {
    case .timedOut: true
    case .remote(let error): error.bluez == .alreadyExists
    case .cannotConnect, .disconnected, .cancelled, .refused: false
    }
  }
}
