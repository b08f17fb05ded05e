import ArgumentParser
import BleperaCLI
import BleperaCompare
import Glibc

/// Prints the instructions of each scene, and records the time at which it began.
enum ScenePlayer {
  /// - Parameter terminal: the output for the instructions; the answers are lines of standard input.
  static func play(on terminal: Terminal) throws(ExitCode) -> PlayedScenes {
    var (played, wait) = (PlayedScenes(), "")
    terminal.print("Start the capture. Press Return here at the moment when you follow an instruction.")
    for (number, scene) in Scene.all.enumerated() {
      terminal.write(Array("\(number + 1) of \(Scene.all.count): \(wait)\(scene.action): ".utf8))
      guard readLine(strippingNewline: true) != nil else {
        throw CommandFailure.exit("the scenes were not played to their end; no scene file is written")
      }
      played.add(scene, at: now)
      wait = "after \(Self.time(scene.seconds)): "
    }
    return played
  }

  private static func time(_ seconds: Int) -> String { seconds < 60 ? "\(seconds) s" : "\(seconds / 60) min" }

  /// The present time in nanoseconds since 1970.
  static var now: Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
