import BleperaAppLink
import BleperaBluetooth
import BleperaLoop
import BleperaPreservation
import BleperaRadio
import BleperaRules
import FoundationEssentials
import Glibc

/// Apps: their links, launches, terminations and requests.
extension EmulatedPhone {
  /// Sends `willTerminate` and closes the link.
  func terminate(_ id: AppID, _ cause: TerminationCause) {
    report(.terminated(app: identifier(id), cause), of: id)
    guard let app = apps[id], let link = app.link else { return }
    resume(app)
    // The user swipes the app away in the app switcher, for which it has left the foreground.
    if cause == .forceQuit, app.state == .foreground {
      for state in [AppState.inactive, .background] { send(.didChangeState(state), to: id) }
    }
    app.end()
    output {
      link.send(.willTerminate(cause == .crash ? .memoryPressure : cause))
      link.close()
    }
  }

  /// Sends a message to an app that has a link; a change that the message acknowledges is saved first.
  func send(_ message: PhoneMessage, to app: AppID) {
    guard let record = apps[app], let link = record.link else { return }
    record.note(sent: message)
    guard saving.isPending else { return send(message, over: link) }
    saving.add { self.send(message, over: link) }
  }

  private func send(_ message: PhoneMessage, over link: any AppLinkEnd<PhoneMessage, AppMessage>) {
    if let channel = message.openedChannel, !connect(channel, over: link) { return }
    link.send(message)
  }

  func setState(of id: AppID, to state: AppState, _ reason: StateReason) {
    if case .terminated(let cause) = reason { apps[id]?.ended = AppTermination(cause: cause, at: today) }
    guard let app = apps[id] else { return }
    pauseChannels(of: id, state == .suspended)
    guard state != .notRunning else {
      removeAllChannels(of: id)
      // An app that is not preserved is reported by `forget`.
      guard policy.status(of: id, at: now) != nil, let ended = app.ended else { return }
      app.state = .notRunning
      app.awaitsAdvertising = []
      app.activation = nil
      endManagers(of: id, app)
      app.isWaitingToUpdate = false
      preserve()
      return report(.preserved(app: identifier(id), ended.cause), of: id)
    }
    report(.state(app: identifier(id), state, reason), of: id)
    if state != .suspended { resume(app) }
    // On its way to and from the foreground an app is inactive (UIApplication.State).
    if (state == .foreground) != (app.state == .foreground) { send(.didChangeState(.inactive), to: id) }
    app.activation = reason == .launched && state == .foreground ? activationTimer(of: id, app) : nil
    if app.activation == nil { send(.didChangeState(state), to: id) }
    // After a restart of the phone the app is suspended, or runs, as now.
    if (state == .suspended) != (app.state == .suspended) { preserveLater() }
    app.state = state
    centralAppChanged(id)
    if state == .suspended { stop(app) }
    guard state != .suspended, app.holdsMessages else { return }
    let session = app.session
    Task { handleHeldMessages(of: id, session) }
  }

  /// Handles what an app has sent before it was suspended, unless it is suspended again.
  private func handleHeldMessages(of id: AppID, _ session: Int) {
    while let app = apps[id], app.session == session, policy.state(of: id) != .suspended,
      let message = app.takeHeldMessage()
    {
      handle(message, from: id)
    }
  }

  /// Leaves what a suspended app sends in its socket. Stops the process of one that the phone has launched or that
  /// allows it, as code of a suspended app does not run.
  private func stop(_ app: AppRecord) {
    (app.link as? any PausableAppLink)?.pause()
    if let process = app.stoppable { launcher?.stop(process.id, isOwn: process.isOwn) }
  }

  func resume(_ app: AppRecord) {
    (app.link as? any PausableAppLink)?.resume()
    if let process = app.stoppable { launcher?.resume(process.id) }
  }

