import AppLink
import BlueZ
import Control
import EventLoop
import Policy
import Synchronization
import System

/// A phone on an air: the system, and the apps that are installed on it.
public final class Phone: Sendable {
  /// What ends an app that the user did not end.
  public enum Termination: Hashable, Sendable {
    case memoryPressure
  }

  /// How long what is done to a phone may take.
  private static let patience = Duration.seconds(10)

  public let name: String
  /// `00:AA:01:00:00:00`; centrals know the phone by it.
  public let address: String
  let air: Air
  let system: System
  private let launcher: Launcher

  /// A phone that is on, with Bluetooth on.
  ///
  /// - Parameter ios: whose rules hold: 11, 13, 14, 18 or 26.
  ///
  /// - Precondition: there is a rule set for that iOS.
  public init(on air: Air, named name: String = "phone", ios: Int = 26) {
    guard let version = IOSVersion(rawValue: ios) else { preconditionFailure("there are no rules of iOS \(ios)") }
    self.air = air
    self.name = name
    let launcher = Launcher()
    self.launcher = launcher
    let system = System(
      loop: air.loop, rules: RuleSet(version), store: KeptState(), launcher: launcher
    ) { [weak air] event, app in
      air?.note(event, on: name, app: app)
    }
    self.system = system
    do throws(StoryFailure) {
      let place = try air.backend.addPhone(named: name)
      address = place.address
      if let failure = Self.start(system, place, air) { air.fail(failure) }
    } catch {
      address = ""
      air.fail(error)
    }
  }

  private static func start(_ system: System, _ place: PhonePlace, _ air: Air) -> StoryFailure? {
    let result = air.backend.wait(within: patience) {
      try await place.start(system)
      while await system.radio?.isOn != true { try await air.loop.sleep(for: .milliseconds(1)) }
    }
    return switch result {
    case .success: nil
    case .failure(let error): .radio("\(error)")
    case nil: .radio("the phone's adapter is not on after \(patience)")
    }
  }

  /// Installs an app and launches it, in the foreground. It returns when the app has published and advertised what it
  /// wants to.
  @discardableResult
  public func launch(_ definition: AppDefinition) -> App {
    let app = App(definition, on: self)
    launcher.apps.withLock { $0[app.bundleIdentifier] = app }
    launch(app)
    return app
  }

  /// The user taps its icon: an app that runs comes to the front, another one is launched.
  public func launch(_ app: App) {
    if app.isRunning { return perform(.foreground, app) }
    // What is done within the story's own time cannot wait for it to pass.
    guard !air.loop.isCurrent else { return app.start(into: .foreground) }
    let result = air.backend.wait(within: Self.patience) { [system] in
      app.start(into: .foreground)
      // Without a radio it waits for one.
      guard await system.radio?.isOn == true else { return }
      await app.isReady()
      await system.settle()
    }
    if result == nil { air.fail(.tooLate(Self.patience)) }
  }

  public func moveToForeground(_ app: App? = nil) { perform(.foreground, app) }
  public func moveToBackground(_ app: App? = nil) { perform(.background, app) }
  public func suspend(_ app: App? = nil) { perform(.suspend, app) }

  /// The system ends apps that run.
  public func terminate(_ cause: Termination, _ app: App? = nil) {
    switch cause {
    case .memoryPressure: perform(.terminate, app)
    }
  }

  /// The user swipes apps away.
  public func forceQuit(_ app: App? = nil) { perform(.quit, app) }

  /// The screen goes off.
  public func lock() { perform(.lock) }
  public func unlock() { perform(.unlock) }
  public func switchBluetooth(on isOn: Bool) { perform(isOn ? .bluetoothOn : .bluetoothOff) }
  public func resetBluetooth() { perform(.bluetoothReset) }
  public func reboot() { perform(.reboot) }

  /// What cannot be done fails the story.
  private func perform(_ command: ControlRequest.Command, _ app: App? = nil) {
    let request = ControlRequest(command, app: app?.bundleIdentifier)
    let perform = { @Sendable [system, air] in
      if let error = await system.perform(request).error { air.fail(.phone("\(error)")) }
      await system.settle()
    }
    // What is asked from within the story's own time cannot wait for it to pass.
    guard !air.loop.isCurrent else { return _ = Task(executorPreference: air.loop.tasks, operation: perform) }
    if air.backend.wait(within: Self.patience, perform) == nil { air.fail(.tooLate(Self.patience)) }
  }
}

/// Starts installed apps where the system wants them to run again.
private final class Launcher: AppLauncher {
  let apps = Mutex<[String: App]>([:])

  func launch(
    _ app: AppIdentity, _ process: LaunchDescription?, ended: @escaping @Sendable (String) -> Void
  ) throws(LaunchFailure) -> Int32? {
    guard let installed = apps.withLock({ $0[app.bundleIdentifier] }) else {
      throw LaunchFailure(reason: "the app is not installed")
    }
    installed.start(into: .relaunched, ended: ended)
    return nil
  }

  func end(_ process: Int32) {}
}
