import BleperaAppLink
import BleperaBluetooth
import BleperaRadio

/// The devices that Settings lists, in both roles of the phone, and "Forget This Device".
extension EmulatedPhone {
  /// Nil where there are none.
  var bondStatuses: [PhoneStatus.Bond]? {
    let statuses = bonds.map { status(of: $0) }
    return statuses.isEmpty ? nil : statuses
  }

  /// The bonds of the radio, and the centrals that the phone has forgotten and that have not forgotten the phone.
  private var bonds: [RadioBond] {
    let kept = withRadio { $0.bonds } ?? []
    let forgotten = bondProblems.filter { problem in
      problem.value == .phoneHasNoKeys && !kept.contains { $0.address == problem.key }
    }
    return kept + forgotten.keys.sorted().map { RadioBond(address: $0, isConnected: false) }
  }

  private func status(of bond: RadioBond) -> PhoneStatus.Bond {
    let peripheral = central.known.all { $0.isBonded && $0.address.rawValue == bond.address }.first
    return PhoneStatus.Bond(
      address: bond.identity, name: peripheral?.name,
      role: peripheral != nil ? "peripheral" : bond.isOwn ? "central" : nil, isConnected: bond.isConnected,
      problem: bondProblems[bond.address])
  }

  /// Without a device, forgets all, as a reset of the network settings does; the phone itself keeps running (ours).
  func forgetBonds(_ request: ControlRequest) async -> ControlReply {
    let bonds = bonds.map { (bond: $0, status: status(of: $0)) }
    let meant = bonds.filter { _, status in
      request.device.map { status.address == $0.uppercased() || status.name == $0 } ?? true
    }
    if let device = request.device, meant.count != 1 {
      let known = (meant.isEmpty ? bonds : meant).map(\.status.address).joined(separator: ", ")
      return ControlReply(
        error: meant.isEmpty
          ? "no bond with '\(device)'. Bonds: \(known.isEmpty ? "none" : known)."
          : "\(meant.count) bonds are with '\(device)'; choose one by its address: \(known).")
    }
    let address = request.device.flatMap { _ in meant.first?.bond.address }
    let failure = await withCheckedContinuation { continuation in
      let isAsked: Void? = withRadio { radio in
        radio.forgetBonds(with: address) { continuation.resume(returning: $0) }
      }
      if isAsked == nil { continuation.resume(returning: RadioFailure("there is no radio yet")) }
    }
    let left = Set((withRadio { $0.bonds } ?? []).map(\.address))
    for (bond, status) in meant where !left.contains(bond.address) {
      bondProblems[bond.address] = nil
      use { $0.forgetBond(with: PeripheralID(rawValue: bond.address)) }
      restored.forget(CentralID(rawValue: bond.address))
      report(.bondForgotten(address: status.address, isCentral: status.role != "peripheral"))
    }
    preserve()
    return failure.map { ControlReply(error: "the radio cannot forget the bond: \($0).") } ?? .done
  }

  /// The phone has noticed that a side of a bond lacks something; a repetition is not reported again.
  func noticed(_ problem: BondProblem, at address: String) {
    guard bondProblems.updateValue(problem, forKey: address) != problem else { return }
    report(.bondLost(address: address, isCentral: problem == .phoneHasNoKeys, reason: problem.advice(for: address)))
  }
}
