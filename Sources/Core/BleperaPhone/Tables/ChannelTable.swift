package import BleperaBluetooth
import BleperaLoop
import BleperaRadio
import BleperaRules

/// The L2CAP channels of apps. Apple says nothing of these rules, they are ours:
///
/// - Data flows while the app runs, also in the background. Data of a suspended app waits at its sender and wakes
///   nobody; a channel that is opened meanwhile is reported to the app when it runs again.
/// - The channels of an app end with the app, and are not preserved.
/// - Where Bluetooth is switched off, open channels end and published ones stay; a reset removes those too, and those
///   that the radio has yet to publish.
struct ChannelTable {
  struct Published {
    let app: AppID
    let manager: ManagerID
    let isEncrypted: Bool
  }

  struct Open {
    let app: AppID
    let psm: L2CAPPSM
    let peer: ChannelPeer
    /// The radio's end.
    let stream: any ByteStream
    /// Copies between radio and app; nil until the app receives the channel.
    var pump: StreamPump?
  }

  private var published: [L2CAPPSM: Published] = [:]
  /// The channels that the radio has yet to publish, by the number of the call.
  private var pending: [Int: Published] = [:]
  /// By the number that apps know.
  private var open: [Int: Open] = [:]
  private var lastNumber = 0
  private var lastCall = 0

  // MARK: Published channels

  /// Returns the number of the call to the radio.
  mutating func request(_ channel: Published) -> Int {
    lastCall += 1
    pending[lastCall] = channel
    return lastCall
  }

  /// The channel that the radio has published or refused; nil where its app has ended or Bluetooth was reset meanwhile.
  mutating func take(_ call: Int) -> Published? { pending.removeValue(forKey: call) }

  /// - Parameter app: nil for all apps.
  mutating func removePending(by app: AppID?) { pending = pending.filter { app != nil && $0.value.app != app } }

  /// - Parameter app: nil for all apps.
  func published(by app: AppID? = nil) -> [(psm: L2CAPPSM, channel: Published)] {
    published.filter { app == nil || $0.value.app == app }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  func publisher(of psm: L2CAPPSM) -> Published? { published[psm] }

  mutating func publish(_ channel: Published, at psm: L2CAPPSM) { published[psm] = channel }

  mutating func unpublish(_ psm: L2CAPPSM) -> Published? { published.removeValue(forKey: psm) }

  // MARK: Open channels

  /// In the order in which they were opened.
  ///
  /// - Parameter app: nil for all apps.
  func open(of app: AppID? = nil) -> [(number: Int, channel: Open)] {
    open.filter { app == nil || $0.value.app == app }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Returns the number of the channel.
  mutating func add(_ channel: Open) -> Int {
    lastNumber += 1
    open[lastNumber] = channel
    return lastNumber
  }

  /// The channel, if it is open and its app has not received it.
  func unconnected(_ number: Int) -> Open? { open[number].flatMap { $0.pump == nil ? $0 : nil } }

  mutating func connect(_ number: Int, _ pump: StreamPump) { open[number]?.pump = pump }

  mutating func remove(_ number: Int) -> Open? { open.removeValue(forKey: number) }
}

/// The other side of an L2CAP channel.
package enum ChannelPeer: Hashable, Sendable {
  case central(CentralID)
  /// By the address that the radio knows.
  case peripheral(PeripheralID)
}
