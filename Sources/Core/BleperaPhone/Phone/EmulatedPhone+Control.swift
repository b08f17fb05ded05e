package import BleperaAppLink
import BleperaBluetooth
import BleperaRadio
import BleperaRules

/// The user's requests to the phone.
extension EmulatedPhone {
  package func perform(_ request: ControlRequest) async -> ControlReply {
    if request.command.changesPhone { report(.asked(request)) }
    let reply = await reply(to: request)
    // A change is saved before it is acknowledged.
    saveNow()
    return reply
  }

  private func reply(to request: ControlRequest) async -> ControlReply {
    switch request.command {
    case .status: return ControlReply(status: status())
    case .launch: return await launch(request)
    case .foreground: return forEachApp(request) { .toForeground($0) }
    case .background: return forEachApp(request) { .toBackground($0) }
    case .suspend: return forEachApp(request) { .suspend($0) }
    case .lock: return performOnPhone(request) { $0.changeScreen(.locked) }
    case .unlock: return performOnPhone(request) { $0.changeScreen(.unlocked) }
    case .bluetoothOff, .bluetoothOn, .bluetoothReset, .reboot:
      if let refusal = refusal(request) { return refusal }
      return await performInTurn { phone in
        switch request.command {
        case .bluetoothOff: await phone.switchOff(by: request.method ?? .settings)
        case .bluetoothReset: await phone.resetBluetooth()
        case .reboot: await phone.reboot()
        default: await phone.switchOn()
        }
      }
    // Quit also removes apps that are only preserved.
    case .quit:
      let reply = end(request, .forceQuit)
      await settle()
      return reply
    case .terminate: return end(request, .memoryPressure, where: \.isRunning)
    case .forget: return forget(request)
    case .forgetBonds: return await forgetBonds(request)
    case .pair: return refusal(request) ?? answerPairing(request)
    case .notify: return notify(request)
    case .defect: return refusal(request) ?? changeDefect(request)
    // Handled earlier, by the command that runs the phone.
    case .events, .shutdown:
      return ControlReply(error: "this phone ends with the command that has started it; end that.")
    }
  }

  private func end(
    _ request: ControlRequest, _ cause: TerminationCause, where isIncluded: (AppRecord) -> Bool = { _ in true }
  ) -> ControlReply {
    performOnApps(request, where: isIncluded) { ids in
      for id in ids {
        terminate(id, cause)
        handle([.terminated(id, cause)])
      }
      advertiseNextPlan()
    }
  }

  private func forget(_ request: ControlRequest) -> ControlReply {
    performOnApps(request, where: \.isTerminated) { ids in
      for id in ids {
        if central.rules.defects.contains(.restoreIdentifierStuck), let app = apps[id] {
          stuckIdentifiers.formUnion(app.managers.compactMap(\.id.restoreIdentifier))
        }
        handle([.terminated(id, .forceQuit)])
        // `forget` also removes apps that iOS preserves after a force quit.
        forget(id)
      }
      advertiseNextPlan()
    }
  }

  /// Sends an update to the subscribers of a characteristic, as if its app had called `updateValue`.
  private func notify(_ request: ControlRequest) -> ControlReply {
    guard let uuid = request.characteristic, let value = request.value else {
      return ControlReply(error: "'notify' requires a characteristic and a value.")
    }
    var found: [(app: AppID, id: CharacteristicID, handle: AttributeHandle)] = []
    let reply = performOnApps(request) { ids in
      for id in ids {
        found += services.characteristics(of: id)
          .filter { $0.service.characteristics[$0.id.index].uuid == uuid }.map { (id, $0.id, $0.handle) }
      }
    }
    guard reply.error == nil else { return reply }
    guard let first = found.first else { return ControlReply(error: "no app has published a characteristic \(uuid).") }
    guard found.count == 1 else {
      return ControlReply(error: "\(found.count) characteristics are \(uuid); '--app' selects those of one app.")
    }
    guard let properties = services.attribute(first.handle)?.definition.properties,
      !properties.isDisjoint(with: .subscribable)
    else { return ControlReply(error: "\(uuid) has neither notify nor indicate.") }
    guard policy.isRunning(first.app) else {
      return ControlReply(error: "the app \(identifier(first.app)) does not run, so it cannot send an update.")
    }
    guard !subscribers(of: first.id, of: first.app).isEmpty else {
      return ControlReply(error: "no central is subscribed to \(uuid).")
    }
    guard update(first.id, value, to: nil, of: first.app) else {
      return ControlReply(error: "the transmit queue is full; try again.")
    }
    return .done
  }

