import BleperaBluetooth
import Testing

@Suite("How an app is started again")
struct LaunchDescriptionTests {
  private static let process = LaunchDescription(
    arguments: ["app", "-v"], folder: "/srv",
    environment: [
      "PATH": "/bin", "HOME": "/root", "LANG": "C", "LC_TIME": "C", "XDG_RUNTIME_DIR": "/run", "DBUS_SESSION_BUS": "x",
      "BLEPERA_STATE_DIR": "/s", "AWS_SECRET_ACCESS_KEY": "s", "CI_JOB_TOKEN": "t", "LD_PRELOAD": "/evil.so",
      "PYTHONPATH": "/p",
    ])

  @Test("Of the environment only what a program needs is kept, and what is named")
  func environment() {
    let kept = Self.process.keepingEnvironment()
    #expect(
      kept.environment.keys.sorted() == [
        "BLEPERA_STATE_DIR", "DBUS_SESSION_BUS", "HOME", "LANG", "LC_TIME", "PATH", "XDG_RUNTIME_DIR",
      ])
    #expect(kept.arguments == Self.process.arguments && kept.folder == "/srv")
    let more = Self.process.keepingEnvironment(and: ["PYTHONPATH", "MISSING"])
    #expect(more.environment == kept.environment.merging(["PYTHONPATH": "/p"]) { old, _ in old })
  }
}