  /// Removes an app and its services.
  func forget(_ id: AppID) {
    guard let app = apps[id] else { return }
    if let process = app.launching { launcher?.end(process) }
    removeAllServices(of: id)
    removeAllChannels(of: id)
    restored.forget(id)
    requests.removeRequests(of: id)
    use { $0.remove(where: { $0.app == id }, at: now) }
    launches.add(EndedApp(identity: app.identity, process: app.process))
    report(.ended(app: app.identity.bundleIdentifier), of: id)
    apps[id] = nil
    preserve()
  }

  // MARK: Launching

  /// Adds the app that sent `hello`, or gives a preserved app its link; nil where the app is refused.
  func launched(_ message: AppMessage, over connection: AppConnection) -> AppID? {
    guard case .hello(let version, let identity, let intent, let process) = message else {
      return refuse(connection, "the first message has to be hello")
    }
    if let refusal = refusal(of: identity, version: version) { return refuse(connection, refusal) }
    let former = apps.id(of: identity.bundleIdentifier)
    let record = former.flatMap { apps[$0] } ?? AppRecord(identity: identity, since: today)
    let id = former ?? apps.add(record)
    let isRelaunched = connect(connection, to: record, identity, process)
    welcome(id, isRelaunched: isRelaunched)
    let requested = isRelaunched ? .background : connection.mode ?? intent ?? .foreground
    // The system can have launched only an app that the phone knows.
    let effective = requested == .background && former == nil ? LaunchMode.leftForeground : requested
    // A process that has outlived the former phone does not ask for the foreground.
    if let execution = record.former?.execution, !isRelaunched, effective != .foreground {
      feed(
        .resumed(
          id, identity, into: effective, isSuspended: execution.isSuspended, isFrontmost: execution.isFrontmost))
    } else {
      feed(.launched(id, identity, into: effective))
    }
    record.former = nil
    return id
  }

  private func refuse(_ connection: AppConnection, _ reason: String) -> AppID? {
    connection.link.send(.refused(reason: reason))
    return nil
  }

  /// Why an app is refused; nil where it is accepted.
  private func refusal(of identity: AppIdentity, version: Int) -> String? {
    if version != appLinkVersion {
      return "this phone speaks version \(appLinkVersion) of AppLink, the app version \(version)"
    }
    if isShutDown { return "the phone is being shut down" }
    guard let id = apps.id(of: identity.bundleIdentifier), apps[id]?.isRunning == true else { return nil }
    return "the app \(identity.bundleIdentifier) is already running; quit it with 'blepera quit' first"
  }

  /// Connects the app's process; returns whether the phone has launched the process again.
  private func connect(
    _ connection: AppConnection, to record: AppRecord, _ identity: AppIdentity, _ process: LaunchDescription?
  ) -> Bool {
    let isRelaunched = record.hasLaunched(connection.peer)
    if let other = record.launching, !isRelaunched { launcher?.end(other) }
    launches.end(identity.bundleIdentifier)
    var description = process
    description?.launchManagers = nil
    record.connect(
      connection, as: identity, description.flatMap { launcher?.storable($0) },
      mayStop: process?.isSuspendable == true)
    preserve()
    return isRelaunched
  }

  private func welcome(_ id: AppID, isRelaunched: Bool) {
    let lastService = services.services(of: id).map(\.id.rawValue).max()
    send(
      .welcome(
        version: appLinkVersion, managers: isRelaunched ? managersInUse(of: id) : nil,
        nextService: lastService.map { $0 + 1 }), to: id)
  }

  /// Launches the app's process again.
  func relaunch(_ id: AppID, _ reason: StateReason) {
    guard let app = apps[id], let launcher else { return feed(.relaunchFailed(id)) }
    if let process = app.launching { launcher.end(process) }
    report(.relaunching(app: app.identity.bundleIdentifier, reason), of: id)
    do throws(LaunchFailure) {
      let session = app.session
      var process = app.process
      // Before an app creates its managers it can look up here which ones it had.
      process?.launchManagers = managersInUse(of: id)
      // An app of this process asks for its managers as it is launched.
      let launched = try launcher.launch(app.identity, process, byUser: false) { [weak self] what in
        self?.assumeIsolated { $0.processEnded(id, session, what) }
      }
      app.launch(launched)
    } catch {
      relaunchFailed(id, error.reason)
    }
  }

