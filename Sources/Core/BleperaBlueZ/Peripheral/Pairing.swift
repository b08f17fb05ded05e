import BleperaBluetooth
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

  /// Whether the agent is the machine's default agent all the time, and not only while a central is connected to the
  /// phone. The kernel takes a connection's capability from the default agent when the connection begins, and a
  /// passkey needs a display.
  package var needsDefaultAgent: Bool { self == .passkey }

  /// The agent's response to a call from bluetoothd.
  package enum Answer: Hashable, Sendable {
    case accept
    /// Accept, and show this six-digit number.
    case show(device: ObjectPath, passkey: UInt32)
    case refuse(PairingRefusal)
    /// Not a request: bluetoothd has cancelled or released the agent.
    case acknowledge
  }

  /// The response to a method of Agent1, whose arguments have been checked against its description.
  ///
  /// - Parameter centrals: the devices that are connected to the phone; nobody else is accepted.
  package func answer(to method: MemberName, _ arguments: [DBusValue], from centrals: Set<ObjectPath>) -> Answer {
    if method == "Release" || method == "Cancel" { return .acknowledge }
    guard let device = arguments.first?.path, centrals.contains(device) else { return .refuse(.otherDevice) }
    let passkey = arguments.dropFirst().first?.unsigned.map { UInt32(clamping: $0) }
    let request: PairingRequest
    switch method {
    case "RequestAuthorization": request = .authorize
    case "RequestConfirmation": request = .compare(passkey ?? 0)
    case "DisplayPasskey": request = .show(passkey ?? 0)
    // For the services of other profiles only: GATT has no authorization in BlueZ.
    case "AuthorizeService": return .refuse(.otherService)
    default: request = .type
    }
    if let refusal = refusal(of: request) { return .refuse(refusal) }
    if case .show(let passkey) = request { return .show(device: device, passkey: passkey) }
    return .accept
  }
}
