/// The identity of an app, from its Info.plist.
public struct AppIdentity: Hashable, Codable, Sendable {
  /// `CFBundleIdentifier`, unique on a system.
  public var bundleIdentifier: String
  /// `CFBundleDisplayName`, or `CFBundleName`.
  public var name: String
  /// `UIBackgroundModes`.
  public var backgroundModes: [String]
  /// The values of the rule set that the app overrides.
  public var rules: RuleOverrides
  /// Whether one of `accessorySetupKeys` contains Bluetooth: iOS 26 relaunches such an app in more cases than others.
  public var usesAccessorySetup: Bool

  /// Creates the identity of an app.
  public init(
    bundleIdentifier: String, name: String, backgroundModes: [String], rules: RuleOverrides = RuleOverrides(),
    usesAccessorySetup: Bool = false
  ) {
    self.bundleIdentifier = bundleIdentifier
    self.name = name
    self.backgroundModes = backgroundModes
    self.rules = rules
    self.usesAccessorySetup = usesAccessorySetup
  }
}

extension AppIdentity {
  /// All keys but `bundleIdentifier` and `name` are optional.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    bundleIdentifier = try container.decode(String.self, forKey: .bundleIdentifier)
    name = try container.decode(String.self, forKey: .name)
    backgroundModes = try container.decodeIfPresent([String].self, forKey: .backgroundModes) ?? []
    rules = try container.decodeIfPresent(RuleOverrides.self, forKey: .rules) ?? RuleOverrides()
    usesAccessorySetup = try container.decodeIfPresent(Bool.self, forKey: .usesAccessorySetup) ?? false
  }
}

extension AppIdentity {
  /// The entry of `UIBackgroundModes` that lets an app act as a peripheral in the background.
  public static let peripheralBackgroundMode = "bluetooth-peripheral"

  /// The entry of `UIBackgroundModes` that lets an app act as a central in the background.
  public static let centralBackgroundMode = "bluetooth-central"

  /// The keys of an Info.plist by which an app supports AccessorySetupKit. Apple documents both, since iOS 18.
  package static let accessorySetupKeys = ["NSAccessorySetupSupports", "NSAccessorySetupKitSupports"]

  /// Whether `UIBackgroundModes` has `bluetooth-peripheral`.
  public var hasBackgroundMode: Bool { backgroundModes.contains(Self.peripheralBackgroundMode) }

  /// Whether `UIBackgroundModes` has `bluetooth-central`.
  public var hasCentralBackgroundMode: Bool { backgroundModes.contains(Self.centralBackgroundMode) }

  /// The reason of the exception by which iOS ends the app when it creates the manager: a restoration identifier needs
  /// the background mode of the role (JuulLabs/kable #554; dotintent/FlutterBleLib #530). Nil for a manager that the
  /// app may create.
  package func exception(creating manager: ManagerID) -> String? {
    guard manager.restoreIdentifier != nil, !backgroundModes.contains(manager.role.backgroundMode) else { return nil }
    return """
      State restoration of \(manager.role == .central ? "CBCentralManager" : "CBPeripheralManager") is only allowed for \
      applications that have specified the "\(manager.role.backgroundMode)" background mode
      """
  }
}

extension ManagerID.Role {
  /// The entry of `UIBackgroundModes` that lets an app have the role in the background.
  package var backgroundMode: String {
    switch self {
    case .peripheral: AppIdentity.peripheralBackgroundMode
    case .central: AppIdentity.centralBackgroundMode
    }
  }
}

/// How an app's process was started, and can be started again.
public struct LaunchDescription: Hashable, Codable, Sendable {
  /// The program and its arguments.
  public var arguments: [String]
  /// The working directory, an absolute path.
  public var folder: String
  /// The environment variables.
  public var environment: [String: String]
  /// Whether the process does more than run the app, as `blepera serve` does; the phone does not stop it while the app
  /// is suspended.
  public var isHost: Bool?
  /// Whether the phone may stop the process with SIGSTOP while the app is suspended although the phone has not started
  /// the process.
  public var isSuspendable: Bool?

  /// Creates a description of how to start a process.
  public init(
    arguments: [String], folder: String, environment: [String: String], isHost: Bool? = nil, isSuspendable: Bool? = nil
  ) {
    self.arguments = arguments
    self.folder = folder
    self.environment = environment
    self.isHost = isHost
    self.isSuspendable = isSuspendable
  }

  /// The environment variable that has the managers for which the system has launched the app: on each line the role, a
  /// space and the restoration identifier.
  public static let launchVariable = "BLEPERA_BLUETOOTH_MANAGERS"

  /// The managers of `launchVariable`; nil for an app that the user has launched.
  package var launchManagers: [ManagerID]? {
    get {
      environment[Self.launchVariable]?.split(separator: "\n").compactMap { line in
        let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
        guard parts.count == 2, let role = ManagerID.Role(rawValue: parts[0]) else { return nil }
        return ManagerID(role, .restorable(parts[1]))
      }
    }
    set {
      // An identifier of several lines is in `welcome` alone.
      let lines = newValue?.compactMap { manager -> String? in
        guard let identifier = manager.restoreIdentifier, !identifier.isEmpty, !identifier.contains("\n") else {
          return nil
        }
        return "\(manager.role) \(identifier)"
      }
      environment[Self.launchVariable] = lines?.joined(separator: "\n")
    }
  }

  /// The description with only those environment variables that a program needs to find its files, its language and
  /// its message bus: others can be secrets, and the description is stored.
  ///
  /// - Parameter others: the names of further variables to keep.
  public func keepingEnvironment(and others: Set<String> = []) -> LaunchDescription {
    var description = self
    description.environment = environment.filter { name, _ in
      Self.keptVariables.contains(name) || Self.keptPrefixes.contains { name.hasPrefix($0) } || others.contains(name)
    }
    return description
  }

  static let keptVariables: Set<String> = [
    "COLORTERM", "HOME", "LANG", "LANGUAGE", "LOGNAME", "NO_COLOR", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER",
  ]
  static let keptPrefixes = ["BLEPERA_", "DBUS_", "LC_", "XDG_"]
}
