import BleperaBluetooth
import BleperaPreservation
import Glibc

/// Reads the app's identity from its `Info.plist`.
enum AppInfo {
  /// The variable that has the path of the property list; without it, `Info.plist` beside the executable.
  static let variable = "BLEPERA_INFO_PLIST"

  /// The longest property list that is read, in bytes.
  private static let longestList = 1 << 20

  /// The identity for the process's property list; without one, an identity for the executable's name with both
  /// Bluetooth background modes.
  static func identity(program: String, environment: [String: String]) -> AppIdentity {
    let file = URL(fileURLWithPath: program)
    let name = file.lastPathComponent
    let path = environment[variable] ?? file.deletingLastPathComponent().appendingPathComponent("Info.plist").path
    guard let bytes = try? SystemDisk().read(path, atMost: longestList) else {
      if let given = environment[variable] {
        Misuse.log("WARNING: \(variable) names \(given), which cannot be read")
      }
      return AppIdentity(
        bundleIdentifier: name, name: name,
        backgroundModes: [AppIdentity.centralBackgroundMode, AppIdentity.peripheralBackgroundMode])
    }
    let list = unsafe try? PropertyListSerialization.propertyList(from: Data(bytes), options: [], format: nil)
    guard let list = list as? [String: Any] else {
      Misuse.log("WARNING: \(path) is not a property list with a dictionary")
      return AppIdentity(bundleIdentifier: name, name: name, backgroundModes: [])
    }
    return identity(list, path: path, fallbackName: name)
  }

  /// - Parameter fallbackName: the name for keys that the list omits, and for build variables.
  static func identity(_ list: [String: Any], path: String, fallbackName: String) -> AppIdentity {
    let given = list["CFBundleIdentifier"] as? String
    let replaced = given.flatMap { BuildVariables.identifier($0, name: fallbackName) }
    if let given, let replaced {
      Misuse.log("WARNING: \(path): CFBundleIdentifier is \(given), which has a build variable; \(replaced) is used")
    }
    let names = ["CFBundleDisplayName", "CFBundleName"].compactMap { list[$0] as? String }
    let supports = AppIdentity.accessorySetupKeys.flatMap { list[$0] as? [String] ?? [] }
    return AppIdentity(
      bundleIdentifier: replaced ?? given ?? fallbackName,
      name: names.first { !BuildVariables.areIn($0) } ?? fallbackName,
      backgroundModes: list["UIBackgroundModes"] as? [String] ?? [],
      usesAccessorySetup: supports.contains("Bluetooth"))
  }

  /// The path of this process's executable.
  static var program: String {
    let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return path ?? CommandLine.arguments.first ?? "app"
  }
}