  /// Records a failed relaunch if the process ended before it sent `hello`; links report the end of other processes.
  private func processEnded(_ id: AppID, _ session: Int, _ what: String) {
    guard let app = apps[id], app.session == session, app.isTerminated else { return }
    app.end()
    relaunchFailed(id, "the process \(what) before it sent hello")
  }

  private func relaunchFailed(_ id: AppID, _ reason: String) {
    report(.relaunchFailed(app: identifier(id), reason: reason), of: id)
    feed(.relaunchFailed(id))
  }

  // MARK: Requests of apps

  private static let mostBackgroundTasks = 1000

  func handle(_ message: AppMessage, from id: AppID) {
    switch message {
    case .hello: break
    case .create(let manager): create(manager, of: id)
    case .peripheral(let name, let call): handle(call, by: ManagerID(.peripheral, name), of: id)
    case .central(let name, let call): handle(call, by: ManagerID(.central, name), of: id)
    case .didFinish: feed(.finished(id))
    case .didBecomeIdle: feed(.becameIdle(id))
    case .beginBackgroundTask(let task):
      guard policy.backgroundTaskCount(of: id) < Self.mostBackgroundTasks else {
        return refuse(id, "an app has at most \(Self.mostBackgroundTasks) background tasks; end those that are done")
      }
      feed(.backgroundTaskBegan(id, task))
    case .endBackgroundTask(let task): feed(.backgroundTaskEnded(id, task))
    }
  }

  private func handle(_ call: PeripheralManagerCall, by manager: ManagerID, of id: AppID) {
    guard hasCreated(manager, id) else { return }
    // Core Bluetooth logs "API MISUSE: ... can only accept this command while in the powered on state".
    if let call = call.nameIfItNeedsPower, power.state != .poweredOn {
      return report(.apiMisuse(call: call, power.state), of: id)
    }
    switch call {
    case .addService(let service, let definition): addService(service, definition, by: manager, of: id)
    case .removeService(let service):
      removeService(service, of: id)
      preserve()
    case .removeAllServices:
      removeAllServices(by: manager, of: id)
      preserve()
    case .startAdvertising(let request): startAdvertising(request, by: manager, of: id)
    case .stopAdvertising:
      feed(.stopAdvertising(id, by: manager))
      preserve()
    case .updateValue(let characteristic, let value, let centrals):
      // An identifier that is not a central's is ignored, like a central that is not subscribed.
      update(characteristic, value, to: centrals?.map { self.centrals.address(of: $0) }, of: id, answering: manager)
    case .publishL2CAPChannel(let isEncrypted): publishChannel(isEncrypted: isEncrypted, by: manager, of: id)
    case .unpublishL2CAPChannel(let psm): unpublishChannel(psm, by: manager, of: id)
    case .respond(let request, let error, let value): respond(to: EventID(request), error, value, from: id)
    }
  }

  /// Refuses a message that no app may send, and closes the link.
  func refuse(_ id: AppID, _ reason: String) {
    send(.refused(reason: reason), to: id)
    apps[id]?.link?.close()
  }
}

extension PeripheralManagerCall {
  /// The name of a call that Core Bluetooth ignores unless Bluetooth is on.
  fileprivate var nameIfItNeedsPower: String? {
    switch self {
    case .addService: "addService"
    case .startAdvertising: "startAdvertising"
    case .publishL2CAPChannel: "publishL2CAPChannel"
    case .removeService, .removeAllServices, .stopAdvertising, .updateValue, .respond, .unpublishL2CAPChannel: nil
    }
  }
}
