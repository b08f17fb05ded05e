import BleperaAir
import BleperaAppLink
import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import BleperaPreservation
import BleperaSessions
import BleperaVirtualBlueZ
import Glibc

/// A message bus with its own folder. `LabSupervisor` removes both when this process ends.
final class PrivateMessageBus {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The timeout of the daemon's start, in milliseconds.
  private static let startTimeout: CInt = 10_000

  let address: BusAddress
  let folder: LabFolder
  private let lifeline: DataPipe
  let supervisor: ChildProcess

  /// Returns once the daemon listens.
  ///
  /// - Parameter program: a path of blepera.
  init(program: String = OwnProcess.program) throws(Failure) {
    guard let folder = LabFolder.make() else {
      throw Failure(description: "cannot create a folder in /tmp: \(Self.text(errno))")
    }
    self.folder = folder
    guard let lifeline = DataPipe(), let output = DataPipe() else {
      folder.remove()
      throw Failure(description: "cannot create a pipe: \(Self.text(errno))")
    }
    self.lifeline = lifeline
    do throws(ChildProcess.Failure) {
      supervisor = try ChildProcess(
        [program, LabSupervisor.supervise, folder.path],
        streams: .init(input: lifeline.reader, output: output.writer), inNewSession: true)
    } catch {
      folder.remove()
      throw Failure(description: "cannot run \(program): \(Self.text(error.code))")
    }
    lifeline.closeReader()
    output.closeWriter()
    let line = output.readLine(within: Self.startTimeout) ?? ""
    address = BusAddress(line)
    guard !line.isEmpty else {
      let log = (try? SystemDisk(syncs: false).read("\(folder.path)/log")) ?? []
      guard close() != .exited(LabSupervisor.isMissing) else {
        throw Failure(
          description: "dbus-daemon is missing; install the package dbus-daemon (dbus before Debian 12)")
      }
      let words = String(decoding: log, as: UTF8.self).split(separator: "\n").joined(separator: "; ")
      throw Failure(description: "dbus-daemon cannot start" + (words.isEmpty ? "" : ": \(words)"))
    }
  }

  /// Announces a command, which receives SIGHUP if this process ends before `track` was called.
  func commandWillStart() { lifeline.write("\(LabSupervisor.announcement)\n") }

  /// Sends the command SIGHUP if this process ends first; nil once the command has ended.
  func track(_ command: ChildProcess?) { lifeline.write(command.map { "\($0.id)\n" } ?? "\n") }

  /// Ends the daemon and the apps, and removes the folder before returning.
  @discardableResult
  func close() -> ChildProcess.End {
    lifeline.closeWriter()
    let end = supervisor.wait()
    // A supervisor that was killed has not removed the folder.
    if case .signalled = end { folder.remove() }
    return end
  }

  private static func text(_ code: CInt) -> String { unsafe String(cString: strerror(code)) }
}

/// A private message bus with a virtual org.bluez; neither outlives this process.
struct VirtualBus {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  let bus: PrivateMessageBus
  private let server: BlueZServer

  var address: BusAddress { bus.address }
  /// The folder of the bus, which only this user can enter, and which is removed with its contents.
  var folder: String { bus.folder.path }

  /// - Parameters:
  ///   - program: a path of blepera.
  ///   - air: the air for the adapters.
  ///   - lose: called on the loop's thread if the bus ends before it is closed.
  nonisolated(nonsending) static func open(
    _ options: BlueZServer.Options, program: String, air: SharedAir, on loop: EventLoop,
    lose: @escaping @Sendable () -> Void
  ) async throws(Failure) -> VirtualBus {
    let bus: PrivateMessageBus
    do throws(PrivateMessageBus.Failure) { bus = try PrivateMessageBus(program: program) } catch {
      throw Failure(description: "\(error)")
    }
    do throws(BlueZServer.Failure) {
      let server = try await BlueZServer.open(bus.address, on: loop, options: options, air: air)
      await server.connection.onDisconnect(lose)
      return VirtualBus(bus: bus, server: server)
    } catch {
      bus.close()
      throw Failure(description: "cannot start the virtual org.bluez: \(error)")
    }
  }

  /// Removes the bus and its folder before returning.
  nonisolated(nonsending) func close() async {
    await server.close()
    bus.close()
  }
}
