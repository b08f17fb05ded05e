import BleperaAir
import BleperaAppLink
import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import BleperaVirtualBlueZ
import Glibc

/// A message bus with its own folder, both removed when this process ends.
///
/// A shell reads a lifeline pipe that only this process can write to. When the pipe closes, because `close` was called or
/// because this process has ended in any way, the shell ends the daemon and removes the folder.
final class PrivateMessageBus {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// In milliseconds: how long the daemon may take to start.
  private static let startTimeout: CInt = 10_000
  /// The shell's exit status if dbus-daemon is not installed.
  private static let isMissing: CInt = 127
  private static let template = "/blepera-lab-XXXXXX"
  /// Has the folder in the environment of apps, which the shell kills.
  static let appVariable = "BLEPERA_LAB_APP"
  /// A daemon that was installed with this program, as a package for Python has it.
  private static let ownDaemon = "../libexec/blepera/dbus-daemon"

  let address: BusAddress
  /// Only this user can enter the folder, which is removed with its contents.
  let folder: String
  private let lifeline: DataPipe
  private let shell: ChildProcess

  /// Returns once the daemon listens.
  init() throws(Failure) {
    folder = try Self.makeFolder()
    guard let lifeline = DataPipe(), let output = DataPipe() else {
      unsafe rmdir(folder)
      throw Failure(description: "cannot create a pipe: \(Self.text(errno))")
    }
    self.lifeline = lifeline
    do throws(ChildProcess.Failure) {
      shell = try ChildProcess(
        ["sh", "-c", Self.script, folder, Self.configuration(folder), Self.ownDaemon],
        streams: .init(input: lifeline.reader, output: output.writer), inNewSession: true)
    } catch {
      unsafe rmdir(folder)
      throw Failure(description: "cannot run sh: \(Self.text(error.code))")
    }
    lifeline.closeReader()
    output.closeWriter()
    guard let line = output.readLine(within: Self.startTimeout), !line.isEmpty else {
      let reason = Self.read("\(folder)/log")
      lifeline.closeWriter()
      guard shell.wait() != .exited(Self.isMissing) else {
        throw Failure(
          description: "dbus-daemon is missing; install the package dbus-daemon (dbus before Debian 12)")
      }
      let words = reason.split(separator: "\n").joined(separator: "; ")
      throw Failure(description: "dbus-daemon cannot start" + (words.isEmpty ? "" : ": \(words)"))
    }
    address = BusAddress(line)
  }

  /// Announces a command, which receives SIGHUP if this process ends before `track` was called.
  func commandWillStart() { lifeline.write("?\n") }

  /// Announces apps, which are killed at the end of this process or by `close`.
  func appsWillStart() { lifeline.write("apps\n") }

  /// Sends the command SIGHUP if this process ends first; nil once the command has ended.
  func track(_ command: ChildProcess?) { lifeline.write(command.map { "\($0.id)\n" } ?? "\n") }

  /// Ends the daemon and removes the folder before returning.
  func close() {
    lifeline.closeWriter()
    shell.wait()
  }

  /// Creates a folder that only this user can enter.
  private static func makeFolder() throws(Failure) -> String {
    let runtime = unsafe getenv("XDG_RUNTIME_DIR").map { unsafe String(cString: $0) } ?? ""
    let isPlain = runtime.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "."):
        true
      default: false
      }
    }
    // Other characters have a meaning in an address or in the configuration.
    let isUsable =
      isPlain && runtime.hasPrefix("/") && runtime.utf8.count <= ControlAddress.longestFolder - Self.template.utf8.count
    for parent in isUsable ? [runtime, "/tmp"] : ["/tmp"] {
      var template = Array((parent + Self.template).utf8CString)
      guard unsafe mkdtemp(&template) != nil else { continue }
      return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    throw Failure(description: "cannot create a folder in /tmp: \(text(errno))")
  }

  private static func read(_ path: String) -> String {
    guard let file = unsafe fopen(path, "r") else { return "" }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 14)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  private static func text(_ code: CInt) -> String { unsafe String(cString: strerror(code)) }

  /// `$0` is the folder, `$1` the configuration, `$2` the daemon where PATH has none, from the folder of this program;
  /// the shell's parent is this process. The last line of the input is the process that receives SIGHUP at the
  /// end; `?` is a process that was announced only, found by its environment. So are apps, once they are
  /// announced, until none is left: one may be starting another.
  private static let script = """
    exec 2>/dev/null
    printf %s "$1" >"$0/bus.conf"
    program=$(command -v dbus-daemon) || {
      self=$(readlink -f /proc/$PPID/exe)
      program=${self%/*}/$2
    }
    if [ -x "$program" ]; then
      "$program" --config-file="$0/bus.conf" --nofork --nopidfile --print-address=1 2>"$0/log" </dev/null &
      daemon=$! status=0
    else
      daemon= status=\(isMissing)
    fi
    exec >&-
    held= apps=
    while read -r line; do
      case $line in
        apps) apps=$line ;;
        *) held=$line ;;
      esac
    done
    if [ "$held" = "?" ]; then
      held=$(grep -lzF "DBUS_SYSTEM_BUS_ADDRESS=unix:path=$0/bus," /proc/[0-9]*/environ | cut -d/ -f3)
    fi
    [ -z "$held" ] || kill -s HUP $held
    turns=100
    while [ -n "$apps" ] && [ $turns -gt 0 ]; do
      found=$(grep -lzxF "\(appVariable)=$0" /proc/[0-9]*/environ | cut -d/ -f3)
      [ -n "$found" ] || break
      kill -s KILL $found
      turns=$((turns - 1))
    done
    [ -z "$daemon" ] || kill -s KILL "$daemon"
    rm -rf "$0"
    exit $status
    """

  /// Any client may own any name, since org.bluez is one of them. The limits of a connection are those of a stock system
  /// bus, such as 128 pending replies; only the number of connections is a session bus's.
  private static func configuration(_ folder: String) -> String {
    """
    <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
     "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
    <busconfig>
      <type>session</type>
      <listen>unix:path=\(folder)/bus</listen>
      <auth>EXTERNAL</auth>
      <policy context="default">
        <allow send_destination="*" eavesdrop="true"/>
        <allow eavesdrop="true"/>
        <allow own="*"/>
      </policy>
      <limit name="max_completed_connections">100000</limit>
      <limit name="max_connections_per_user">100000</limit>
    </busconfig>

    """
  }
}

/// A private message bus with a virtual org.bluez; neither outlives this process.
struct VirtualBus {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let bus: PrivateMessageBus
  private let server: BlueZServer

  var address: BusAddress { bus.address }
  /// Only this user can enter the folder, which is removed with its contents.
  var folder: String { bus.folder }

  /// - Parameters:
  ///   - air: the air for the adapters.
  ///   - lose: called on the loop's thread if the bus ends before it is closed.
  nonisolated(nonsending) static func open(
    _ options: BlueZServer.Options, air: AirHost, on loop: EventLoop, lose: @escaping @Sendable () -> Void
  ) async throws(Failure) -> VirtualBus {
    let bus: PrivateMessageBus
    do throws(PrivateMessageBus.Failure) { bus = try PrivateMessageBus() } catch {
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

  func commandWillStart() { bus.commandWillStart() }

  func appsWillStart() { bus.appsWillStart() }

  func track(_ command: ChildProcess?) { bus.track(command) }

  /// Removes the bus and its folder before returning.
  nonisolated(nonsending) func close() async {
    await server.close()
    bus.close()
  }
}
