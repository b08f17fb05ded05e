import BleperaAppLink
import BleperaPhone
import BleperaRecording
import BleperaRules
import BleperaSimulation
import Testing

@testable import BleperaReport

@Suite struct ReportTests {
  /// A trace of one phone; `T` is the time of each line, a second after the line before.
  private static func source(_ lines: [String], phones: [String?] = [nil]) throws -> ReportSource {
    let header = TraceHeader(
      time: Timestamp(sinceEpoch: Air.virtualBeginning), blepera: "0.1.0", command: "serve", ios: 26,
      phones: phones.map { TraceHeader.Phone(name: $0, apps: ["a"]) })
    let rows = lines.enumerated().map { index, line in
      let time = Timestamp(sinceEpoch: Air.virtualBeginning + .seconds(index + 1)).date
      return "{" + line.replacing("'", with: "\"") + ",\"time\":\"\(time)\"}"
    }
    let text = ([header.json] + rows).joined(separator: "\n") + "\n"
    return ReportSource(try TraceFile(Array(text.utf8)), path: "traces/one.jsonl")
  }

  private static func run(_ lines: String..., phones: [String?] = [nil]) throws -> ReportRun {
    ReportBuilder.run(try source(lines, phones: phones))
  }

  @Test func `states hold from their event to the next, and the last to the end`() throws {
    let run = try Self.run(
      "'event':'state','app':'a','state':'foreground','reason':'launched'",
      "'event':'read','app':'a','central':'C','value':'01'",
      "'event':'state','app':'a','state':'background','reason':'moved to the background'",
      "'event':'terminated','app':'a','reason':'memory pressure'")
    let states = run.phones[0].apps[0].states.map { span in (span[0], span[1], run.texts[span[2]]) }
    #expect(states.map(\.0) == [0, 2, 3])
    #expect(states.map(\.1) == [2, 3, 4])
    #expect(states.map(\.2) == ["foreground", "background", "notRunning"])
    #expect((run.events.map(\.time), run.length) == ([1000, 2000, 3000, 4000], 4000))
    #expect(run.events.map(\.line) == [2, 3, 4, 5])
  }

  @Test func `a connection ends with its subscriptions`() throws {
    let subscribed = "'event':'subscribed','app':'a','central':'C','service':'180D','characteristic':'2A37'"
    let run = try Self.run(
      "'event':'connected','central':'C'", subscribed, "'event':'disconnected','central':'C'",
      "'event':'connected','central':'C'")
    #expect(run.centrals.count == 1)
    #expect(run.centrals[0].links == [[0, 2, 0], [3, 4, 0]])
    #expect(run.centrals[0].subscriptions.map { Array($0.prefix(2)) } == [[1, 2]])
    #expect(run.texts[run.centrals[0].subscriptions[0][2]] == "phone  2A37 Heart Rate Measurement")
  }

  @Test func `nothing is on the air while Bluetooth is off`() throws {
    let advertising = "'event':'advertising','serviceUUIDs':['180D'],'intervalKind':'foreground'"
    let run = try Self.run(
      advertising, "'event':'poweredOff','adapter':'hci0'", "'event':'poweredOn','adapter':'hci0'", advertising)
    #expect(run.phones[0].air == [[0, 1, 0], [3, 4, 0]])
    #expect(run.phones[0].off.map { Array($0.prefix(2)) } == [[1, 2]])
    #expect(run.airs.count == 1)
  }

  @Test func `the packets are annotated, and each bit has its UUIDs`() throws {
    let run = try Self.run(
      "'event':'advertising','serviceUUIDs':[],'overflowServiceUUIDs':['180D'],'intervalKind':'background',"
        + "'interval':{'minimum':1022.5,'maximum':1022.5},'advertisingData':'02011A',"
        + "'scanResponse':'14FF4C000100000000000000200000000000000000',"
        + "'reasons':['180D: in the overflow area, bit 61 (R2)']")
    let air = try #require(run.airs.first)
    #expect(air.packets.map(\.title) == ["Advertisement", "Scan response"])
    #expect(air.packets[0].content.structures.map(\.text) == ["flags 1A: discoverable, dual mode"])
    #expect(air.packets[1].content.structures.map(\.text) == ["overflow area: bit 61"])
    #expect(air.overflow == [ReportAir.Bit(bit: 61, uuids: ["180D Heart Rate"])])
    #expect(air.mask == "00000000000000200000000000000000")
    #expect(air.interval == "every 1022.5 ms")
    #expect(run.events[0].rules == [2, 3])
  }

  @Test func `an older trace has bits without packets`() throws {
    let run = try Self.run("'event':'advertising','serviceUUIDs':[],'overflowServiceUUIDs':['180D']")
    #expect(run.airs[0].packets.isEmpty)
    #expect(run.airs[0].overflow.map(\.bit) == [61])
  }

