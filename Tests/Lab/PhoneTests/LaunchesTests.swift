import BleperaBluetooth
import Testing

@testable import BleperaPhone

@Suite("The user can launch what does not run")
struct LaunchesTests {
  private static func app(_ name: String) -> EndedApp {
    EndedApp(
      identity: AppIdentity(
        bundleIdentifier: name, name: name, backgroundModes: [], rules: RuleOverrides()),
      process: nil)
  }

  private static func names(_ apps: [EndedApp]) -> [String] { apps.map(\.identity.bundleIdentifier) }

  @Test("Apps that were quit follow those that are preserved by name, without those being launched")
  func ended() async {
    var launches = Launches()
    let (results, outcomes) = AsyncStream<String?>.makeStream()
    for name in ["d", "b", "d"] { launches.add(Self.app(name)) }
    let preserved = [Self.app("c"), Self.app("a")]
    #expect(Self.names(launches.ended(preserved)) == ["a", "b", "c", "d"])
    launches.begin("b", outcomes)
    launches.begin("c", outcomes)
    #expect(Self.names(launches.ended(preserved)) == ["a", "d"])
    let hasFailed = launches.fail("b", "the process ended")
    #expect(hasFailed)
    launches.end("c")
    launches.end("d")
    #expect(Self.names(launches.ended(preserved)) == ["a", "b", "c"])
    let again = ["b", "c"].map { launches.fail($0, "") }
    #expect(again == [false, false])
    outcomes.finish()
    #expect(await results.reduce(into: []) { $0.append($1) } == ["b was not launched: the process ended.", nil])
  }

  @Test("Of too many apps that were quit, the one that ended first is forgotten")
  func limit() {
    var launches = Launches()
    for number in 0...Launches.limit { launches.add(Self.app("\(number)")) }
    launches.add(Self.app("1"))
    #expect(launches.quit.count == Launches.limit)
    #expect(Self.names(launches.quit).first == "2" && Self.names(launches.quit).last == "1")
  }
}
