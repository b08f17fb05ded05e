import DBus
import EventLoop
import VirtualBlueZ

/// A message bus of our own with a virtual org.bluez on it; nothing is left of either, however this process ends.
struct VirtualRadio {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let bus: LabBus
  private let server: BlueZServer

  var address: BusAddress { bus.address }
  /// Only this user can enter it; what stands in it goes with the radio.
  var folder: String { bus.folder }

  /// - Parameter lose: called on the loop's thread if the bus ends before it is closed.
  nonisolated(nonsending) static func open(
    _ options: BlueZServer.Options, on loop: EventLoop, lose: @escaping @Sendable () -> Void
  ) async throws(Failure) -> VirtualRadio {
    let bus: LabBus
    do throws(LabBus.Failure) { bus = try LabBus() } catch { throw Failure(description: "\(error)") }
    do throws(BlueZServer.Failure) {
      let server = try await BlueZServer.open(bus.address, on: loop, options: options)
      await server.connection.onDisconnect(lose)
      return VirtualRadio(bus: bus, server: server)
    } catch {
      bus.close()
      throw Failure(description: "org.bluez cannot be on a bus of our own: \(error)")
    }
  }

  /// Has the command that is about to start hang up too if this process ends before it is held by its id.
  func expectCommand() { bus.expectCommand() }

  /// Has the command hang up too if this process ends before it; nil once it has ended.
  func hold(_ command: ChildProcess?) { bus.hold(command) }

  /// Bus and folder are gone when this returns.
  nonisolated(nonsending) func close() async {
    await server.close()
    bus.close()
  }
}