  @Test func `events are counted`() throws {
    let run = try Self.run(
      "'event':'connected','central':'C'", "'event':'read','central':'C','error':{'code':5}",
      "'event':'write','central':'C','value':'01'", "'event':'notified','centrals':['C','D'],'value':'01'",
      "'event':'terminated','app':'a','reason':'a crash or a kill'", "'event':'relaunching','app':'a','reason':'x'",
      "'event':'savingFailed','reason':'full'")
    #expect(
      run.counts
        == ReportRun.Counts(
          requests: 2, refused: 1, notifications: 1, connections: 1, kills: 1, restorations: 1, problems: 1))
    #expect(run.events.map(\.isProblem) == [false, true, false, false, false, false, true])
    #expect(run.events[3].centrals == [0, 1])
  }

  @Test func `each phone of a lab has its own apps and air`() throws {
    let run = try Self.run(
      "'event':'state','app':'a','state':'foreground','reason':'launched','phone':'two'",
      "'event':'advertising','serviceUUIDs':[],'phone':'one'", phones: ["one", "two"])
    #expect(run.phones.map(\.name) == ["one", "two"])
    #expect(run.phones.map { $0.air.count } == [1, 0])
    #expect(run.phones.map { $0.apps[0].states.count } == [0, 1])
  }

  @Test func `the central of serve has its events in the lane of its address`() throws {
    let run = try Self.run(
      "'event':'discovered','side':'central','overflowBits':[61],'rssi':-50",
      "'event':'connected','side':'phone','central':'C'",
      "'event':'received','side':'central','service':'180D','characteristic':'2A37','value':'0654'")
    #expect(run.centrals.map(\.name) == ["central"])
    #expect(run.centrals.map(\.address) == ["C"])
    #expect(run.events.map(\.phone) == [nil, 0, nil])
    let details = run.events.map { run.texts[$0.details] }
    #expect(details == ["overflow bits 61  -50 dBm", "C", "2A37 Heart Rate Measurement  06 54"])
  }

  @Test func `a clock that is set back does not turn time around`() throws {
    var source = try Self.source(["'event':'advertisingStopped'", "'event':'advertisingStopped'"])
    source.lines.swapAt(0, 1)
    #expect(ReportBuilder.run(source).events.map(\.time) == [2000, 2000])
  }

  @Test(arguments: [
    ("'event':'state','app':'a','state':'suspended','reason':'its time in the background is over'", [4, 5]),
    ("'event':'state','app':'a','state':'background','reason':'woken for a read'", [5]),
    ("'event':'state','app':'a','state':'background','reason':'moved to the background'", []),
    ("'event':'terminated','app':'a','reason':'exceeding its limits'", [6]),
    ("'event':'read','central':'C','value':'01','cached':true", [10]),
    ("'event':'write','central':'C','value':'01','rule':'R4','error':{'code':14}", [4]),
    ("'event':'advertisingSuppressed','reasons':['180D: not advertised (R14)','x (R99)','y (z)','w']", [14]),
    ("'event':'advertisingWithheld','app':'a','rule':'R12'", [12]), ("'event':'restored','app':'a'", [7, 9]),
    ("'event':'peripheralConnected','peripheral':'P'", [17]),
    ("'event':'alert','app':'a','peripheral':'P','reason':'connected'", [19]),
  ])
  func `the rule behind an event`(line: String, rules: [Int]) throws {
    #expect(try Self.run(line).events[0].rules == rules)
  }

  /// `ReportRules` compares the text of reasons, which a trace has in place of the reason.
  @Test func `the reasons that name rules are reasons of the phone`() {
    let reasons: [StateReason] = [
      .relaunched, .otherAppOpened, .gracePeriodExpired, .finished, .wakeBudgetExpired, .overran,
    ]
    let rules = reasons.map { reason in
      var record = EventRecord(.state)
      record[.reason] = .text(reason.text)
      return record.rules.map(\.rawValue)
    }
    #expect(rules == [[8, 9], [11], [4, 5], [5], [5], [6]])
  }

  @Test func `every kind of event has a meaning`() {
    for kind in EventRecord.Kind.allCases where kind != .state {
      #expect(EventRecord(kind).reportKind.meaning.hasSuffix("."), "\(kind)")
    }
  }

  @Test func `nothing of a trace is markup`() throws {
    let hostile = "</script><script>alert(1)</script><!--"
    let lines = ["'event':'advertising','serviceUUIDs':[],'localName':'\(hostile)'"]
    let page = ReportPage([try Self.source(lines)], version: "1.0")
    #expect(page.html.hasPrefix(ReportPage.beginning))
    #expect(!page.html.contains("<script>alert"))
    #expect(page.html.contains("\\u003C/script>\\u003Cscript>alert(1)"))
    #expect(page.html.ranges(of: "<script").count == 2)
    #expect(page.summary == "1 phone, 0 centrals, 1 event")
  }

  @Test func `the page loads nothing`() throws {
    let html = ReportPage([try Self.source([])], version: "1.0").html
    #expect(html.contains("default-src 'none'"))
    for word in ["src=\"", "url(http", "@import", "fetch(", "innerHTML", "eval("] {
      #expect(!html.contains(word), "\(word)")
    }
  }

  @Test func `events beyond the limit are counted`() throws {
    var source = try Self.source(["'event':'advertisingStopped'"])
    for _ in 0..<ReportSource.limit { source.add(source.lines[0].record, at: source.lines[0].time) }
    #expect((source.lines.count, source.omitted) == (ReportSource.limit, 1))
  }
}
