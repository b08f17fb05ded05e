import BleperaBluetooth
import BleperaRadio
import BleperaRules
import Testing

@testable import BleperaCLI
@testable import BleperaProfile

@Suite struct ExplainTextTests {
  @Test(arguments: ExplainSample.shipped)
  func `lines fit the terminal`(profile: (path: String, ios: IOSVersion)) throws {
    let explanation = try ExplainSample.explanation("\(profile.path) --ios \(profile.ios.rawValue)")
    for columns in [80, 98, 100, 150] {
      let lines = explanation.lines(for: .plain(columns: columns))
      #expect(lines.filter { $0.count > columns } == [])
      #expect(lines.filter { $0.hasSuffix(" ") } == [])
    }
  }

  @Test(arguments: ShippedProfiles.peripherals) func `color changes nothing but the color`(path: String) throws {
    let explanation = try ExplainSample.explanation(path)
    let colored = explanation.lines(for: .colored)
    #expect(colored.contains { $0.contains("\u{1B}[32m02 01 1A\u{1B}[0m") })
    #expect(colored.map(\.withoutColor) == explanation.lines(for: .plain))
  }

  @Test(arguments: [(98, false), (99, true), (100, true), (150, true), (999, true)])
  func `foreground and background are beside each other where there is room`(columns: Int, isBeside: Bool) throws {
    let lines = try ExplainSample.explanation("profiles/heart-rate.plist").lines(for: .plain(columns: columns))
    let title = try #require(lines.first { $0.hasPrefix("iPhone, foreground") })
    #expect(title.hasSuffix("iPhone, background") == isBeside)
    let bars = lines.compactMap { line in line.firstIndex(of: "│").map { line.distance(from: line.startIndex, to: $0) }
    }
    #expect(Set(bars) == (isBeside ? [min((columns - 3) / 2, 88) + 1] : []))
  }

  private static let parts: [(String, [String])] = [
    ("profiles/heart-rate.plist --state background", ["bit  61  180D", "  by bit 180D", "R2 ", "R3 "]),
    (
      "profiles/foreground-only.plist --state background",
      [
        "found by    trackers that know the phone's IRK, by its own Nearby Info",
        "Nothing of an app is on the air: an app without bluetooth-peripheral is not",
        "in the background (R4). The phone itself sends Nearby Info, every 270 ms.", "  1809: not advertised (R4)",
      ]
    ),
    (
      "profiles/foreground-only.plist --state suspended",
      ["reads          refused: 0x0E unlikelyError (R4)", "subscriptions  queued until the foreground (R4)"]
    ),
    ("profiles/smart-lock.plist --state suspended", ["writes         the app, woken for 10 s, after pairing (R5)"]),
    ("profiles/five-services.plist --state foreground", ["advertisement 2", "used by UUIDs and name"]),
    (
      "profiles/lock-remote.plist --state background",
      [
        "background  bluetooth-central", "scans for   C8B6F0B5-", "Received as a central, background",
        "connects    the first peripheral named \"Lock\", again after a loss",
        "screen on      advertisements and overflow areas, 30 ms of 300 ms; at",
        "screen off     advertisements, 30 ms of 965.625 ms (R16)",
        "running        discoveries, connections, disconnections, notifications and Bluetooth's",
        "               state: the app is woken for 10 s (R5)",
        "terminated     discoveries, connections, disconnections and notifications: the app is",
      ]
    ),
    (
      "profiles/heart-rate.plist --state background --exact",
      ["packets     the kernel's, with --exact, beside this bluetoothd", "BlueZ with --exact, background"]
    ),
    (
      "profiles/heart-rate.plist --state background --controller",
      ["packets     a controller's, with --controller: those of the iPhone", "Controller, background"]
    ),
  ]

