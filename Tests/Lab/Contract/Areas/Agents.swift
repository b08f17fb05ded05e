import BleperaAir
import BleperaBlueZProtocol
import BleperaDBus
import BleperaVirtualBlueZ
import BusTesting

extension ContractCase {
  private static let manager = BlueZName.agentManager

  static let agents: [ContractCase] = [
    ContractCase(.pairing, "A program has one agent") { stage throws in
      _ = try await Agent(stage.client, "")
      stage.check(
        await stage.refusal(BlueZName.root, manager, "RegisterAgent", [.objectPath("/other"), .string("")]),
        "org.bluez.Error.AlreadyExists: Already Exists")
    },
    ContractCase(.pairing, "An unregistered agent is no longer the default agent, and receives no call") {
      stage throws in
      let agent = try await Agent(stage.client, "NoInputNoOutput")
      stage.check(await stage.refusal(BlueZName.root, manager, "UnregisterAgent", [.objectPath(Agent.path)]), nil)
      stage.check(
        await stage.refusal(BlueZName.root, manager, "RequestDefaultAgent", [.objectPath(Agent.path)]),
        "org.bluez.Error.DoesNotExist: Does Not Exist")
      stage.check(agent.questions.left.map(\.call.member), [])
    },
    ContractCase(.pairing, "An agent is unregistered by its owner alone") { stage throws in
      _ = try await Agent(stage.app, "NoInputNoOutput")
      stage.check(
        await stage.refusal(BlueZName.root, manager, "UnregisterAgent", [.objectPath(Agent.path)]),
        "org.bluez.Error.DoesNotExist: Does Not Exist")
    },
  ]
}
