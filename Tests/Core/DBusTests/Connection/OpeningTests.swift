import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import BusTesting
import Testing

@Suite("Opening a connection", .timeLimit(.minutes(5)))
struct OpeningTests {
  @Test(
    "An address where nobody listens is refused with libdbus's reason",
    arguments: [
      ("unix:path=/nonexistent/blepera/socket", "Failed to connect to socket"), ("", "Empty address"),
      ("unix:", "missing argument path"), ("nonsense", "Address"), ("carrier-pigeon:nest=1", "address type"),
      ("unix:path=/nonexistent/a;unix:path=/nonexistent/b", "Failed to connect to socket"),
      ("tcp:host=127.0.0.1,port=0", "Failed to connect to socket"),
    ])
  func nobody(address: String, part: String) async throws {
    let error = await Self.error(of: BusAddress(address), timeout: .seconds(10))
    guard case .cannotConnect(let found, let reason)? = error else {
      throw PrivateBus.Failure(cause: "\(String(describing: error))")
    }
    #expect(found == BusAddress(address))
    #expect(reason.contains(part), "\(reason)")
  }

  @Test(
    "A server that does not go on is given up on",
    arguments: [("silence", PeerServer.Script.silence), ("no answer to Hello", .noHello)])
  func silence(name: String, script: PeerServer.Script) async throws {
    let server = try PeerServer([script])
    let error = await Self.error(of: server.address, timeout: .milliseconds(20))
    #expect(
      error == .cannotConnect(address: server.address, reason: "\(DBusFailure.timedOut(.milliseconds(20)))"))
  }

  @Test("A server that refuses us is no bus")
  func rejection() async throws {
    let server = try PeerServer([.rejection])
    let error = await Self.error(of: server.address, timeout: .seconds(10))
    #expect(error == .cannotConnect(address: server.address, reason: "\(DBusFailure.disconnected)"))
  }

  @Test("A hundred connections one after another leave nothing open")
  func many() async throws {
    try await Talk.run { talk async throws in
      let before = try PrivateBus.openDescriptors()
      for _ in 0..<100 {
        let connection = try await DBusConnection.open(talk.bus.address, on: talk.client.loop)
        #expect(await connection.uniqueName?.isUnique == true)
        await connection.close()
        #expect(await connection.outgoingSize == 0)
      }
      #expect(try PrivateBus.openDescriptors() - before < 100)
    }
  }

  private static func error(of address: BusAddress, timeout: Duration) async -> DBusFailure? {
    do throws(DBusFailure) {
      let connection = try await DBusConnection.open(address, on: TestLoops.second, timeout: timeout)
      await connection.close()
      return nil
    } catch {
      return error
    }
  }
}
