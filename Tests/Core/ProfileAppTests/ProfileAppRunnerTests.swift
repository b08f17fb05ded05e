import BleperaAppLink
import BleperaBluetooth
import BleperaLoop
import BleperaProfileApp
import Synchronization
import Testing

@testable import BleperaProfile

@Suite("The runner of an app")
struct ProfileAppRunnerTests {
  /// The runner's events, each with its second.
  private static func events(
    waits: Bool = false, of profile: Profile = Fixture.profile([[Fixture.characteristic()]]),
    _ story: (VirtualLoop, InMemoryAppLink<PhoneMessage, AppMessage>) -> Void
  ) -> [String] {
    let loop = VirtualLoop()
    let link = makeInMemoryLink()
    let events = Mutex<[String]>([])
    let app = ProfileAppRunner.App(
      profile: NamedProfile(profile: profile, name: "test"), seed: 1,
      process: LaunchDescription(arguments: ["test"], folder: "/", environment: [:]))
    let runner = ProfileAppRunner(loop: loop, apps: [app], launch: .foreground, waitsForRadio: waits) { _ in
      link.app
    } report: { event in
      events.withLock { $0.append("\(loop.now.components.seconds) \(event)") }
    }
    loop.perform { runner.assumeIsolated { $0.start() } }
    link.system.send(.welcome(version: appLinkVersion))
    story(loop, link.system)
    return events.withLock(\.self)
  }

  /// A radio that is on after an hour; the services are never published.
  private static func turnOn(_ loop: VirtualLoop, _ phone: InMemoryAppLink<PhoneMessage, AppMessage>) {
    phone.send(.peripheral(.number(0), .didUpdateState(.poweredOff)))
    loop.advance(by: .seconds(3600))
    phone.send(.peripheral(.number(0), .didUpdateState(.poweredOn)))
    loop.advance(by: .seconds(60))
  }

  @Test("It waits for a radio as long as it takes, and then has the same time for its services")
  func waiting() {
    #expect(
      Self.events(waits: true, Self.turnOn)
        == ["2 waitingForRadio", #"3615 unexplained("the profiles are not on the air")"#])
  }

  @Test("It ends without a radio where it does not wait")
  func ending() {
    #expect(Self.events(Self.turnOn) == [#"2 unexplained("the radio is not available")"#])
  }

  @Test(
    "An app that is only a central ends without a central role or a radio, and serves with one",
    arguments: [
      (ManagerState.unsupported, #"0 failed("the radio has no central role, which test needs")"#),
      (.poweredOff, #"2 unexplained("the radio is not available")"#), (.poweredOn, "0 serving"),
    ])
  func central(state: ManagerState, event: String) {
    var profile = Profile()
    profile.central = Profile.Central()
    let events = Self.events(of: profile) { loop, phone in
      phone.send(.central(.number(0), .didUpdateState(state)))
      loop.advance(by: .seconds(2))
    }
    #expect(events.first { !$0.contains("appServing") } == event)
  }

  @Test(
    "What a user has asked for is no failure",
    arguments: [
      (.forceQuit, "0 quit"),
      (.memoryPressure, #"0 terminated(app: "test", memoryPressure)"#),
      (.reboot, #"0 terminated(app: "test", reboot)"#),
      (.exceededLimits, #"0 failed("the phone has terminated test: exceeding its limits")"#),
    ] as [(TerminationCause, String)])
  func terminating(cause: TerminationCause, event: String) {
    let events = Self.events { loop, phone in
      phone.send(.willTerminate(cause))
      phone.close()
      loop.advance(by: .seconds(1))
    }
    #expect(events.count == 1 && events.first?.replacing(#/[A-Z]\w+\.\w+\./#, with: "") == event)
  }
}
