import BleperaDBus
import Testing

@Suite("Signals from one tree to the next")
struct ObjectTreeChangesTests {
  private static let (path, interface) = (SampleTree.characteristicPath, SampleTree.characteristic.name)

  private static let withoutService = changed { tree throws(ObjectTreeFault) in
    for path: ObjectPath in ["/app/service0", "/app/service0/char0"] { tree.remove(path) }
  }

  private static let table: [(String, ObjectTree, ObjectTree, [String])] = [
    ("nothing changed", SampleTree.tree, SampleTree.tree, []),
    (
      "a value", SampleTree.tree,
      changed { tree throws(ObjectTreeFault) in try tree.update(path, interface, "Value", to: .bytes([2])) },
      ["/app/service0/char0 PropertiesChanged 'org.bluez.GattCharacteristic1' {'Value': <[byte 0x02]>} @as []"]
    ),
    (
      "a property that only invalidates", SampleTree.tree,
      changed { tree throws(ObjectTreeFault) in try tree.update(path, interface, "Notifying", to: .boolean(true)) },
      ["/app/service0/char0 PropertiesChanged 'org.bluez.GattCharacteristic1' @a{sv} {} ['Notifying']"]
    ),
    (
      "several properties at once, one of them removed", SampleTree.tree,
      changed { tree throws(ObjectTreeFault) in
        try tree.update(path, interface, "Any", to: .variant(.byte(1)))
        try tree.update(path, interface, "Value", to: nil)
        try tree.update(path, interface, "Notifying", to: .boolean(true))
      },
      [
        "/app/service0/char0 PropertiesChanged 'org.bluez.GattCharacteristic1' {'Any': <<byte 0x01>>} "
          + "['Value', 'Notifying']"
      ]
    ),
    (
      "constant, silent and unreadable properties", SampleTree.tree,
      changed { tree throws(ObjectTreeFault) in
        try tree.update(path, interface, "Handle", to: .uint16(9))
        try tree.update(path, interface, "Secret", to: .string("x"))
        try tree.update("/app/service0", "org.bluez.GattService1", "UUID", to: .string("180F"))
      }, []
    ),
    (
      "removed objects", SampleTree.tree,
      withoutService,
      [
        "/app InterfacesRemoved objectpath '/app/service0' ['org.bluez.GattService1']",
        "/app InterfacesRemoved objectpath '/app/service0/char0' ['org.bluez.GattCharacteristic1']",
      ]
    ),
    (
      "objects come", withoutService, SampleTree.tree,
      [
        "/app InterfacesAdded objectpath '/app/service0/char0' {'org.bluez.GattCharacteristic1': "
          + "{'Value': <[byte 0x01]>, 'Notifying': <false>, 'Handle': <uint16 0>}}",
        "/app InterfacesAdded objectpath '/app/service0' {'org.bluez.GattService1': "
          + "{'UUID': <'180D'>, 'Primary': <true>}}",
      ]
    ),
    (
      "an interface for another on the same object, and a value", SampleTree.tree,
      changed { tree throws(ObjectTreeFault) in
        try tree.add("/app/service0", interface: InterfaceDescription("a.b"))
        tree.remove("/app/service0", interface: "org.bluez.GattService1")
        try tree.update(path, interface, "Value", to: .bytes([]))
      },
      [
        "/app InterfacesRemoved objectpath '/app/service0' ['org.bluez.GattService1']",
        "/app InterfacesAdded objectpath '/app/service0' {'a.b': @a{sv} {}}",
        "/app/service0/char0 PropertiesChanged 'org.bluez.GattCharacteristic1' {'Value': <@ay []>} @as []",
      ]
    ),
    (
      "an interface whose description changed", SampleTree.tree,
      changed { tree throws(ObjectTreeFault) in
        tree.remove("/app/service0", interface: "org.bluez.GattService1")
        try tree.add("/app/service0", interface: InterfaceDescription("org.bluez.GattService1"))
      },
      [
        "/app InterfacesRemoved objectpath '/app/service0' ['org.bluez.GattService1']",
        "/app InterfacesAdded objectpath '/app/service0' {'org.bluez.GattService1': @a{sv} {}}",
      ]
    ),
    (
      "objects below no manager", ObjectTree(),
      changed { tree throws(ObjectTreeFault) in
        tree = ObjectTree()
        try tree.add("/a/b", interface: InterfaceDescription("a.b"))
      }, []
    ),
    (
      "the nearest of two managers", SampleTree.tree,
      changed { tree throws(ObjectTreeFault) in
        try tree.add("/app/inner", interface: .objectManager)
        try tree.add("/app/inner/a/b", interface: InterfaceDescription("a.b"))
      },
      ["/app/inner InterfacesAdded objectpath '/app/inner/a/b' {'a.b': @a{sv} {}}"]
    ),
  ]

  @Test("Each difference has its signals, in a stable order", arguments: table)
  func changes(name: String, old: ObjectTree, new: ObjectTree, expected: [String]) {
    #expect(ObjectTree.changes(from: old, to: new).map(Self.text) == expected)
  }

  @Test("The signals have the types that the specification gives them")
  func types() {
    let emptied = Self.withoutService
    let all =
      ObjectTree.changes(from: emptied, to: SampleTree.tree) + ObjectTree.changes(from: SampleTree.tree, to: emptied)
      + [.propertiesChanged("/a", "a.b", changed: [("A", .byte(1))])]
    let declared = [InterfaceDescription.objectManager, .properties]
    for signal in all {
      let description = declared.first { $0.name == signal.interface }?.signals.first { $0.name == signal.member }
      #expect(signal.arguments.map(\.type) == description?.arguments.map(\.type))
    }
    #expect(all.count == 5)
  }

  private static func changed(_ change: (inout ObjectTree) throws(ObjectTreeFault) -> Void) -> ObjectTree {
    SampleTree.changed(change)
  }

  private static func text(_ signal: Signal) -> String {
    ([signal.path.rawValue, signal.member.rawValue] + signal.arguments.map(\.description)).joined(separator: " ")
  }
}
