import BleperaDBus
import Testing

@Suite("Match rules")
struct MatchRuleTests {
  @Test(
    "A rule has the specification's text",
    arguments: [
      (MatchRule(), "type='signal'"), (MatchRule(type: nil), ""), (MatchRule(type: .methodCall), "type='method_call'"),
      (
        MatchRule(
          sender: "org.bluez", interface: .properties, member: "PropertiesChanged", pathNamespace: "/org/bluez",
          arg0: "org.bluez.Device1"),
        "type='signal',sender='org.bluez',interface='org.freedesktop.DBus.Properties',member='PropertiesChanged',"
          + "path_namespace='/org/bluez',arg0='org.bluez.Device1'"
      ),
      (
        MatchRule(path: "/a", destination: ":1.2", arguments: [12: .equal("x"), 3: .path("/b/"), 64: .equal("no")]),
        "type='signal',path='/a',destination=':1.2',arg3path='/b/',arg12='x'"
      ),
      (MatchRule(type: nil, arg0namespace: "org.bluez"), "arg0namespace='org.bluez'"),
      (MatchRule(type: nil, arg0: #"it's, a\b"#), #"arg0='it'\''s, a\b'"#),
      (MatchRule(type: nil, arg0: "'"), #"arg0=''\'''"#), (MatchRule(type: nil, arg0: ""), "arg0=''"),
    ])
  func text(rule: MatchRule, text: String) {
    #expect(rule.text == text)
  }

  private static let signal = Signal(
    path: "/org/bluez/hci0", interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged",
    arguments: [.string("org.bluez.Adapter1"), .byte(1), .objectPath("/aa/bb"), .string("/aa/")])

  @Test(
    "A rule matches what the bus would send for it",
    arguments: [
      (MatchRule(), true), (MatchRule(type: nil), true), (MatchRule(type: .error), false),
      (MatchRule(sender: ":1.5"), true), (MatchRule(sender: ":1.6"), false), (MatchRule(sender: "org.bluez"), true),
      (MatchRule(interface: .properties), true), (MatchRule(interface: .peer), false),
      (MatchRule(member: "PropertiesChanged"), true), (MatchRule(member: "Other"), false),
      (MatchRule(path: "/org/bluez/hci0"), true), (MatchRule(path: "/org/bluez"), false),
      (MatchRule(pathNamespace: "/org/bluez/hci0"), true), (MatchRule(pathNamespace: "/org/bluez"), true),
      (MatchRule(pathNamespace: "/"), true), (MatchRule(pathNamespace: "/org/blue"), false),
      (MatchRule(pathNamespace: "/org/bluez/hci0/dev"), false), (MatchRule(destination: ":1.2"), false),
      (MatchRule(arg0: "org.bluez.Adapter1"), true), (MatchRule(arg0: "org.bluez"), false),
      (MatchRule(arg0namespace: "org.bluez"), true), (MatchRule(arg0namespace: "org.bluez.Adapter1"), true),
      (MatchRule(arg0namespace: "org.blue"), false), (MatchRule(arg0namespace: "org.bluez.Adapter1.X"), false),
      (MatchRule(arguments: [1: .equal("1")]), false), (MatchRule(arguments: [2: .equal("/aa/bb")]), false),
      (MatchRule(arguments: [3: .equal("/aa/")]), true), (MatchRule(arguments: [9: .equal("")]), false),
      (MatchRule(arguments: [2: .path("/aa/bb")]), true), (MatchRule(arguments: [2: .path("/aa/")]), true),
      (MatchRule(arguments: [2: .path("/")]), true), (MatchRule(arguments: [2: .path("/aa")]), false),
      (MatchRule(arguments: [2: .path("/aa/b")]), false), (MatchRule(arguments: [3: .path("/aa/bb/cc")]), true),
      (MatchRule(arguments: [3: .path("/aa")]), false), (MatchRule(arguments: [1: .path("/aa")]), false),
    ])
  func matches(rule: MatchRule, expected: Bool) {
    #expect(rule.matches(Self.signal, sender: ":1.5", owner: ":1.5") == expected)
  }

  @Test("A well-known sender is whoever owns it, and the bus is itself")
  func senders() {
    let bluez = MatchRule(sender: "org.bluez")
    #expect(!bluez.matches(Self.signal, sender: ":1.5"))
    #expect(!bluez.matches(Self.signal, sender: ":1.5", owner: ":1.6"))
    #expect(!bluez.matches(Self.signal, sender: nil))
    #expect(MatchRule(sender: .bus).matches(Self.signal, sender: .bus))
  }
}
