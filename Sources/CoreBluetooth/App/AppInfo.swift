import BleperaBluetooth
import BleperaPreservation
import Glibc

/// What the app is, from its `Info.plist`.
enum AppInfo {
  /// The variable that has the path of the property list; without it, `Info.plist` beside the executable.
  static let variable = "BLEPERA_INFO_PLIST"

  /// In bytes.
  private static let longestList = 1 << 20

  /// The identity for the process's property list; without one, an identity for the executable's name with the background
  /// mode of peripherals.
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
    return identity(list, fallbackName: name)
  }

  /// - Parameter fallbackName: used for keys that the list omits.
  static func identity(_ list: [String: Any], fallbackName: String) -> AppIdentity {
    // Xcode's placeholders, such as $(PRODUCT_NAME), are replaced when an app is built; here nothing replaces them.
    func text(_ key: String) -> String? { (list[key] as? String).flatMap { $0.contains("$(") ? nil : $0 } }
    let supports = AppIdentity.accessorySetupKeys.flatMap { list[$0] as? [String] ?? [] }
    return AppIdentity(
      bundleIdentifier: text("CFBundleIdentifier") ?? fallbackName,
      name: text("CFBundleDisplayName") ?? text("CFBundleName") ?? fallbackName,
      backgroundModes: list["UIBackgroundModes"] as? [String] ?? [],
      usesAccessorySetup: supports.contains("Bluetooth"))
  }

  /// The path of this process's executable.
  static var program: String {
    let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return path ?? CommandLine.arguments.first ?? "app"
  }
}
