import BleperaAppLink
import BleperaBluetooth
import BleperaLoop
import Synchronization
import Testing

@testable import CoreBluetooth

@Suite("What comes for a manager that is deallocated")
struct DeallocatedManagerTests {
  private static let psm = L2CAPPSM(rawValue: 0x80)
  private static let central = CentralDescription(
    id: CentralID(rawValue: "\(UUID())"), maximumUpdateValueLength: 20)
  private static let opened = PeripheralManagerCallback.didOpenL2CAPChannel(
    L2CAPChannel(id: 1, psm: psm, central: central))

  /// Delivers a message before or after the end of the app's manager; returns whether its channel is closed.
  private static func isClosed(
    _ callback: CentralCallback?, _ port: ManualPort, isQueued: Bool, end: () -> Void
  ) -> Bool {
    let stream = StreamStub()
    port.add(stream)
    let message = callback.map { PhoneMessage.central(.number(0), $0) } ?? .peripheral(.number(0), opened)
    if isQueued { port.deliver(message) }
    end()
    if !isQueued { port.deliver(message) }
    port.runCallbacks()
    return stream.isClosed
  }

  @Test("A channel is closed, whether it comes before the manager is deallocated or after", arguments: [true, false])
  func channels(isQueued: Bool) {
    let port = ManualPort()
    var recorder: Recorder? = AppPorts.$current.withValue(port) { Recorder(restores: nil) }
    port.deliver(.poweredOn)
    port.runCallbacks()
    #expect(recorder?.manager.state == .poweredOn)
    #expect(Self.isClosed(nil, port, isQueued: isQueued) { recorder = nil })
    var scanner: Scanner? = Scanner()
    let central = scanner?.port ?? port
    let peripheral = scanner?.connect()
    let opened = CentralCallback.peripheral(Scanner.id, .didOpenL2CAPChannel(id: 2, psm: Self.psm, error: nil))
    #expect(Self.isClosed(opened, central, isQueued: isQueued) { scanner = nil })
    withExtendedLifetime(peripheral) {}
  }

  @Test("A number that the phone publishes then is withdrawn")
  func publication() {
    let port = ManualPort()
    _ = AppPorts.$current.withValue(port) { Recorder(restores: nil) }
    _ = port.takeSent()
    port.deliver(.peripheral(.number(0), .didPublishL2CAPChannel(psm: Self.psm, error: nil)))
    #expect(port.takeSent() == [.peripheral(.number(0), .unpublishL2CAPChannel(Self.psm))])
  }
}

/// A stream on which nothing arrives.
final class StreamStub: ByteStream {
  private let closed = Atomic(false)
  var isClosed: Bool { closed.load(ordering: .relaxed) }

  func read(upTo limit: Int) -> [UInt8]? { [] }
  func write(_ bytes: ArraySlice<UInt8>) -> Int? { bytes.count }
  func wait(for readiness: Readiness, _ body: @escaping @Sendable () -> Void) {}
  func close() { closed.store(true, ordering: .relaxed) }
}
