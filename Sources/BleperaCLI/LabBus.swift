import Control
import DBus
import EventLoop
import Glibc

/// A message bus of a lab's own, in a folder of its own.
///
/// Both hang on a leash: a shell reads a pipe whose other end is ours alone, and ends the daemon and removes the folder
/// when that end closes, by us or because this process has ended in whatever way.
final class LabBus {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// How long the daemon may take to listen, in milliseconds.
  private static let patience: CInt = 10_000
  /// The shell's status where there is no dbus-daemon.
  private static let isMissing: CInt = 127
  private static let template = "/blepera-lab-XXXXXX"

  let address: BusAddress
  /// Only this user can enter it; what stands in it goes with it.
  let folder: String
  private let leash: DataPipe
  private let shell: ChildProcess

  /// Returns once it listens.
  init() throws(Failure) {
    folder = try Self.makeFolder()
    guard let leash = DataPipe(), let output = DataPipe() else {
      unsafe rmdir(folder)
      throw Failure(description: "no pipe can be opened: \(Self.text(errno))")
    }
    self.leash = leash
    do throws(ChildProcess.Failure) {
      shell = try ChildProcess(
        ["sh", "-c", Self.script, folder, Self.configuration(folder)],
        streams: .init(input: leash.reader, output: output.writer), isApart: true)
    } catch {
      unsafe rmdir(folder)
      throw Failure(description: "sh cannot be run: \(Self.text(error.code))")
    }
    leash.closeReader()
    output.closeWriter()
    guard let line = output.readLine(within: Self.patience), !line.isEmpty else {
      let log = ProfileFile(path: "\(folder)/log")
      let reason = (try? log.read()).map { String(decoding: $0, as: UTF8.self) } ?? ""
      leash.closeWriter()
      guard shell.wait() != .exited(Self.isMissing) else {
        throw Failure(
          description: "dbus-daemon is missing; install the package dbus-daemon (dbus before Debian 12)")
      }
      let words = reason.split(separator: "\n").joined(separator: "; ")
      throw Failure(description: "dbus-daemon does not start" + (words.isEmpty ? "" : ": \(words)"))
    }
    address = BusAddress(line)
  }

  /// Has the command that is about to start hang up too if this process ends before it is held by its id.
  func expectCommand() { leash.write("?\n") }

  /// Has the command hang up too if this process ends before it; nil once it has ended.
  func hold(_ command: ChildProcess?) { leash.write(command.map { "\($0.id)\n" } ?? "\n") }

  /// Ends the daemon and removes the folder; both are done when this returns.
  func close() {
    leash.closeWriter()
    shell.wait()
  }

  /// A new one that only this user can enter.
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
    // Other characters mean something in an address or in the configuration.
    let isUsable =
      isPlain && runtime.hasPrefix("/") && runtime.utf8.count <= ControlAddress.longestFolder - Self.template.utf8.count
    for parent in isUsable ? [runtime, "/tmp"] : ["/tmp"] {
      var template = Array((parent + Self.template).utf8CString)
      guard unsafe mkdtemp(&template) != nil else { continue }
      return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    throw Failure(description: "no folder can be made in /tmp: \(text(errno))")
  }

  private static func text(_ code: CInt) -> String { unsafe String(cString: strerror(code)) }

  /// `$0` is the folder, `$1` the configuration. The lines of its input say which process it has to hang up at the end;
  /// `?` is one whose id nobody lived to tell, known by its environment.
  private static let script = """
    exec 2>/dev/null
    printf %s "$1" >"$0/bus.conf"
    if command -v dbus-daemon >/dev/null; then
      dbus-daemon --config-file="$0/bus.conf" --nofork --nopidfile --print-address=1 2>"$0/log" </dev/null &
      daemon=$! status=0
    else
      daemon= status=\(isMissing)
    fi
    exec >&-
    held=
    while read -r line; do held=$line; done
    if [ "$held" = "?" ]; then
      held=$(grep -lz "^DBUS_SYSTEM_BUS_ADDRESS=unix:path=$0/bus," /proc/[0-9]*/environ | cut -d/ -f3)
    fi
    [ -z "$held" ] || kill -s HUP $held
    [ -z "$daemon" ] || kill -s KILL "$daemon"
    rm -rf "$0"
    exit $status
    """

  /// Anybody may own any name, as org.bluez has to be. The limits are those of a session bus.
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
      <limit name="max_match_rules_per_connection">50000</limit>
      <limit name="max_replies_per_connection">50000</limit>
    </busconfig>

    """
  }
}
