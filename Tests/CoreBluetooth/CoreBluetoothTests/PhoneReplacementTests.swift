import BleperaAppLink
import BleperaBluetooth
import Testing

@testable import CoreBluetooth

@Suite("An app whose phone is replaced")
struct PhoneReplacementTests {
  @Test("It publishes each service once, also what it adds before it has learned of the loss")
  func once() {
    let port = ManualPort()
    let recorder = AppPorts.$current.withValue(port) { Recorder(restores: nil) }
    port.deliver(.poweredOn)
    // The first phone is lost, and the next one is on, while the app's queue is blocked.
    port.deliver(.resetting)
    port.deliver(.poweredOn)
    #expect(recorder.manager.state == .resetting)
    recorder.manager.add(recorder.makeService())
    #expect(port.added == 0)
    port.runCallbacks()
    #expect(recorder.lines == ["state 1", "state 1", "state 5"])
    #expect(port.added == 1)
    #expect(recorder.manager.state == .poweredOn)
  }

  @Test("A reset of Bluetooth is followed by each state in turn")
  func reset() {
    let port = ManualPort()
    let recorder = AppPorts.$current.withValue(port) { Recorder(restores: nil) }
    for state in [.poweredOn, .resetting, .poweredOn, .poweredOff] as [ManagerState] {
      port.deliver(state)
      port.runCallbacks()
    }
    #expect(recorder.lines == ["state 5", "state 1", "state 5", "state 4"])
    #expect(port.added == 2)
  }

  @Test("The objects of centrals that the app has let go of are not kept, and one that it has stays the same")
  func centrals() throws {
    let port = ManualPort()
    let recorder = AppPorts.$current.withValue(port) { Recorder(restores: nil) }
    let session = try #require(port.attachment.value as? AppSession)
    func central(_ number: Int) -> CBCentral {
      session.central(CentralDescription(id: CentralID(rawValue: "\(UUID())"), maximumUpdateValueLength: 20))
    }
    let known = CentralDescription(id: CentralID(rawValue: "\(UUID())"), maximumUpdateValueLength: 20)
    let kept = session.central(known)
    for number in 0..<10_000 { _ = central(number) }
    #expect(session.central(known) === kept)
    #expect(session.centralCount <= 128)
    withExtendedLifetime(recorder) {}
  }

  @Test("A phone that does not respond is waited for within a limit")
  func phoneStart() throws {
    let silent = Pipe()
    #expect(PhoneConnection.firstLine(of: silent.fileHandleForReading, within: .milliseconds(20)) == nil)
    let ready = Pipe()
    try ready.fileHandleForWriting.write(contentsOf: Data("ready\nmore".utf8))
    #expect(PhoneConnection.firstLine(of: ready.fileHandleForReading, within: .seconds(5)) == "ready")
    let ended = Pipe()
    try ended.fileHandleForWriting.close()
    #expect(PhoneConnection.firstLine(of: ended.fileHandleForReading, within: .seconds(5)) == "")
  }
}
