package import BleperaDBus
package import BleperaRadio

/// How `PairingMode` answers as an Agent1.
extension PairingMode {
  /// The `capability` of AgentManager1.RegisterAgent.
  package var agentCapability: String {
    switch self {
    case .justWorks, .refuse: "NoInputNoOutput"
    case .passkey: "DisplayOnly"
    }
  }

  /// What the agent says to a call of bluetoothd's.
  package enum Answer: Hashable, Sendable {
    case accept
    /// Accept, and show this number, six digits.
    case show(device: ObjectPath, passkey: UInt32)
    case reject
    /// Not a request: bluetoothd has cancelled, or has let go of the agent.
    case acknowledge
  }

  /// The answer to a method of Agent1, whose arguments have been checked against its description.
  package func answer(to method: MemberName, _ arguments: [DBusValue]) -> Answer {
    switch method {
    case "Release", "Cancel": return .acknowledge
    case "RequestAuthorization", "AuthorizeService": return self == .refuse ? .reject : .accept
    case "RequestConfirmation":
      // Two numbers to be compared: with just-works nobody compares, and with a passkey nobody is there to confirm.
      return self == .justWorks ? .accept : .reject
    case "DisplayPasskey":
      guard self == .passkey, let device = arguments.first?.path, let passkey = arguments.dropFirst().first?.unsigned
      else { return self == .justWorks ? .accept : .reject }
      return .show(device: device, passkey: UInt32(clamping: passkey))
    // A PIN or passkey to be typed here: there is nobody to type it.
    default: return .reject
    }
  }
}
