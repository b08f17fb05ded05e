import BleperaBluetooth
import BleperaRadio
import BleperaRules
import Testing

@testable import BleperaPhone

@Suite("How the radio listens for the phone as a central")
struct CentralListeningTests {
  private static let app = AppID(rawValue: 1)
  private static let strap = PeripheralID(rawValue: "C0:11:22:33:44:55")
  private static let window = ScanWindow(interval: .milliseconds(100), window: .milliseconds(50), isActive: true)

  @Test("The phone is lit from an app's foreground or the screen's light on, until the time is over")
  func lit() {
    var listening = CentralListening()
    #expect(listening.conditions(of: Self.app) == nil)
    var areChanged = [listening.appChanged(Self.app, AppPresence(isForeground: false), litUntil: .seconds(10))]
    #expect(listening.conditions(of: Self.app)?.isLit == false)
    areChanged.append(listening.appChanged(Self.app, AppPresence(isForeground: true), litUntil: .seconds(10)))
    areChanged.append(listening.appChanged(Self.app, AppPresence(isForeground: true), litUntil: .seconds(20)))
    #expect(listening.conditions(of: Self.app)?.isLit == true && listening.deadline == nil)
    _ = listening.listen(Self.window)
    #expect(listening.deadline == .seconds(10))
    listening.passDeadline(at: .seconds(9))
    #expect(listening.deadline == .seconds(10))
    listening.passDeadline(at: .seconds(10))
    #expect(listening.conditions(of: Self.app)?.isLit == false && listening.deadline == nil)
    for isOn in [true, false, true] {
      areChanged.append(listening.screenChanged(isOn: isOn, litUntil: isOn ? .seconds(30) : nil))
    }
    #expect(listening.conditions(of: Self.app)?.isLit == true && listening.deadline == .seconds(30))
    areChanged.append(listening.appChanged(Self.app, nil, litUntil: .seconds(40)))
    #expect(listening.conditions(of: Self.app) == nil && listening.deadline == .seconds(30))
    #expect(areChanged == [true, true, false, false, true, true, true])
  }

  @Test("The radio learns of changes alone")
  func changes() {
    var listening = CentralListening()
    func scans(_ windows: ScanWindow?...) -> [Bool] { windows.map { listening.listen($0) != nil } }
    func connects(_ peripherals: Set<PeripheralID>...) -> [Bool] {
      peripherals.map { listening.want($0, .newest) != nil }
    }
    #expect(scans(nil, Self.window, Self.window) == [false, true, false])
    #expect(connects([], [Self.strap], [Self.strap]) == [false, true, false])
    _ = listening.screenChanged(isOn: false, litUntil: nil)
    #expect(connects([Self.strap], [Self.strap]) == [true, false])
    listening.connectionChanged(of: Self.strap)
    #expect(connects([], [Self.strap]) == [false, true])
    listening.radioEnded()
    #expect(scans(Self.window) == [true] && connects([Self.strap]) == [true])
  }
}
