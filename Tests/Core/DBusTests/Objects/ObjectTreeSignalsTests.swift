import BleperaDBus
import Testing

@Suite("Signals of one object")
struct ObjectTreeSignalsTests {
  @Test("An added or removed object causes a signal of the nearest object manager above it")
  func signals() throws {
    var tree = SampleTree.tree
    try tree.add("/app/inner", interface: .objectManager)
    try tree.add("/app/inner/a/b", interface: InterfaceDescription("a.b"))
    let paths: [ObjectPath] = ["/app/service0", "/app/service0/char0", "/app/inner/a/b"]
    #expect(
      paths.compactMap(tree.interfacesAdded).map(Self.text) == [
        "/app InterfacesAdded objectpath '/app/service0' {'org.bluez.GattService1': "
          + "{'UUID': <'180D'>, 'Primary': <true>}}",
        "/app InterfacesAdded objectpath '/app/service0/char0' {'org.bluez.GattCharacteristic1': "
          + "{'Value': <[byte 0x01]>, 'Notifying': <false>, 'Handle': <uint16 0>}}",
        "/app/inner InterfacesAdded objectpath '/app/inner/a/b' {'a.b': @a{sv} {}}",
      ])
    #expect(
      paths.compactMap(tree.interfacesRemoved).map(Self.text) == [
        "/app InterfacesRemoved objectpath '/app/service0' ['org.bluez.GattService1']",
        "/app InterfacesRemoved objectpath '/app/service0/char0' ['org.bluez.GattCharacteristic1']",
        "/app/inner InterfacesRemoved objectpath '/app/inner/a/b' ['a.b']",
      ])
  }

  @Test("An object that is missing or below no manager causes no signal", arguments: ["/app/none", "/app"])
  func none(text: String) throws {
    let path = try #require(ObjectPath(text))
    #expect(SampleTree.tree.interfacesAdded(at: path) == nil)
    #expect(SampleTree.tree.interfacesRemoved(at: path) == nil)
  }

  @Test("The signals have the types that the specification gives them")
  func types() {
    let tree = SampleTree.tree
    let path: ObjectPath = "/app/service0"
    let all =
      [tree.interfacesAdded(at: path), tree.interfacesRemoved(at: path)].compactMap(\.self)
      + [.propertiesChanged("/a", "a.b", changed: [("A", .byte(1))])]
    let declared = [InterfaceDescription.objectManager, .properties]
    for signal in all {
      let description = declared.first { $0.name == signal.interface }?.signals.first { $0.name == signal.member }
      #expect(signal.arguments.map(\.type) == description?.arguments.map(\.type))
    }
    #expect(all.count == 3)
  }

  private static func text(_ signal: Signal) -> String {
    ([signal.path.rawValue, signal.member.rawValue] + signal.arguments.map(\.description)).joined(separator: " ")
  }
}
