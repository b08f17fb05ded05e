/// Why something in a story came to nothing.
public enum StoryFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// It did not happen within that time.
  case tooLate(Duration)
  case notConnected
  /// The connection has ended before the phone answered.
  case linkLost
  /// The phone's message bus is gone for good.
  case noBus
  /// The connected phone has no such characteristic, as far as the central knows.
  case noCharacteristic(BluetoothUUID)
  /// The phone has answered with it.
  case refused(ATTError)
  /// It is not paired, and what is asked for needs a link that is encrypted.
  case notPaired
  /// The radio, or the way to it, is at fault.
  case radio(String)
  /// The phone cannot do it.
  case phone(String)
  /// The central cannot do it.
  case central(String)
  /// The profile has faults; each as `blepera check` prints it.
  case faultyProfile([String])

  public var description: String {
    switch self {
    case .tooLate(let limit): "it did not happen within \(limit)"
    case .notConnected: "the central is not connected"
    case .linkLost: "the connection has ended before the phone answered"
    case .noBus: "the message bus is gone for good, and there can be no bluetoothd without one"
    case .noCharacteristic(let uuid): "the central has found no characteristic \(uuid)"
    case .refused(let error): "the phone refused: \(error)"
    case .notPaired: "the central is not paired, and the link has to be encrypted"
    case .radio(let reason), .phone(let reason), .central(let reason): reason
    case .faultyProfile(let faults): "the profile has faults:\n" + faults.joined(separator: "\n")
    }
  }
}