  @Test(arguments: parts) func `what matters is there`(words: String, parts: [String]) throws {
    let lines = try ExplainSample.explanation(words).lines(for: .plain)
    for part in parts { #expect(lines.contains { $0.hasPrefix(part) }, "\(part)") }
  }

  private static func central(
    modes: [String], restores: Bool, _ state: ExplainedState
  ) throws -> (scans: [ScanView], outcomes: [String], rules: Set<RuleID>) {
    let text = """
      {
        UIBackgroundModes = (\(modes.joined(separator: ", ")));
        BLECentral = {
          \(restores ? "RestoreIdentifier = a;" : "") ScanServices = (180D);
          Connect = { Options = { NotifyOnNotification = YES; }; };
          Characteristics = ({ Service = 180D; UUID = 2A37; Subscribe = YES; });
        };
      }
      """
    let profile = try #require(Profile.check(Array(text.utf8), file: "f").profile)
    let receptions = try #require(ExplainSample.state(state, [profile]).receptions.first)
    let events = [receptions.events, receptions.eventsWhenSuspended, receptions.eventsWhenTerminated]
    return (
      receptions.scans,
      events.map { events in
        events.map { $0.map { "\($0.kind) \($0.outcome)\($0.alert ? " alert" : "")" }.joined(separator: ", ") } ?? "-"
      }, Set(receptions.rules)
    )
  }

  @Test func `what a central receives depends on its mode and on its restoration`() throws {
    let all = "connection app, disconnection app, notification app, power app"
    let background = try Self.central(modes: ["bluetooth-central"], restores: true, .background)
    #expect(background.scans.map(\.screenOn) == [true, false])
    #expect(
      background.outcomes == [
        "discovery app, " + all, "discovery woken, " + all.replacing("app", with: "woken"),
        "discovery relaunched, connection relaunched, disconnection relaunched, notification relaunched",
      ])
    let lost = try Self.central(modes: ["bluetooth-central"], restores: false, .suspended)
    #expect(
      lost.outcomes == [
        "-", "discovery woken, " + all.replacing("app", with: "woken"),
        "discovery dropped, connection dropped, disconnection dropped, notification dropped",
      ])
    let silent = try Self.central(modes: [], restores: false, .background)
    #expect(silent.scans.map(\.timing) == [nil, nil])
    #expect(
      silent.outcomes == [
        all, "connection queued, disconnection queued, notification queued alert, power queued",
        "connection dropped, disconnection dropped, notification dropped",
      ])
    #expect(silent.rules == [.r4, .r7, .r16, .r17, .r19] && lost.rules == [.r5, .r7, .r16, .r17])
    let front = try Self.central(modes: [], restores: false, .foreground)
    #expect(front.scans.map(\.timing) == ["30 ms of 40 ms"] && front.outcomes == ["discovery app, " + all, "-", "-"])
  }

  @Test func `every reason and every limitation is there, with its state`() throws {
    for path in ShippedProfiles.paths {
      let explanation = try ExplainSample.explanation(path)
      let text = explanation.lines(for: .plain(columns: 200))
      for state in explanation.states {
        for reason in state.plan.reasons { #expect(text.contains { $0.hasSuffix("\(reason)") }) }
        for limitation in state.limitations {
          let line = try #require(text.first { $0.hasSuffix(limitation.instead) })
          #expect(line.hasPrefix("both") || line.hasPrefix(state.state.rawValue))
        }
      }
    }
  }

  @Test func `a collision is marked, and the UUIDs behind it are named`() {
    let state = ExplainSample.state(.background, [ExplainSample.profile(nil, [0x1001, 0x3333])])
    let explanation = Explanation(state.apps, in: [.background], .newest)
    #expect(explanation.lines(for: .plain).contains("collision: bit 57 is shared by 1001, 3333"))
    #expect(explanation.lines(for: .colored).contains { $0.contains("\u{1B}[33m57\u{1B}[0m") })
  }

  @Test(
    arguments: [
      (Profile(), "advertises  nothing: its profile has no Advertisement"),
      (Profile(advertisement: AdvertisementData()), "advertises  no UUID and no name"),
      (ExplainSample.profile("a\u{1B}[2J", [0x180D]), #"advertises  180D, "a\u{1B}[2J""#),
    ])
  func `the requested advertisement is printed first, without control characters`(profile: Profile, line: String) {
    let explanation = Explanation([ExplainedApp(profile, fileName: "a", number: 1)], in: [.foreground], .newest)
    let lines = explanation.lines(for: .plain)
    #expect(lines[2] == line)
    #expect(lines.allSatisfy { !$0.contains("\u{1B}") })
  }

  @Test(
    arguments: [
      ("glucose-meter", "writes      2A52: 19 responses; others are refused with 0x0D invalidAttributeValueLength"),
      ("nordic-uart", "writes      6E400002-B5A3-F393-E0A9-E50E24DCCA9E: 5 responses"),
    ])
  func `the responses and refusals of a table are printed`(name: String, line: String) throws {
    let lines = try ExplainSample.explanation("profiles/\(name).plist").lines(for: .plain)
    #expect(lines.contains(line))
    #expect(try ExplainSample.explanation("profiles/heart-rate.plist").apps[0].responses == [])
  }

  @Test func `bytes that are longer than a column go on below`() {
    let profile = ExplainSample.profile("A name of twenty-six bytes", [])
    let explanation = Explanation(
      [ExplainedApp(profile, fileName: "a", number: 1)], in: [.foreground, .background], .newest)
    let lines = explanation.lines(for: .plain)
    #expect(lines.allSatisfy { $0.count <= 100 })
    let digits = Hex.string("A name of twenty-six bytes".utf8)
    #expect(lines.contains { $0.hasPrefix("1B 09 \(digits.prefix(42)) │") })
    #expect(lines.contains { $0.hasPrefix("      \(digits.dropFirst(42))") })
  }

  @Test func `the page shows what is printed`() throws {
    let transcripts = try PageTranscript.all(in: "docs/on-the-air.md", of: "blepera explain ")
    #expect(
      transcripts.map(\.words) == [
        "profiles/heart-rate.plist", "profiles/five-services.plist --state foreground",
        "--bluez-version 5.82 profiles/heart-rate.plist --state background",
      ])
    for transcript in transcripts {
      let printed = try ExplainSample.explanation(transcript.words).lines(for: .plain)
      #expect(transcript.isShortened(from: printed), "\(transcript.words)")
    }
  }
}
