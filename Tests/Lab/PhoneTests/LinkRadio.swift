import BleperaBluetooth
import BleperaLoop
import BleperaRadio

@testable import BleperaPhone

/// A radio of both roles whose links the test makes and ends; its peripherals have `RoleStage.services`, and answer at
/// once.
actor LinkRadio: PhoneRadio {
  nonisolated let loop: any ActorLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
  nonisolated var isOnLoop: Bool { loop.isCurrent }
  nonisolated var requestTimeLimit: Duration? { nil }
  nonisolated var hasCentralRole: Bool { true }
  nonisolated var stackServices: Set<BluetoothUUID> { [] }

  private let report: @Sendable (RadioEvent) -> Void
  /// Called before a link is reported, and before its end is.
  private let linkChanged: @Sendable (PeripheralID, Bool) -> Void
  private(set) var inReach: Set<PeripheralID>
  private(set) var links: Set<PeripheralID> = []
  private var wanted: Set<PeripheralID> = []
  private var isOn: Bool
  /// The first handles of the services.
  private(set) var published: [AttributeHandle] = []
  private var subscriptions: [AttributeHandle: [CentralID]] = [:]

  init(
    loop: any ActorLoop, inReach: Set<PeripheralID>, isOn: Bool, report: @escaping @Sendable (RadioEvent) -> Void,
    linkChanged: @escaping @Sendable (PeripheralID, Bool) -> Void
  ) {
    (self.loop, self.inReach, self.isOn, self.report, self.linkChanged) = (loop, inReach, isOn, report, linkChanged)
  }

  /// Calls the radio on its loop.
  nonisolated func now<Value: Sendable>(_ body: @Sendable (isolated LinkRadio) -> Value) -> Value {
    assumeIsolated { body($0) }
  }

  func start() async throws(RadioFailure) { reportState() }

  /// Reports the state; if Bluetooth is on, the phone has also received the peripherals.
  private func reportState() {
    report(.state(isOn ? .poweredOn(adapter: "hci0") : .poweredOff(adapter: "hci0")))
    guard isOn else { return }
    for address in RestorationHistory.peripherals {
      report(.received(address, ReceivedAdvertisement(AdvertisingData([]), rssi: -50)))
    }
  }

  // MARK: What the test does

  /// - Returns: whether the peripheral is in reach now.
  func move(_ address: PeripheralID) -> Bool {
    if inReach.remove(address) == nil {
      inReach.insert(address)
      connectWanted()
      return true
    }
    if links.remove(address) != nil {
      linkChanged(address, false)
      report(.peripheralDisconnected(address, .timeout))
    }
    return false
  }

  func notify(_ address: PeripheralID) { report(.valueReceived(address, 0x12, [1])) }

  func switchPower(on isOn: Bool) {
    self.isOn = isOn
    if !isOn {
      let lost = subscriptions
      (links, wanted, subscriptions) = ([], [], [:])
      for (handle, centrals) in lost {
        for central in centrals {
          report(.unsubscribed(handle, RadioCentral(id: central)))
          report(.disconnected(RadioCentral(id: central)))
        }
      }
    }
    reportState()
  }

  func subscribe(_ central: CentralID, to handle: AttributeHandle) {
    subscriptions[handle, default: []].append(central)
    report(.connected(RadioCentral(id: central)))
    report(.subscribed(handle, RadioCentral(id: central)))
  }

  func unsubscribe(_ central: CentralID, from handle: AttributeHandle) {
    subscriptions[handle]?.removeAll { $0 == central }
    report(.unsubscribed(handle, RadioCentral(id: central)))
  }

  // MARK: The central role

  func scan(_ scan: ScanWindow?) {}

  func connect(to peripherals: Set<PeripheralID>, listening scan: ScanWindow) {
    wanted = peripherals
    connectWanted()
  }

  private func connectWanted() {
    Task { connectNow() }
  }

  private func connectNow() {
    guard isOn else { return }
    for address in wanted.sorted(by: { $0.rawValue < $1.rawValue })
    where inReach.contains(address) && !links.contains(address) {
      wanted.remove(address)
      links.insert(address)
      linkChanged(address, true)
      report(.peripheralConnected(RadioPeripheral(id: address, isBonded: false, mtu: 185)))
    }
  }

  func disconnect(from peripheral: PeripheralID) {
    guard links.remove(peripheral) != nil else { return }
    Task { report(.peripheralDisconnected(peripheral, .byPhone)) }
  }

  func perform(_ procedure: GATTProcedure, as id: PeripheralOperationID, at peripheral: PeripheralID) {
    complete(id, RoleStage.answer(to: procedure), at: peripheral)
  }

  func readRSSI(of peripheral: PeripheralID, as id: PeripheralOperationID) {
    complete(id, RoleStage.rssi, at: peripheral)
  }

  private func complete(_ id: PeripheralOperationID, _ answer: ProcedureAnswer, at peripheral: PeripheralID) {
    Task {
      if links.contains(peripheral) { report(.completed(id, .success(answer))) }
    }
  }

  // MARK: The peripheral role

  func publish(_ services: [RadioService]) {
    for service in services {
      published.append(service.handles.start)
      report(.published(service.handles.start))
    }
  }

  func remove(service: AttributeHandle) {
    published.removeAll { $0 == service }
    for central in subscriptions.removeValue(forKey: value(of: service)) ?? [] {
      report(.unsubscribed(value(of: service), RadioCentral(id: central)))
    }
  }

  /// The handle of the only value of a service.
  func value(of service: AttributeHandle) -> AttributeHandle { AttributeHandle(rawValue: service.rawValue + 2) }
  func respond(to request: RadioRequestID, _ result: Result<[UInt8], ATTError>) -> ATTError? { nil }
  func update(_ characteristic: AttributeHandle, _ value: [UInt8], to centrals: [CentralID]) -> RadioFailure? { nil }
  func uncarriedUpdates(to central: CentralID) -> Int { 0 }

  func subscribers(of characteristic: AttributeHandle) -> [RadioCentral] {
    (subscriptions[characteristic] ?? []).map { RadioCentral(id: $0) }
  }

  func retainedSubscribers(of characteristic: AttributeHandle) -> [RadioCentral] { subscribers(of: characteristic) }

  func advertise(_ advertisement: RadioAdvertisement?) {
    report(advertisement == nil ? .advertisingStopped : .advertising)
  }

  var packets: [RadioPacket] { [] }
  var connectedCentrals: [RadioCentral] { [] }
  func disconnect(_ central: CentralID) {}
  func publishChannel(isEncrypted: Bool, _ completion: @escaping @Sendable (Result<L2CAPPSM, RadioFailure>) -> Void) {}
  func unpublishChannel(_ psm: L2CAPPSM) {}
  func switchPower(on isOn: Bool, _ completion: @escaping @Sendable (RadioFailure?) -> Void) -> Bool { false }
  var address: RadioAddress? { nil }
  var implementation: String? { nil }
  var limitations: [RadioLimitation] { [] }
  func settle() async {}
  func shutDown() async {}
}
