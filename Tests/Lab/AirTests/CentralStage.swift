import BleperaAir
import BleperaBluetooth
import BleperaHost
import BleperaHostRadio
import BleperaLoop
import BleperaRadio

/// A phone that is the central beside the one of a `PhoneStage`, its peripheral.
final class CentralStage: Sendable {
  static let peer = PeripheralID(rawValue: "00:AA:01:00:00:00")
  static let always = ScanWindow(interval: .milliseconds(30), window: .milliseconds(30), isActive: false)

  let stage: PhoneStage
  let radio: HostRadio
  let adapter: AdapterID
  private let events: Log

  /// - Parameter rotation: of the peripheral's and the phone's private addresses; nil for public ones.
  init(_ stage: PhoneStage = PhoneStage(), pairing: PairingMode = .justWorks, rotation: Duration? = nil) {
    let events = Log()
    self.stage = stage
    (radio, adapter) = stage.loop.perform { [air = stage.air] in
      air.assumeIsolated { host in
        var description = AdapterDescription(
          address: DeviceAddress(bits: 0x00AA_0100_0009), addressRotation: rotation, name: "second phone", mtu: 185,
          supervisionTimeout: AdapterDescription.iPhoneSupervisionTimeout)
        description.stack.client = .phone
        let adapter = host.addAdapter(description)
        let radio = HostRadio(adapter: air.hosted(adapter), pairing: pairing) { events.add(PhoneStage.text($0)) }
        radio.assumeIsolated { $0.start() }
        return (radio, adapter)
      }
    }
    self.events = events
    stage.wait(.milliseconds(5))
    _ = events.take()
  }

  func wait(_ duration: Duration) { stage.wait(duration) }

  /// The events that the radio has reported since the last call.
  func take() -> [String] { events.take() }

  func phone(_ body: @Sendable (isolated HostRadio) -> Void) { stage.loop.perform { radio.assumeIsolated(body) } }

  /// The peripheral advertises and the phone connects; nothing is left to be taken.
  func connect(to peer: PeripheralID = peer) {
    stage.phone { $0.advertise(PhoneStage.advertisement("phone")) }
    phone { $0.connect(to: [peer], listening: Self.always) }
    wait(.seconds(1))
    _ = (take(), stage.takeEvents())
  }

  /// The keys that the phone has.
  func bond(with address: DeviceAddress) -> SecurityBond? {
    stage.loop.perform { stage.air.assumeIsolated { $0.air.hosts[adapter]?.bonds[address] } }
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
    wait(.milliseconds(10))
    return take()
  }

  /// Reads the signal strength as that operation; what the radio reports.
  func readRSSI(as number: Int, of peer: PeripheralID = peer) -> [String] {
    phone { $0.readRSSI(of: peer, as: PeripheralOperationID(rawValue: number)) }
    wait(.milliseconds(10))
    return take()
  }
}
