import AppLink
public import GATT
package import Profile
import ProfileApp

/// An app as it is installed: what it is, publishes, advertises and does.
public struct AppDefinition: Sendable {
  /// What it answers a read of a characteristic with.
  public typealias Reader = @Sendable (BluetoothUUID) -> Result<[UInt8], ATTError>
  /// What it does with a value that is written; the error is the central's.
  public typealias Writer = @Sendable (BluetoothUUID, [UInt8]) -> ATTError?

  /// What it does when it hears from the system. There `App.update` can be used, as in `updateValue`'s delegate.
  public typealias Listener = @Sendable (App.Event, App) -> Void

  let identity: AppIdentity
  let localName: String?
  let advertised: [BluetoothUUID]
  let services: [ServiceDefinition]
  let read: Reader
  let write: Writer
  let hears: Listener
  let seed: UInt64
  /// Where it is a profile's, what it does is the profile's too.
  let profile: Profile?

  /// An app of closures, which are called on the air's clock.
  ///
  /// - Parameters:
  ///   - restoreIdentifier: nil where the app does not opt in to state restoration.
  ///   - hasBackgroundMode: whether `UIBackgroundModes` has `bluetooth-peripheral`.
  ///   - advertised: the service UUIDs; nil for those of its primary services.
  public init(
    _ bundleIdentifier: String, restoreIdentifier: String? = nil, hasBackgroundMode: Bool = true,
    localName: String? = nil, advertising advertised: [BluetoothUUID]? = nil, services: [ServiceDefinition],
    read: @escaping Reader = { _ in .success([]) }, write: @escaping Writer = { _, _ in nil },
    hears: @escaping Listener = { _, _ in }
  ) {
    identity = AppIdentity(
      bundleIdentifier: bundleIdentifier, name: bundleIdentifier.split(separator: ".").last.map { "\($0)" } ?? "",
      backgroundModes: hasBackgroundMode ? [Profile.peripheralBackgroundMode] : [],
      restoreIdentifier: restoreIdentifier)
    self.localName = localName
    self.advertised = advertised ?? services.filter(\.isPrimary).map(\.uuid)
    self.services = services
    self.read = read
    self.write = write
    self.hears = hears
    seed = 0
    profile = nil
  }

  /// An app whose behaviour is a profile's, the bytes of a property list.
  public init(profile bytes: [UInt8], file: String = "profile.plist") throws {
    let check = Profile.check(bytes, file: file)
    guard let profile = check.profile else { throw StoryFailure.faultyProfile(check.diagnostics.map { "\($0)" }) }
    self.init(profile: profile, fallbackName: file)
  }

  /// - Parameters:
  ///   - fallbackName: where the profile has neither identifier nor name.
  ///   - seed: of the random values of its characteristics.
  package init(profile: Profile, fallbackName: String, seed: UInt64 = 0) {
    self.seed = seed
    let name = profile.bundleName ?? fallbackName
    identity = AppIdentity(
      bundleIdentifier: profile.bundleIdentifier ?? name, name: name, backgroundModes: profile.backgroundModes,
      restoreIdentifier: profile.restoreIdentifier)
    (localName, advertised, services) = (nil, [], [])
    (read, write, hears) = ({ _ in .failure(.unlikelyError) }, { _, _ in .unlikelyError }, { _, _ in })
    self.profile = profile
  }

  package var bundleIdentifier: String { identity.bundleIdentifier }

  /// Whether it asks for an advertisement.
  var advertises: Bool { profile.map { $0.advertisement != nil } ?? true }

  var serviceCount: Int { profile?.services.count ?? services.count }
}
