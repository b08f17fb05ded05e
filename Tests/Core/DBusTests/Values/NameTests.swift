import BleperaDBus
import Testing

@Suite("Names are accepted as the specification's grammars have them")
struct NameTests {
  private static let long = String(repeating: "a", count: 252)

  @Test(
    "An interface or error name is two or more elements",
    arguments: [
      ("org.bluez", true), ("a.b", true), ("_a._1", true), ("org.bluez.GattService1", true), (long + ".bc", true),
      ("", false), ("org", false), (".org", false), ("org.", false), ("org..bluez", false), ("org.1bluez", false),
      ("1org.bluez", false), ("org.blue-z", false), ("org.bluez ", false), ("org/bluez", false), ("örg.bluez", false),
      (long + ".bcd", false), (":1.2", false), (".", false),
    ])
  func interface(text: String, isValid: Bool) {
    #expect((InterfaceName(text) != nil) == isValid)
    #expect((ErrorName(text) != nil) == isValid)
  }

  @Test(
    "A member name is one element",
    arguments: [
      ("ReadValue", true), ("_", true), ("a1", true), (long + "abc", true), ("", false), ("1a", false), ("a.b", false),
      ("a-b", false), ("a b", false), ("é", false), (long + "abcd", false),
    ])
  func member(text: String, isValid: Bool) {
    #expect((MemberName(text) != nil) == isValid)
  }

  @Test(
    "A bus name is unique or well-known",
    arguments: [
      ("org.bluez", true), (":1.42", true), (":1.a-b", true), ("org.blue-z", true), ("-a.b", true), ("_a.b", true),
      (":" + long + ".b", true), (":1", false), (":", false), (":.1", false), (":1.", false), ("org", false),
      ("org.1a", false), ("1.org", false), ("org..a", false), ("", false), (":1..2", false), (":1:2.3", false),
      (":" + long + ".bcd", false),
    ])
  func bus(text: String, isValid: Bool) {
    #expect((BusName(text) != nil) == isValid)
    #expect(BusName(text)?.isUnique ?? false == (isValid && text.hasPrefix(":")))
  }

  @Test(
    "An object path is the root or elements behind slashes",
    arguments: [
      ("/", true), ("/a", true), ("/org/bluez/hci0/dev_00_11", true), ("/0/_", true),
      ("/" + String(repeating: "a", count: 1000), true), ("", false), ("a", false), ("//", false), ("/a/", false),
      ("/a//b", false), ("/a-b", false), ("/a b", false), ("/é", false), ("/a.b", false),
    ])
  func path(text: String, isValid: Bool) {
    #expect((ObjectPath(text) != nil) == isValid)
  }

  @Test("A name gives back its text") func text() {
    let name: InterfaceName = "org.bluez.Adapter1"
    #expect(name.rawValue == "org.bluez.Adapter1")
    #expect("\(name)" == "org.bluez.Adapter1")
  }

  @Test(
    "A path knows its place",
    arguments: [
      ("/", nil, "", "/x"), ("/a", "/", "a", "/a/x"), ("/a/bc", "/a", "bc", "/a/bc/x"),
      ("/org/bluez/hci0", "/org/bluez", "hci0", "/org/bluez/hci0/x"),
    ] as [(ObjectPath, ObjectPath?, String, ObjectPath)])
  func place(path: ObjectPath, parent: ObjectPath?, last: String, child: ObjectPath) {
    #expect(path.parent == parent)
    #expect(path.lastElement == last)
    #expect(path.appending("x") == child)
  }

  @Test(
    "Only a path above another is its ancestor",
    arguments: [
      ("/", "/a", true), ("/", "/a/b", true), ("/a", "/a/b", true), ("/a", "/a/b/c", true), ("/", "/", false),
      ("/a", "/a", false), ("/a", "/ab", false), ("/a", "/ab/c", false), ("/a/b", "/a", false), ("/a", "/", false),
      ("/a", "/b/a", false),
    ] as [(ObjectPath, ObjectPath, Bool)])
  func ancestor(path: ObjectPath, other: ObjectPath, isAncestor: Bool) {
    #expect(path.isAncestor(of: other) == isAncestor)
  }

  /// The names are not arguments of the test, so that no log of the tests has a zero byte.
  @Test("A zero byte is in no name and no signature") func zeroByte() {
    let (name, path, signature) = ("a.b\0", "/a\0", "y\0")
    #expect(InterfaceName(name) == nil && BusName(name) == nil && MemberName(name) == nil)
    #expect(ObjectPath(path) == nil)
    #expect(Signature(signature) == nil)
  }

  @Test("Paths sort by their text") func order() {
    #expect((["/b", "/a/c", "/a", "/"] as [ObjectPath]).sorted() == ["/", "/a", "/a/c", "/b"])
  }
}
