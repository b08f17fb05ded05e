import AppLink
import BlueZ
package import Control
import Policy

/// What a user asks of the phone.
extension System {
  /// Returns when what has been asked of the radio is on the air, or gone from it; after two seconds at the latest.
  package func settle() async { await peripheral?.settle() }

  package func perform(_ request: ControlRequest) async -> ControlReply {
    if request.command.changesPhone { report(.asked(request)) }
    switch request.command {
    case .status: return ControlReply(status: status())
    case .foreground: return each(request) { .toForeground($0) }
    case .background: return each(request) { .toBackground($0) }
    case .suspend: return each(request) { .suspend($0) }
    case .lock: return ofPhone(request) { $0.feed(.locked) }
    case .unlock: return ofPhone(request) { $0.feed(.unlocked) }
    case .bluetoothOff, .bluetoothOn:
      if let refusal = refusal(request) { return refusal }
      if request.command == .bluetoothOff { feed(.bluetoothSwitched(BluetoothSwitch(request.by ?? .settings))) }
      return await switchBluetooth(on: request.command == .bluetoothOn)
    case .bluetoothReset:
      if let refusal = refusal(request) { return refusal }
      return await resetBluetooth()
    // One that is preserved too.
    case .quit:
      let reply = each(request) { end($0, .forceQuit) }
      await settle()
      return reply
    case .terminate: return each(request, where: { $0.link != nil }) { end($0, .memoryPressure) }
    case .forget: return forget(request)
    case .reboot:
      if let refusal = refusal(request) { return refusal }
      return await reboot()
    // Whoever runs the system sees to these.
    case .events, .shutdown:
      return ControlReply(error: "this phone ends with the command that has started it; end that.")
    }
  }

  private func end(_ id: AppID, _ cause: TerminationCause) {
    terminate(id, cause)
    feed(.ended(id, cause))
  }

  private func forget(_ request: ControlRequest) -> ControlReply {
    each(request, where: { $0.link == nil }) { id in
      feed(.ended(id, .forceQuit))
      // One that iOS would keep after a force quit too.
      forget(id)
    }
  }

  /// Every app ends, every link too; the screen is off, and before it is unlocked nothing is on the air (R15).
  private func reboot() async -> ControlReply {
    let wasOn = if case .poweredOn = radio { true } else { false }
    feed(.rebooted)
    guard wasOn else { return .done }
    let off = await switchBluetooth(on: false)
    return off.error == nil ? await switchBluetooth(on: true) : off
  }

  /// Whether apps run, and whether any is preserved.
  package var load: (running: Int, preserved: Int) {
    (apps.values.count { $0.link != nil }, apps.values.count { $0.link == nil })
  }

  /// The screen, off or on again.
  package func switchScreen() async { _ = await perform(ControlRequest(policy.isScreenLocked ? .unlock : .lock)) }

  private func each(_ request: ControlRequest, _ event: (AppID) -> Policy.Event) -> ControlReply {
    each(request) { feed(event($0)) }
  }

  private func each(
    _ request: ControlRequest, where isMeant: (AppRecord) -> Bool = { _ in true },
    _ body: (AppID) -> Void
  ) -> ControlReply {
    let candidates = apps.keys.sorted().filter { id in apps[id].map(isMeant) ?? false }
    let ids = candidates.filter { id in
      guard let app = request.app else { return true }
      return identifier(id) == app || apps[id]?.identity.name == app
    }
    if let app = request.app, ids.isEmpty {
      let known = candidates.map(identifier).joined(separator: ", ")
      return ControlReply(
        error: "there is no app '\(app)' to do that with; there are: \(known.isEmpty ? "none" : known).")
    }
    holdAir { for id in ids { body(id) } }
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

extension ControlRequest.Command {
  /// Whether it is more than a question, and the system's to do.
  fileprivate var changesPhone: Bool {
    switch self {
    case .status, .events, .shutdown: false
    case .foreground, .background, .suspend, .lock, .unlock, .bluetoothOff, .bluetoothOn, .bluetoothReset, .quit,
      .terminate, .reboot, .forget:
      true
    }
  }
}

extension BluetoothSwitch {
  fileprivate init(_ means: ControlRequest.Switch) {
    switch means {
    case .settings: self = .settings
    case .controlCenter: self = .controlCenter
    case .airplaneMode: self = .airplaneMode
    }
  }
}
