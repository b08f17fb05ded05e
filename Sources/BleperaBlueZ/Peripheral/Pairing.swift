package import BleperaDBus
package import BleperaRadio

/// How an Agent1 with a `PairingMode` responds.
extension PairingMode {
  /// The `capability` of AgentManager1.RegisterAgent.
  package var agentCapability: String {
    switch self {
    case .justWorks, .refuse: "NoInputNoOutput"
    case .passkey: "DisplayOnly"
    }
  }

  /// The agent's response to a call from bluetoothd.
  package enum Answer: Hashable, Sendable {
    case accept
    /// Accept, and show this six-digit number.
    case show(device: ObjectPath, passkey: UInt32)
    case reject
    /// Not a request: bluetoothd has cancelled or released the agent.
    case acknowledge
  }

  /// The response to a method of Agent1, whose arguments have been checked against its description.
  package func answer(to method: MemberName, _ arguments: [DBusValue]) -> Answer {
    switch method {
    case "Release", "Cancel": return .acknowledge
    case "RequestAuthorization", "AuthorizeService": return self == .refuse ? .reject : .accept
    case "RequestConfirmation":
      // Numeric comparison: just-works compares nothing, and with a passkey no user is present to confirm.
      return self == .justWorks ? .accept : .reject
    case "DisplayPasskey":
      guard self == .passkey, let device = arguments.first?.path, let passkey = arguments.dropFirst().first?.unsigned
      else { return self == .justWorks ? .accept : .reject }
      return .show(device: device, passkey: UInt32(clamping: passkey))
    // A PIN or passkey would have to be typed here: no user is present.
    default: return .reject
    }
  }
}
