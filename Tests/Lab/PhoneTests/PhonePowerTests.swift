import BleperaBluetooth
import BleperaRadio
import Testing

@testable import BleperaPhone

@Suite("Apps see Bluetooth on, off, or not usable at all")
struct PhonePowerTests {
  private static let reports: [(ManagerState?, [RadioState], ManagerState)] = [
    (nil, [], .unknown), (nil, [.noDaemon()], .poweredOff), (nil, [.noAdapter(wanted: "hci0")], .poweredOff),
    (nil, [.poweredOff(adapter: "hci0"), .poweredOn(adapter: "hci0")], .poweredOn),
    (nil, [.poweredOn(adapter: "hci0"), .poweredOff(adapter: "hci0")], .poweredOff),
    (.unsupported, [], .unsupported), (.unauthorized, [.poweredOn(adapter: "hci0")], .unauthorized),
  ]

  @Test("The last state of the radio counts, where apps can use it", arguments: reports)
  func reported(unusable: ManagerState?, states: [RadioState], seen: ManagerState) {
    var power = PhonePower(unusable: unusable)
    for state in states {
      let isSeen = power.radioChanged(to: state)
      #expect(isSeen)
    }
    #expect(power.reported == seen)
    #expect(power.state == .unknown, "apps see it when the phone has changed to it")
    let isChange = power.change(to: power.reported)
    #expect(isChange == (seen != .unknown))
    let isSecond = power.change(to: power.reported)
    #expect(power.state == seen && !isSecond)
  }

  @Test("While Bluetooth is reset, apps do not see that the radio is off, but that it is gone or on again")
  func reset() {
    var power = PhonePower()
    _ = power.radioChanged(to: .poweredOn(adapter: "hci0"))
    _ = power.change(to: power.reported)
    _ = power.change(to: .resetting)
    #expect(power.state == .resetting)
    let seen = [RadioState.poweredOff(adapter: "hci0"), .noDaemon(), .poweredOn(adapter: "hci0")].map {
      power.radioChanged(to: $0)
    }
    #expect(seen == [false, true, true])
    _ = power.change(to: power.reported)
    #expect(power.state == .poweredOn)
    let isSeen = power.radioChanged(to: .poweredOff(adapter: "hci0"))
    #expect(isSeen)
  }
}
