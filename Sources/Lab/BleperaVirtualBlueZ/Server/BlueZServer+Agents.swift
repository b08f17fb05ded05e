import BleperaAir
import BleperaBlueZProtocol
import BleperaBluetooth
import BleperaDBus
import BleperaHost

/// AgentManager1, and calls to agents.
extension BlueZServer {
  func receiveAgentCall(_ call: IncomingCall, _ sender: BusName) {
    guard let path = call.call.arguments.first?.path else { return refuse(call, .invalidArguments) }
    switch call.call.member {
    case "RegisterAgent":
      guard agents[sender] == nil else { return refuse(call, .alreadyExists) }
      guard let capability = PairingCapability(agentCapability: call.call.arguments.last?.text ?? "") else {
        return refuse(call, .invalidArguments)
      }
      agents[sender] = RegisteredAgent(path: path, capability: capability)
    case "UnregisterAgent":
      guard agents[sender]?.path == path else { return refuse(call, .doesNotExist) }
      removeAgent(of: sender)
    case "RequestDefaultAgent":
      guard agents[sender]?.path == path else { return refuse(call, .doesNotExist) }
      defaultAgents.removeAll { $0 == sender }
      defaultAgents.insert(sender, at: 0)
    default: return refuse(call, .notSupported)
    }
    shareCapability()
    reply(call, .success([]))
  }

  func removeAgent(of owner: BusName) {
    agents[owner] = nil
    defaultAgents.removeAll { $0 == owner }
    shareCapability()
  }

  /// The program's own agent, otherwise the default agent.
  func agent(for owner: BusName?) -> (owner: BusName, agent: RegisteredAgent)? {
    for name in [owner].compactMap(\.self) + defaultAgents {
      if let agent = agents[name] { return (name, agent) }
    }
    return nil
  }

  /// The capability of the owner's agent, or of a daemon that agrees by itself; nil without either.
  func capability(for owner: BusName?) -> PairingCapability? {
    agent(for: owner)?.agent.capability ?? (options.agrees ? .noInputNoOutput : nil)
  }

  /// Sets the default agent's capability on every adapter.
  func shareCapability() {
    let capability = capability(for: nil)
    for adapter in adapterStates.keys.sorted() { run(.host(adapter, .capability(capability))) }
  }

  /// The agent of one side: the agent of the caller of Pair, if this side called Pair.
  private func agent(_ id: ConnectionID, _ adapter: AdapterID) -> (
    owner: BusName, agent: RegisteredAgent, device: ObjectPath
  )? {
    guard let (_, device) = devices.first(where: { $0.key.adapter == adapter && $0.value.connection == id }) else {
      return nil
    }
    let caller = device.pairing.isEmpty ? nil : pairingCallers[id]
    return agent(for: caller).map { ($0.owner, $0.agent, device.path) }
  }

  func ask(_ question: PairingRequest, _ id: ConnectionID, _ adapter: AdapterID) {
    guard let (owner, agent, device) = agent(id, adapter) else {
      if case .show = question { return }
      return run(.host(adapter, .respondToPairing(id, options.agrees ? .yes : .no)))
    }
    let (member, arguments): (MemberName, [DBusValue]) =
      switch question {
      case .authorize: ("RequestAuthorization", [.objectPath(device)])
      case .compare(let passkey): ("RequestConfirmation", [.objectPath(device), .uint32(passkey)])
      case .type: ("RequestPasskey", [.objectPath(device)])
      case .show(let passkey): ("DisplayPasskey", [.objectPath(device), .uint32(passkey), .uint16(0)])
      }
    let isShown = if case .show = question { true } else { false }
    call(owner, member, of: BlueZName.agent, at: agent.path, with: arguments, timeout: .seconds(60)) { this, result in
      guard !isShown else { return }
      switch result {
      case .success(let values):
        let passkey = values.first?.unsigned.map { PairingResponse.passkey(UInt32(clamping: $0)) }
        this.run(.host(adapter, .respondToPairing(id, passkey ?? .yes)))
      case .failure: this.run(.host(adapter, .respondToPairing(id, .no)))
      }
    }
  }

  func cancelQuestion(_ id: ConnectionID, _ adapter: AdapterID) {
    guard let (owner, agent, _) = agent(id, adapter) else { return }
    call(owner, "Cancel", of: BlueZName.agent, at: agent.path)
  }
}

/// An Agent1 of a program.
struct RegisteredAgent: Sendable {
  let path: ObjectPath
  let capability: PairingCapability
}
