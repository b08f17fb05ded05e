import BleperaBluetooth
package import BleperaDBus
package import BleperaRadio

/// How an Agent1 with a `PairingMode` responds.
extension PairingMode {
  /// The `capability` of AgentManager1.RegisterAgent.
  package var agentCapability: String {
    switch self {
    // `compare` has no place over BlueZ: the command line refuses it, and the agent every pairing.
    case .justWorks, .refuse, .compare: "NoInputNoOutput"
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
    // bluetoothd asks for the services of other profiles only: GATT has no authorization in BlueZ.
    case "AuthorizeService": return .refuse(.otherService)
    default: request = .type
    }
    if let refusal = self == .compare ? .mode : refusal(of: request) { return .refuse(refusal) }
    if case .show(let passkey) = request { return .show(device: device, passkey: passkey) }
    return .accept
  }
}

/// The phone's agent at bluetoothd, which asks its default agent about each device that pairs, of any adapter: another
/// agent of the machine is the default again while no central is connected to the phone.
struct PairingAgent: Sendable {
  enum Action: Hashable, Sendable {
    case register
    case requestDefault
    /// The agent is registered again some time later.
    case unregister
  }

  /// registered -> isDefault; isDefault -> away; away -> registered.
  private enum Phase: Sendable {
    case registered
    case isDefault
    case away
  }

  private var phase = Phase.registered

  /// bluetoothd has started, or the time without an agent has ended.
  mutating func register(asDefault isNeeded: Bool) -> [Action] {
    phase = .registered
    return [.register] + update(asDefault: isNeeded)
  }

  mutating func update(asDefault isNeeded: Bool) -> [Action] {
    switch (phase, isNeeded) {
    case (.registered, true):
      phase = .isDefault
      return [.requestDefault]
    case (.isDefault, false):
      phase = .away
      return [.unregister]
    case (.away, true): return register(asDefault: true)
    case (.registered, false), (.isDefault, true), (.away, false): return []
    }
  }
}
