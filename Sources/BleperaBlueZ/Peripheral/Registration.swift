import BleperaBlueZProtocol
package import BleperaDBus

/// An application of services or an advertisement, by our own numbers. Applications come before advertisements.
package enum Registration: Hashable, Comparable, Sendable {
  case application(Int)
  case advertisement(Int)

  /// An advertisement needs a powered radio; services do not.
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

    package init(adapter: ObjectPath, isPowered: Bool) {
      self.adapter = adapter
      self.isPowered = isPowered
    }
  }

  package typealias Attempt = Int

  package enum Event: Hashable, Sendable {
    /// Nil while there is no adapter with both managers.
    case targetChanged(Target?)
    /// `after` are applications that are no longer wanted and whose handles the item takes over.
    case add(Registration, after: [Registration] = [])
    case remove(Registration)
    /// Several advertisements at once: those to remove, those to keep or add, and those among them whose content has
    /// changed.
    case replace(removed: [Registration], wanted: [Registration], changed: [Registration])
    /// Its content has changed, or a central has connected and so ended the advertising.
    case refresh(Registration)
    /// The daemon has dropped it.
    case released(Registration)
    case registered(Registration, Attempt)
    case failed(Registration, Attempt, DBusFailure)
    /// Whether it succeeded or not, bluetoothd no longer has it.
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
    /// It was registered and is off the air; it is registered again without a request.
    case didLose(Registration)
    /// It is no longer wanted and no longer registered.
    case didUnregister(Registration)
  }
}

extension DBusFailure {
  /// Whether trying again at once cannot help: bluetoothd has no room for another advertisement.
  var isFinal: Bool {
    guard case .remote(let error) = self else { return false }
    return error.bluez == .notPermitted
  }

  /// Whether bluetoothd may have the registration all the same: it was slow to answer, or it still has an older one.
  var mayLeaveRegistration: Bool {
    switch self {
    case .timedOut: true
    case .remote(let error): error.bluez == .alreadyExists
    case .cannotConnect, .disconnected, .cancelled, .refused: false
    }
  }
}
