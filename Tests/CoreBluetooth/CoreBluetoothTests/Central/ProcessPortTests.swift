import BleperaAppLink
import BleperaBluetooth
import CoreBluetooth
import Glibc
import Synchronization
import Testing

@Suite("A process with a central manager")
struct ProcessPortTests {
  @Test("waits for what it retrieves, and begins again on a phone that replaces a lost one")
  func replacement() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let phone = try FakePhone()
      defer { phone.close() }
      phone.start { link, number in
        precondition(link.isHello())
        precondition(link.next() == .create(ManagerID(.central, .restorable("process"))))
        if number == 2 {
          let restored = RestoredPeripheral(peripheral: Scanner.description, state: .connecting, services: [])
          link.send(.willRestoreState(RestoredCentralState(scan: ScanRequest(), peripherals: [restored])))
        }
        link.send(.didUpdateState(.poweredOn))
        if number == 2 {
          precondition(link.next() == .central(.restorable("process"), .stopScan))
          precondition(link.next() == .central(.restorable("process"), .release(Scanner.id)))
        }
        precondition(link.next() == .central(.restorable("process"), .retrievePeripherals([])))
        link.send(.didRetrievePeripherals([Scanner.description]))
        // The first phone is lost before it has answered again.
        precondition(link.next() == .central(.restorable("process"), .retrieveConnectedPeripherals([])))
      }
      let app = ProcessApp()
      for round in 1...2 {
        app.wait()
        precondition(app.states.withLock { $0 } == (round == 1 ? [5] : [5, 1, 5]))
        let found = app.manager.retrievePeripherals(withIdentifiers: [])
        precondition(found.map(\.name) == ["Lamp"])
        precondition(app.manager.retrieveConnectedPeripherals(withServices: []).isEmpty)
      }
    }
    #expect(String(decoding: result?.standardErrorContent ?? [], as: UTF8.self) == "")
  }

  @Test("is notified that the user quits it where it runs, and ends")
  func quit() async throws {
    let running = await #expect(processExitsWith: .exitCode(137), observing: [\.standardErrorContent]) {
      try Self.run([.didChangeState(.background), .willTerminate(.forceQuit)])
    }
    let suspended = await #expect(processExitsWith: .exitCode(137), observing: [\.standardErrorContent]) {
      try Self.run([.didChangeState(.background), .didChangeState(.suspended), .willTerminate(.forceQuit)])
    }
    let terminated = await #expect(processExitsWith: .exitCode(137), observing: [\.standardErrorContent]) {
      try Self.run([.didChangeState(.inactive), .didChangeState(.foreground), .willTerminate(.memoryPressure)])
    }
    let lines = [running, suspended, terminated].map { result in
      String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n").map(String.init)
    }
    #expect(lines.map(\.count) == [2, 1, 1])
    #expect(lines[0].first == "will terminate" && lines[0].last?.hasSuffix("is terminated: forceQuit") == true)
  }

  /// Runs an app on a phone that sends these messages, and waits for its end.
  private static func run(_ messages: [PhoneMessage]) throws {
    let phone = try FakePhone()
    phone.start { link, _ in
      precondition(link.isHello() && link.next() == .create(ManagerID(.central, .restorable("process"))))
      // The process ends before it can remove the folder.
      phone.close()
      for message in [.welcome(version: 1)] + messages { link.send(message) }
    }
    let observer = NotificationCenter.default.addObserver(
      forName: Notification.Name("UIApplicationWillTerminateNotification"), object: nil, queue: nil
    ) { _ in FileHandle.standardError.write(Data("will terminate\n".utf8)) }
    let app = ProcessApp()
    app.wait()
    withExtendedLifetime(observer) {}
  }
}

/// A central on a queue of its own.
private final class ProcessApp: NSObject, CBCentralManagerDelegate, @unchecked Sendable {  // `manager` is set once
  private(set) var manager: CBCentralManager!
  let states = Mutex<[Int]>([])
  private let on = DispatchSemaphore(value: 0)

  override init() {
    super.init()
    manager = CBCentralManager(
      delegate: self, queue: DispatchQueue(label: "app"),
      options: [CBCentralManagerOptionRestoreIdentifierKey: "process"])
  }

  func wait() { on.wait() }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    states.withLock { $0.append(central.state.rawValue) }
    if central.state == .poweredOn { on.signal() }
  }

  func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
    preconditionFailure("the app has not been launched again")
  }
}

/// The socket of a phone in this process, which serves one app after the other.
private struct FakePhone {
  private let listener: CInt
  private let folder = NSTemporaryDirectory() + "blepera-\(getpid())"

  /// Sets the variables by which an app finds the phone.
  init() throws {
    unsafe setenv(ControlAddress.folderVariable, folder, 1)
    unsafe setenv("BLEPERA_SYSTEM", "fake", 1)
    let address = try ControlAddress(name: "fake")
    try address.prepareFolder()
    listener = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &name.sun_path) { unsafe $0.copyBytes(from: address.socket.utf8) }
    let result = unsafe withUnsafePointer(to: name) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    precondition(result == 0 && listen(listener, 1) == 0)
  }

  /// Serves each link on a thread, with the link's number, and then closes it.
  func start(_ body: @escaping @Sendable (Link, Int) -> Void) {
    Thread.detachNewThread { [listener] in
      for number in 1... {
        let link = Link(descriptor: accept(listener, nil, nil))
        body(link, number)
        Glibc.close(link.descriptor)
      }
    }
  }

  func close() { try? FileManager.default.removeItem(atPath: folder) }

  struct Link {
    let descriptor: CInt

    func isHello() -> Bool { if case .hello = next() { true } else { false } }

    func next() -> AppMessage? {
      var line: [UInt8] = []
      var byte: UInt8 = 0
      while unsafe read(descriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
      return try? JSONLine.decode(AppMessage.self, line)
    }

    func send(_ callback: CentralCallback) { send(.central(.restorable("process"), callback)) }

    func send(_ message: PhoneMessage) {
      let line = JSONLine.encode(message)
      precondition(unsafe write(descriptor, line, line.count) == line.count)
    }
  }
}
