public import BleperaBluetooth

/// Why an action of a story failed.
public enum StoryFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The action did not complete within that time.
  case timedOut(Duration)
  /// The central is not connected.
  case notConnected
  /// The connection ended before the phone responded.
  case linkLost
  /// The phone's message bus is lost permanently.
  case noBus
  /// The central has not discovered the characteristic on the connected phone.
  case noCharacteristic(BluetoothUUID)
  /// The phone responded with an error.
  case refused(ATTError)
  /// The central is not paired, and the request needs an encrypted link.
  case notPaired
  /// The phone has no L2CAP channel of that number.
  case noChannel
  /// The radio, or the connection to it, has failed.
  case radio(String)
  /// The phone cannot perform the action.
  case phone(String)
  /// The accessory cannot be made, or has no such characteristic.
  case accessory(String)
  /// The central cannot perform the action.
  case central(String)
  /// The profile has errors; each as `blepera check` prints it.
  case faultyProfile([String])

  public var description: String {
    switch self {
    case .timedOut(let limit): "it did not happen within \(limit)"
    case .notConnected: "the central is not connected"
    case .linkLost: "the connection ended before the phone responded"
    case .noBus: "the message bus has ended, and bluetoothd cannot run without a bus"
    case .noCharacteristic(let uuid): "the central has found no characteristic \(uuid)"
    case .refused(let error): "the phone refused: \(error)"
    case .notPaired: "the central is not paired, and the link has to be encrypted"
    case .noChannel: "the phone has no L2CAP channel with that PSM"
    case .radio(let reason), .phone(let reason), .accessory(let reason), .central(let reason): reason
    case .faultyProfile(let faults): "the profile has errors:\n" + faults.joined(separator: "\n")
    }
  }
}

extension StoryFailure {
  init(_ failure: ProcedureFailure) {
    switch failure {
    case .att(let error): self = .refused(error)
    case .notConnected: self = .notConnected
    case .disconnected: self = .linkLost
    case .pairing: self = .notPaired
    case .channel(.unknownPSM): self = .noChannel
    case .channel(.notEncrypted): self = .notPaired
    case .channel(.other(let result)): self = .central("the channel is refused with the result \(result)")
    case .channel(.unanswered): self = .central("the request for a channel is not answered")
    }
  }
}
