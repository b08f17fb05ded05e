import BleperaAppLink
import BleperaBluetooth
import BleperaRules
import FoundationEssentials
import Glibc
import Testing

@testable import BleperaPhone

@Suite("The phone knows apps by number, by name and by link")
struct AppTableTests {
  private static func record(_ name: String, session: Int = 0) -> AppRecord {
    let identity = AppIdentity(
      bundleIdentifier: name, name: name, backgroundModes: [], rules: RuleOverrides())
    let record = AppRecord(identity: identity, since: Date(timeIntervalSince1970: 0))
    connect(record, session)
    return record
  }

  private static func connect(_ record: AppRecord, _ session: Int, peer: pid_t? = nil, mayStop: Bool = false) {
    let connection = AppConnection(link: makeInMemoryLink().system, session: session, mode: nil, peer: peer)
    record.connect(connection, as: record.identity, nil, mayStop: mayStop)
  }

  @Test("An app has its number until it is removed, and no app has it afterwards")
  func numbers() {
    var table = AppTable()
    let first = table.add(Self.record("a"))
    let second = table.add(Self.record("b"))
    table[first] = nil
    let third = table.add(Self.record("a"))
    #expect(table.ids == [second, third])
    #expect(Set([first, second, third]).count == 3)
    #expect(table[first] == nil && table.id(of: "a") == third && table.id(of: "c") == nil)
    _ = table[second]?.hold(.didFinish)
    #expect(table[second]?.holdsMessages == true && table[third]?.holdsMessages == false)
  }

  @Test("A link is its app's, a refused app's, or unknown before its first message")
  func links() {
    var table = AppTable()
    let (link, refused, other) = (table.addLink(), table.addLink(), table.addLink())
    let app = table.add(Self.record("a", session: link))
    table.setApp(app, ofLink: link)
    table.setApp(nil, ofLink: refused)
    #expect(table.app(ofLink: link) == .some(app))
    #expect(table.app(ofLink: refused) == .some(nil))
    #expect(table.app(ofLink: other) == nil)
  }

  @Test("Only the end of its last link is the end of an app, and only once")
  func ends() {
    var table = AppTable()
    let (former, last) = (table.addLink(), table.addLink())
    let app = table.add(Self.record("a", session: former))
    for link in [former, last] { table.setApp(app, ofLink: link) }
    table[app].map { Self.connect($0, last) }
    let ended = [former, last, last].map { table.removeLink($0) }
    #expect(ended == [nil, app, nil])
  }
}
