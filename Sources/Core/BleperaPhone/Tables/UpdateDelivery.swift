import BleperaBluetooth
import BleperaLoop
import BleperaRules

/// Updates on their way: updates that wait for a connection event, and updates kept for restored subscribers. The app
/// learns that kept updates are queued once they are saved.
struct UpdateDelivery {
  struct Unsaved {
    let app: AppID
    /// The number of the app's link.
    let session: Int
    let manager: ManagerID
    let characteristic: CharacteristicID
  }

  var queue = TransmitQueue()
  /// The next connection event, while updates wait.
  private var connectionEvent: (any LoopTimer)?
  private var unsaved: [Unsaved] = []
  private var savingTimer: (any LoopTimer)?

  // MARK: Connection events

  /// Counts an update until the next connection event, for which `timer` starts a timer.
  mutating func add(to centrals: [CentralID], timer: () -> any LoopTimer) {
    queue.add(to: centrals)
    awaitEvent(timer)
  }

  /// The connection event: only updates that the links have not carried stay, and wait for the next.
  mutating func drain(uncarried: (CentralID) -> Int, timer: () -> any LoopTimer) {
    connectionEvent = nil
    queue.drain(uncarried: uncarried)
    awaitEvent(timer)
  }

  private mutating func awaitEvent(_ timer: () -> any LoopTimer) {
    if connectionEvent == nil, !queue.isEmpty { connectionEvent = timer() }
  }

  // MARK: Kept updates

  var hasUnsaved: Bool { !unsaved.isEmpty }

  /// An update is kept; `timer` starts the timer after which it is saved with those that follow closely.
  ///
  /// - Parameter update: nil where the app does not wait for the result.
  mutating func kept(_ update: Unsaved?, timer: () -> any LoopTimer) {
    if let update { unsaved.append(update) }
    if savingTimer == nil { savingTimer = timer() }
  }

  /// Removes and returns the updates that are being saved.
  mutating func takeUnsaved() -> [Unsaved] {
    savingTimer?.cancel()
    savingTimer = nil
    defer { unsaved = [] }
    return unsaved
  }
}
