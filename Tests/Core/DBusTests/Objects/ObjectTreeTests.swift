import BleperaDBus
import Testing

@Suite("The object tree")
struct ObjectTreeTests {
  private let tree = SampleTree.tree

  @Test("Managed objects are those below the root, in the order they were added, with what can be read")
  func managedObjects() {
    #expect(
      "\(tree.managedObjects(under: "/app"))" == """
        {objectpath '/app/service0/char0': {'org.bluez.GattCharacteristic1': \
        {'Value': <[byte 0x01]>, 'Notifying': <false>, 'Handle': <uint16 0>}}, \
        '/app/service0': {'org.bluez.GattService1': {'UUID': <'180D'>, 'Primary': <true>}}}
        """)
    #expect(tree.managedObjects(under: "/app/service0/char0").type == "a{oa{sa{sv}}}")
    #expect("\(tree.managedObjects(under: "/other"))" == "@a{oa{sa{sv}}} {}")
    #expect("\(tree.managedObjects(under: "/"))".hasPrefix("{objectpath '/app': @a{sa{sv}} {}, '/app/service0/char0'"))
  }

  @Test("The tree knows its objects")
  func contents() {
    #expect(tree.paths == ["/app", "/app/service0/char0", "/app/service0"])
    #expect(tree.contains("/app/service0"))
    #expect(tree.contains("/app/service0", interface: "org.bluez.GattService1"))
    #expect(!tree.contains("/app/service0", interface: "org.bluez.GattCharacteristic1"))
    #expect(!tree.contains("/"))
    #expect(tree.manager(of: "/app/service0/char0") == "/app")
    #expect(tree.manager(of: "/app") == nil)
  }

  @Test(
    "A path is a node when an object is there or below",
    arguments: [
      ("/", true), ("/app", true), ("/app/service0/char0", true), ("/app/service", false), ("/b", false),
    ] as [(ObjectPath, Bool)])
  func nodes(path: ObjectPath, expected: Bool) { #expect(tree.isNode(path) == expected) }

  @Test("An object is removed alone, without the objects below it")
  func removal() {
    var tree = tree
    tree.remove("/app/service0")
    #expect(tree.paths == ["/app", "/app/service0/char0"])
    let object = [tree.remove("/app"), tree.remove("/app")]
    #expect(object == [true, false])
    #expect(tree.paths == ["/app/service0/char0"])
    tree.remove("/app/service0/char0")
    #expect(tree.isNode("/"))
  }

  @Test("An interface that changes keeps the object's place, a new object comes last")
  func order() throws {
    var tree = tree
    try tree.add("/app/service0/char0", interface: InterfaceDescription("a.b"))
    try tree.add("/app/a", interface: InterfaceDescription("a.b"))
    #expect(tree.paths == ["/app", "/app/service0/char0", "/app/service0", "/app/a"])
  }

  @Test("What the description does not have is not taken")
  func faults() {
    let path: ObjectPath = "/app/x"
    expectFault("/app/x: org.bluez.GattService1 declares no property Nope") { tree throws(ObjectTreeFault) in
      try tree.add(path, interface: SampleTree.service, properties: [("Nope", .byte(1))])
    }
    expectFault("/app/x: property Primary is of type b, not s") { tree throws(ObjectTreeFault) in
      try tree.add(path, interface: SampleTree.service, properties: [("Primary", .string("yes"))])
    }
    expectFault("/app: it has the interface org.freedesktop.DBus.ObjectManager already") {
      tree throws(ObjectTreeFault) in try tree.add("/app", interface: .objectManager)
    }
    expectFault("/app: it has the interface org.freedesktop.DBus.Peer already") { tree throws(ObjectTreeFault) in
      try tree.add("/app", interface: .peer)
    }
    expectFault("/app/x: no object is there") { tree throws(ObjectTreeFault) in
      try tree.update(path, "a.b", "C", to: nil)
    }
    expectFault("/app: it has no interface a.b") { tree throws(ObjectTreeFault) in
      try tree.update("/app", "a.b", "C", to: nil)
    }
    expectFault("/app/service0: org.bluez.GattService1 declares no property C") { tree throws(ObjectTreeFault) in
      try tree.update("/app/service0", "org.bluez.GattService1", "C", to: nil)
    }
    expectFault("/app/service0: property UUID is of type s, not y") { tree throws(ObjectTreeFault) in
      try tree.update("/app/service0", "org.bluez.GattService1", "UUID", to: .byte(1))
    }
  }

  @Test("A value is updated, taken away and read whatever its access")
  func update() throws {
    var tree = tree
    let (path, interface) = (SampleTree.characteristicPath, SampleTree.characteristic.name)
    try tree.update(path, interface, "Secret", to: .string("x"))
    #expect(tree.value(path, interface, "Secret") == .string("x"))
    try tree.update(path, interface, "Value", to: nil)
    #expect(tree.value(path, interface, "Value") == nil)
    #expect("\(try tree.getAll(path, interface))" == "{'Notifying': <false>, 'Handle': <uint16 0>}")
    #expect(tree.value("/nope", interface, "Value") == nil)
  }

  private func expectFault(_ text: String, _ change: (inout ObjectTree) throws(ObjectTreeFault) -> Void) {
    var tree = tree
    do throws(ObjectTreeFault) {
      try change(&tree)
      Issue.record("no fault")
    } catch {
      let parts = text.split(separator: ": ", maxSplits: 1)
      #expect(error.description == "The object \(parts[0]) was not changed: \(parts[1]).")
    }
    #expect(tree.paths == self.tree.paths)
  }
}