  /// The number of apps that run, and of those that are only preserved.
  package var appCounts: (running: Int, preserved: Int) {
    (apps.values.count(where: \.isRunning), apps.values.count(where: \.isTerminated))
  }

  /// Whether an app advertises, with all that apps have requested on the air, or scans or connects.
  package var isUsedByApps: Bool {
    guard apps.values.allSatisfy(\.awaitsAdvertising.isEmpty) else { return false }
    return advertising.state == .onAir && !policy.advertisers.isEmpty || central.users.contains { central.isInUse($0) }
  }

  /// Switches the screen off, or on again.
  package func switchScreen() async -> Bool {
    _ = await perform(ControlRequest(policy.isScreenLocked ? .unlock : .lock))
    return !policy.isScreenLocked
  }

  private func forEachApp(_ request: ControlRequest, _ event: (AppID) -> Policy.Event) -> ControlReply {
    performOnApps(request, where: \.isRunning) {
      feed($0.map(event))
      // Otherwise the app itself knows whether it is in the foreground.
      if request.command == .suspend || policy.isScreenLocked { preserve() }
    }
  }

  private func performOnApps(
    _ request: ControlRequest, where isIncluded: (AppRecord) -> Bool = { _ in true }, _ body: ([AppID]) -> Void
  ) -> ControlReply {
    let candidates = apps.ids.filter { id in apps[id].map(isIncluded) ?? false }
    let ids = candidates.filter { id in apps[id]?.identity.matches(request.app) ?? false }
    if ids.isEmpty, request.command.needsRunningApp, let refusal = refusalOfEnded(request) { return refusal }
    if let app = request.app, ids.isEmpty {
      let known = candidates.map(identifier).joined(separator: ", ")
      return ControlReply(error: "no such app: '\(app)'. Known apps: \(known.isEmpty ? "none" : known).")
    }
    body(ids)
    guard request.command == .foreground, policy.isScreenLocked else { return .done }
    return ControlReply(error: "the screen is locked; the app moves to the foreground after 'blepera unlock'.")
  }

  /// Refuses a request for apps that have ended and can be launched; nil where there are none.
  private func refusalOfEnded(_ request: ControlRequest) -> ControlReply? {
    let names = endedApps.filter { $0.identity.matches(request.app) }.map(\.identity.bundleIdentifier)
    guard !names.isEmpty else { return nil }
    return ControlReply(error: "not running: \(names.joined(separator: ", ")); start it with 'blepera launch'.")
  }

  /// Refuses a request that names an app, because the screen and Bluetooth belong to the phone.
  private func refusal(_ request: ControlRequest) -> ControlReply? {
    guard request.app != nil else { return nil }
    return ControlReply(error: "the screen and Bluetooth belong to the phone, so --app does not apply.")
  }

  private func performOnPhone(_ request: ControlRequest, _ body: (isolated EmulatedPhone) -> Void) -> ControlReply {
    if let refusal = refusal(request) { return refusal }
    body(self)
    return .done
  }
}

extension AppIdentity {
  /// Whether the app of a request is this one: by its bundle identifier, the last part of it, or its name. Nil is every
  /// app.
  func matches(_ app: String?) -> Bool {
    guard let app else { return true }
    return bundleIdentifier == app || name == app || bundleIdentifier.hasSuffix(".\(app)")
  }
}

extension ControlRequest.Command {
  /// Whether the command moves apps that run.
  fileprivate var needsRunningApp: Bool { [.foreground, .background, .suspend].contains(self) }

  /// Whether the command changes the state of the phone or its apps.
  fileprivate var changesPhone: Bool {
    switch self {
    case .status, .events, .shutdown: false
    case .launch, .foreground, .background, .suspend, .lock, .unlock, .bluetoothOff, .bluetoothOn, .bluetoothReset,
      .quit,
      .terminate, .reboot, .forget, .forgetBonds, .pair, .notify, .defect:
      true
    }
  }
}
