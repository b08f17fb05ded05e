import BleperaAir
import BleperaBluetooth
import BleperaHCI
import BleperaHost
import BleperaHostRadio
import BleperaLoop
import BleperaRadio
import ControllerTesting
import Synchronization

/// A phone that is the central beside the one of a `PhoneStage`, its peripheral.
final class CentralStage: Sendable {
  static let peer = PeripheralID(rawValue: "00:AA:01:00:00:00")
  static let always = ScanWindow(interval: .milliseconds(30), window: .milliseconds(30), isActive: false)

  let stage: PhoneStage
  let radio: HostRadio
  let adapter: AdapterID
  private let layer: LinkLayerKind
  private let events: Log

  /// - Parameters:
  ///   - rotation: of the peripheral's and the phone's private addresses; nil for public ones.
  ///   - layer: what the phone's host stands on; the peripheral is on the air itself.
  init(
    _ stage: PhoneStage = PhoneStage(), pairing: PairingMode = .justWorks, rotation: Duration? = nil,
    on layer: LinkLayerKind = .air
  ) {
    let events = Log()
    (self.stage, self.layer) = (stage, layer)
    (radio, adapter) = stage.loop.perform { [air = stage.air, loop = stage.loop] in
      air.assumeIsolated { host in
        var description = AdapterDescription(
          address: Self.identity, addressRotation: rotation, name: "second phone", mtu: 185,
          supervisionTimeout: AdapterDescription.iPhoneSupervisionTimeout)
        description.stack.client = .phone
        guard layer != .air else {
          let adapter = host.addAdapter(description)
          return (
            HostRadio(adapter: air.hosted(adapter), pairing: pairing) { events.add(PhoneStage.text($0)) }, adapter
          )
        }
        let controller = ControllerStage(
          loop: loop, air: air, phone: PhoneHost(description),
          identity: PhoneIdentity(address: "\(Self.identity)", key: PhoneIdentity(seed: 2).key),
          isLegacy: layer == .legacyController)
        let radio = HostRadio(adapter: controller.adapter, pairing: pairing) { events.add(PhoneStage.text($0)) }
        return (radio, controller.line.controller.adapter)
      }
    }
    self.events = events
    // The controller has answered everything.
    phone { $0.start() }
    stage.wait(.milliseconds(5))
    _ = events.take()
    nameAddress()
  }

  /// Names the phone's present address for the peripheral's events.
  private func nameAddress() {
    let address = central
    PhoneStage.names.withLock { $0[address.rawValue] = "9" }
  }

  private static let identity = DeviceAddress(bits: 0x00AA_0100_0009)

  /// The phone's address, as a peripheral without its key knows the phone.
  var address: DeviceAddress { stage.loop.perform { radio.adapter.state?.address } ?? Self.identity }
  var central: CentralID { CentralID(address) }

  func wait(_ duration: Duration) { stage.wait(duration) }

  /// Waits for what takes some packets: on this air packets take no time, but over a controller a connection has the
  /// interval that the phone has asked for.
  func waitForPackets() { wait(layer == .air ? .milliseconds(10) : .seconds(1)) }

  /// The events of a connection: the MTU is exchanged after it is reported, if packets take time.
  func connected(isBonded: Bool = false) -> [String] {
    let peer = isBonded ? "p0 bonded" : "p0"
    return layer == .air ? ["\(peer) 185 - connected"] : ["\(peer) 23 - connected", "\(peer) 185 - changed"]
  }

  /// The events that the radio has reported since the last call.
  func take() -> [String] { events.take() }

  func phone(_ body: @Sendable (isolated HostRadio) -> Void) { stage.loop.perform { radio.assumeIsolated(body) } }

  /// The peripheral advertises and the phone connects; nothing is left to be taken.
  func connect(to peer: PeripheralID = peer) {
    nameAddress()
    stage.phone { $0.advertise(PhoneStage.advertisement("phone")) }
    phone { $0.connect(to: [peer], listening: Self.always) }
    wait(.seconds(1))
    _ = (take(), stage.takeEvents())
  }

  /// The keys that the phone has.
  func bond(with address: DeviceAddress) -> SecurityBond? {
    stage.loop.perform { radio.adapter.withHost { $0.bonds[address] } ?? nil }
  }

  /// Numbers the procedures from 1; what the radio reports of them.
  func perform(_ procedures: GATTProcedure..., at peer: PeripheralID = peer) -> [String] {
    perform(procedures, at: peer)
  }

  func perform(_ procedures: [GATTProcedure], at peer: PeripheralID = peer) -> [String] {
    phone { radio in
      for (index, procedure) in procedures.enumerated() {
        radio.perform(procedure, as: PeripheralOperationID(rawValue: index + 1), at: peer)
      }
    }
    waitForPackets()
    return take()
  }

  /// The user types the passkey that the peripheral shows.
  func typePasskey() -> [String] {
    let passkey = stage.shownPasskey ?? 0
    phone { radio in for question in radio.pairingQuestions { radio.answerPairing(question, .passkey(passkey)) } }
    // Each of the 20 bits takes two events.
    wait(.seconds(3))
    return take()
  }

  /// Reads the signal strength as that operation; what the radio reports.
  func readRSSI(as number: Int, of peer: PeripheralID = peer) -> [String] {
    phone { $0.readRSSI(of: peer, as: PeripheralOperationID(rawValue: number)) }
    waitForPackets()
    return take()
  }
}
