import BleperaAppLink
import BleperaBluetooth
import BleperaLoop
import BleperaRadio
import BleperaRules

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

/// Bluetooth is switched, and the phone rebooted, by one command after the other.
extension EmulatedPhone {
  /// How long the phone's end waits for a power command, as long as for the radio's pending operations.
  private static let powerTimeout = Duration.seconds(2)

  /// Performs a power command after those that came before it.
  func performInTurn(_ body: (isolated EmulatedPhone) async -> ControlReply) async -> ControlReply {
    if !powerTurns.take() {
      _ = await withCheckedContinuation { (waiter: CheckedContinuation<Bool, Never>) in
        _ = powerTurns.append(waiter)
      }
    }
    defer { powerTurns.end() }
    guard !isShutDown else { return ControlReply(error: "the phone is shutting down.") }
    return await body(self)
  }

  /// Returns when no power command is in progress, or after two seconds; commands that come later are refused once the
  /// phone is shut down.
  func awaitPowerCommands() async {
    guard !powerTurns.take() else { return powerTurns.end() }
    var timer: (any LoopTimer)?
    let hasTurn = await withCheckedContinuation { (waiter: CheckedContinuation<Bool, Never>) in
      let number = powerTurns.append(waiter)
      timer = loop.schedule(after: Self.powerTimeout) { [weak self] in
        self?.assumeIsolated { $0.powerTurns.cancel(number) }
      }
    }
    timer?.cancel()
    if hasTurn { powerTurns.end() }
  }

  func changeScreen(_ event: Policy.Event) {
    feed(event)
    isScreenRestored = false
    preserve()
  }

  // MARK: Commands

  func switchOn() async -> ControlReply { ControlReply(error: await switchRadio(on: true)?.description) }

  /// The apps that iOS forgets at the switch (R15) stay where the radio cannot be switched.
  func switchOff(by method: BluetoothSwitch) async -> ControlReply {
    if let failure = await switchRadio(on: false) { return ControlReply(error: "\(failure)") }
    feed(.bluetoothSwitched(method))
    return .done
  }

  /// Clears services and advertisements (R14) and disconnects centrals; apps start again when Bluetooth is on.
  func resetBluetooth() async -> ControlReply {
    guard radioState?.isOn == true else {
      return ControlReply(error: "Bluetooth is not on, so there is nothing to reset.")
    }
    change(to: .resetting)
    var failure = await switchRadio(on: false)
    if failure == nil { failure = await switchRadio(on: true) }
    // Of the states of a reset that fails half-way, apps see the one in which the radio stays.
    if failure != nil, case .resetting = power { change(to: reportedPower) }
    return ControlReply(error: failure?.description)
  }

  /// Terminates all apps and disconnects all centrals; until the screen is unlocked nothing is on the air (R15).
  func reboot() async -> ControlReply {
    let wasOn = radioState?.isOn == true
    changeScreen(.rebooted)
    guard wasOn else { return .done }
    if let failure = await switchRadio(on: false) {
      // The apps are gone already; so are the centrals of a phone that is rebooted.
      withRadio { radio in
        for central in radio.connectedCentrals { radio.disconnect(central.id) }
      }
      return ControlReply(error: "the phone is rebooted, with Bluetooth left on: \(failure)")
    }
    guard let failure = await switchRadio(on: true) else { return .done }
    return ControlReply(error: "the phone is rebooted, with Bluetooth off: \(failure)")
  }
}
