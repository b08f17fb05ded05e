import AppLink
import BlueZ
package import Control
import Policy

/// What a user asks of the phone.
extension System {
  package func perform(_ request: ControlRequest) async -> ControlReply {
    switch request.command {
    case .status: return ControlReply(status: status())
    case .foreground: return each(request) { .toForeground($0) }
    case .background: return each(request) { .toBackground($0) }
    case .suspend: return each(request) { .suspend($0) }
    case .lock: return ofPhone(request) { $0.feed(.locked) }
    case .unlock: return ofPhone(request) { $0.feed(.unlocked) }
    case .bluetoothOff, .bluetoothOn:
      if let refusal = refusal(request) { return refusal }
      return await switchBluetooth(on: request.command == .bluetoothOn)
    case .bluetoothReset:
      if let refusal = refusal(request) { return refusal }
      return await resetBluetooth()
    }
  }

  /// The screen, off or on again.
  package func switchScreen() { feed(policy.isScreenLocked ? .unlocked : .locked) }

  private func each(_ request: ControlRequest, _ event: (AppID) -> Policy.Event) -> ControlReply {
    let ids = apps.keys.sorted().filter { id in
      guard let app = request.app else { return true }
      return identifier(id) == app || apps[id]?.identity?.name == app
    }
    if let app = request.app, ids.isEmpty {
      let known = apps.keys.sorted().map(identifier).joined(separator: ", ")
      return ControlReply(error: "no app '\(app)' runs here; there are: \(known.isEmpty ? "none" : known).")
    }
    holdAir { for id in ids { feed(event(id)) } }
    guard request.command == .foreground, policy.isScreenLocked else { return .done }
    return ControlReply(error: "the screen is off; what is to be in front is there after 'blepera unlock'.")
  }

  /// The screen and Bluetooth are the phone's, not an app's.
  private func refusal(_ request: ControlRequest) -> ControlReply? {
    guard request.app != nil else { return nil }
    return ControlReply(error: "the screen and Bluetooth belong to the phone, so there is no app to choose.")
  }

  private func ofPhone(_ request: ControlRequest, _ body: (isolated System) -> Void) -> ControlReply {
    if let refusal = refusal(request) { return refusal }
    body(self)
    return .done
  }

  /// What is published and advertised is forgotten (R14), centrals are gone, and apps begin anew when it is on again.
  private func resetBluetooth() async -> ControlReply {
    guard case .poweredOn = radio else {
      return ControlReply(error: "Bluetooth is not on, so there is nothing to reset.")
    }
    isResetting = true
    change(to: .resetting, .unavailable)
    let off = await switchBluetooth(on: false)
    guard off.error == nil else {
      isResetting = false
      change(to: .poweredOn, .on)
      return off
    }
    return await switchBluetooth(on: true)
  }

  /// Switches the adapter, as the radio goes with the switch; done when bluetoothd says so.
  private func switchBluetooth(on isOn: Bool) async -> ControlReply {
    guard let peripheral else { return ControlReply(error: "there is no radio yet.") }
    return await withCheckedContinuation { continuation in
      let isAsked = peripheral.assumeIsolated { peripheral in
        peripheral.switchPower(on: isOn) { failure in
          let reason = failure.map { "the adapter cannot be switched \(isOn ? "on" : "off"): \($0)." }
          continuation.resume(returning: ControlReply(error: reason))
        }
      }
      if !isAsked { continuation.resume(returning: ControlReply(error: "there is no adapter to switch.")) }
    }
  }
}
