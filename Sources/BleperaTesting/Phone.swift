import AppLink
import BlueZ
import Control
import EventLoop
import Policy
import Preservation
import SimulatedRadio
import Synchronization
import System
import Testing
import VirtualBlueZ

/// A phone on an air: the system, and the apps that are installed on it.
public final class Phone: Sendable {
  /// What ends an app that the user did not end.
  public enum Termination: Hashable, Sendable {
    case memoryPressure
  }

  public let name: String
  let air: Air
  let system: System
  let address: DeviceAddress
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
      air?.note(app ?? name, event.line)
    }
    self.system = system
    let adapter = air.loop.perform { air.radio.assumeIsolated { $0.addAdapter(named: name) } }
    address = air.loop.perform { air.radio.assumeIsolated { $0.address(of: adapter) } } ?? DeviceAddress(bits: 0)
    let radio = air.radio
    _ = air.loop.run(until: air.loop.now + .seconds(1)) {
      try await system.start { SimulatedRadio(air: radio, adapter: adapter, report: $0) }
    }
  }

  /// Installs an app and launches it, in the foreground.
  @discardableResult
  public func launch(_ definition: AppDefinition) -> App {
    let app = App(definition, on: self)
    launcher.apps.withLock { $0[app.bundleIdentifier] = app }
    launch(app)
    return app
  }

  /// The user taps its icon.
  public func launch(_ app: App) { air.loop.perform { app.start(into: .foreground) } }

  public func moveToForeground(_ app: App? = nil) { ask(.foreground, app) }
  public func moveToBackground(_ app: App? = nil) { ask(.background, app) }
  public func suspend(_ app: App? = nil) { ask(.suspend, app) }

  /// The system ends apps that run.
  public func terminate(_ cause: Termination, _ app: App? = nil) {
    switch cause {
    case .memoryPressure: ask(.terminate, app)
    }
  }

  /// The user swipes apps away.
  public func forceQuit(_ app: App? = nil) { ask(.quit, app) }

  /// The screen goes off.
  public func lock() { ask(.lock, nil) }
  public func unlock() { ask(.unlock, nil) }
  public func switchBluetooth(on isOn: Bool) { ask(isOn ? .bluetoothOn : .bluetoothOff, nil) }
  public func resetBluetooth() { ask(.bluetoothReset, nil) }
  public func reboot() { ask(.reboot, nil) }

  /// What cannot be done fails the test that asks for it.
  private func ask(_ command: ControlRequest.Command, _ app: App?) {
    air.note(name, "\(command.rawValue)\(app.map { " \($0.bundleIdentifier)" } ?? "")")
    let request = ControlRequest(command, app: app?.bundleIdentifier)
    let result = air.loop.run(until: air.loop.now + .seconds(10)) { [system] in await system.perform(request) }
    guard let reply = try? result?.get() else { return _ = Issue.record("'\(command.rawValue)' does not end") }
    if let error = reply.error { Issue.record("\(error)") }
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
    installed.start(into: .relaunched)
    return nil
  }

  func end(_ process: Int32) {}
}
