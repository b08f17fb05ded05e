import BleperaAppLink
import BleperaBluetooth
import BleperaLoop
import BleperaRadio
import BleperaRules

/// Bluetooth is switched, and the phone rebooted, by one command after the other.
extension EmulatedPhone {
  /// How long the phone's end waits for a power command, as long as for the radio's pending operations.
  private static let powerTimeout = Duration.seconds(2)

  /// Performs a power command after those that came before it.
  func performInTurn(_ body: (isolated EmulatedPhone) async -> ControlReply) async -> ControlReply {
    if !power.turns.take() {
      _ = await withCheckedContinuation { (waiter: CheckedContinuation<Bool, Never>) in
        _ = power.turns.append(waiter)
      }
    }
    defer { power.turns.end() }
    guard !isShutDown else { return ControlReply(error: "the phone is shutting down.") }
    return await body(self)
  }

  /// Returns when no power command is in progress, or after two seconds; commands that come later are refused once the
  /// phone is shut down.
  func awaitPowerCommands() async {
    guard !power.turns.take() else { return power.turns.end() }
    var timer: (any LoopTimer)?
    let hasTurn = await withCheckedContinuation { (waiter: CheckedContinuation<Bool, Never>) in
      let number = power.turns.append(waiter)
      timer = loop.schedule(after: Self.powerTimeout) { [weak self] in
        self?.assumeIsolated { $0.power.turns.cancel(number) }
      }
    }
    timer?.cancel()
    if hasTurn { power.turns.end() }
  }

  func changeScreen(_ event: Policy.Event) {
    feed(event)
    centralScreenChanged()
    saving.isScreenRestored = false
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
    guard power.radio?.isOn == true else {
      return ControlReply(error: "Bluetooth is not on, so there is nothing to reset.")
    }
    change(to: .resetting)
    var failure = await switchRadio(on: false)
    if failure == nil { failure = await switchRadio(on: true) }
    // After a reset that fails half-way, apps see the state in which the radio stays.
    if failure != nil, power.state == .resetting { change(to: power.reported) }
    return ControlReply(error: failure?.description)
  }

  /// Terminates all apps and disconnects all centrals; until the screen is unlocked nothing is on the air (R15).
  func reboot() async -> ControlReply {
    let wasOn = power.radio?.isOn == true
    changeScreen(.rebooted)
    use { $0.rebooted() }
    guard wasOn else { return .done }
    if let failure = await switchRadio(on: false) {
      // A phone that is rebooted has lost its centrals; its apps have ended already.
      withRadio { radio in
        for central in radio.connectedCentrals { radio.disconnect(central.id) }
      }
      return ControlReply(error: "the phone is rebooted, with Bluetooth left on: \(failure)")
    }
    guard let failure = await switchRadio(on: true) else { return .done }
    return ControlReply(error: "the phone is rebooted, with Bluetooth off: \(failure)")
  }
}
