import BleperaBluetooth
import BleperaRadio
import BleperaRules

extension ManagerState {
  /// The power of the radio as the rules know it.
  var radioPower: RadioPower {
    switch self {
    case .unknown, .resetting, .unsupported, .unauthorized: .unavailable
    // A Bluetooth service that restarts and an adapter that is unplugged belong to the computer, not to the phone: apps
    // see Bluetooth as off, and everything is registered again later.
    case .poweredOff: .off
    case .poweredOn: .on
    }
  }
}

/// Whether the phone's Bluetooth is on: as the radio reports it, and as apps see it.
struct PhonePower {
  /// The state that apps see instead of the radio's: `unsupported` or `unauthorized`; nil where they can use the radio.
  private let unusable: ManagerState?
  /// The state that the radio reported last.
  private(set) var radio: RadioState?
  /// The state that apps see: unknown -> off, on, unusable; off -> on; on -> off, resetting; resetting -> off, on.
  private(set) var state = ManagerState.unknown
  var turns = PowerTurns()

  init(unusable: ManagerState? = nil) { self.unusable = unusable }

  /// The state for what the radio has reported.
  var reported: ManagerState { unusable ?? radio.map { $0.isOn ? .poweredOn : .poweredOff } ?? .unknown }

  /// - Returns: false where apps do not see the change: a reset switches the radio off and on to disconnect centrals.
  mutating func radioChanged(to new: RadioState) -> Bool {
    radio = new
    if state == .resetting, case .poweredOff = new { return false }
    return true
  }

  /// - Returns: whether apps see the change.
  mutating func change(to new: ManagerState) -> Bool {
    defer { state = new }
    return new != state
  }
}

/// Power commands that wait for the one before them: each awaits the adapter, and the last command has to win.
struct PowerTurns {
  private var isTaken = false
  /// The first is resumed with true when it has its turn; with false when it is not to wait any longer.
  private var waiting: [(number: Int, waiter: CheckedContinuation<Bool, Never>)] = []
  private var lastNumber = 0

  /// Takes the turn at once where nobody has it.
  mutating func take() -> Bool {
    defer { isTaken = true }
    return !isTaken
  }

  /// - Returns: the number with which `cancel` ends the wait.
  mutating func append(_ waiter: CheckedContinuation<Bool, Never>) -> Int {
    lastNumber += 1
    waiting.append((lastNumber, waiter))
    return lastNumber
  }

  mutating func cancel(_ number: Int) {
    guard let index = waiting.firstIndex(where: { $0.number == number }) else { return }
    waiting.remove(at: index).waiter.resume(returning: false)
  }

  /// Passes the turn to the next one.
  mutating func end() {
    if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().waiter.resume(returning: true) }
  }
}
