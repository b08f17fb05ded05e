import BleperaLoop
import BleperaPreservation
import Glibc

/// The processes that were started with a certain setting, by us or by one of them.
enum RunningProcesses {
  static func with(_ setting: String) -> [pid_t] {
    var found: [pid_t] = []
    for name in FolderNames.list("/proc") {
      guard let process = pid_t(name), let bytes = try? SystemDisk().read("/proc/\(name)/environ") else { continue }
      if bytes.split(separator: 0).contains(where: { $0.elementsEqual(setting.utf8) }) { found.append(process) }
    }
    return found
  }

  /// Until none is left: one may start another one meanwhile.
  static func kill(with setting: String) async {
    while true {
      let processes = with(setting)
      guard !processes.isEmpty else { return }
      for process in processes { _ = Glibc.kill(process, SIGKILL) }
      try? await Task.sleep(for: .milliseconds(2))
    }
  }
}
