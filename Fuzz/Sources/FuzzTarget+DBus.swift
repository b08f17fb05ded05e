import BleperaBluetooth
import CBleperaDBus

@testable import BleperaBlueZ
@testable import BleperaDBus

extension FuzzTarget {
  /// A message from the bus, and its bytes read as a signature, a path and names.
  static let dbus = FuzzTarget("dbus") { bytes in
    checkMessage(bytes)
    let text = String(decoding: bytes.prefix(512), as: UTF8.self)
    if !text.utf8.contains(0) { checkGrammar(text) }
  }

  private static func checkMessage(_ bytes: [UInt8]) {
    guard let pointer = unsafe demarshal(bytes) else { return }
    defer { unsafe dbus_message_unref(pointer) }
    _ = unsafe MessageCoder.correspondence(of: pointer)
    guard let incoming = unsafe try? MessageCoder.decode(pointer) else { return }
    for value in incoming.message.body { read(value) }
    let encoded: OpaquePointer
    do throws(DBusFailure) {
      unsafe encoded = try MessageCoder.encode(incoming.message, canSendFileDescriptors: true)
    } catch {
      return require(!"\(error)".isEmpty, "a refusal has a text")
    }
    defer { unsafe dbus_message_unref(encoded) }
    unsafe dbus_message_set_serial(encoded, 1)
    guard let again = unsafe try? MessageCoder.decode(encoded) else {
      return require(false, "what was encoded can be decoded")
    }
    require(again.message == incoming.message, "a message is decoded as it was encoded")
  }

  private static func demarshal(_ bytes: [UInt8]) -> OpaquePointer? {
    unsafe bytes.withUnsafeBytes { buffer in
      let start = unsafe buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
      return unsafe dbus_message_demarshal(start, CInt(buffer.count), nil)
    }
  }

  /// Reads an argument in all the ways that the program does.
  private static func read(_ value: DBusValue) {
    let text = value.description
    require(!text.utf8.contains { $0 < 0x20 }, "a value in a log is one line")
    require(value.isOf(value.type), "a value is of its type")
    require((try? MessageLimits.check(body: [value])) != nil || !text.isEmpty, "limits can be checked")
    guard let properties = value.asProperties ?? value.unwrapped.asProperties else { return }
    var device = FoundDevice(path: "/org/bluez/hci0/dev_00_11_22_33_44_55")
    _ = device.take(properties, without: ["RSSI"])
    let packet = device.advertised.packet
    require(packet.length == packet.bytes.count, "an advertisement has the length of its bytes")
    _ = device.advertised.added(to: device.advertised).overflowArea
  }

  /// Requires that libdbus accepts the same text.
  private static func checkGrammar(_ text: String) {
    let signature = Signature(text)
    // libdbus counts arrays from the innermost structure on, and the specification counts all.
    if unsafe dbus_signature_validate(text, nil) != 0 {
      require(signature != nil || text.count(where: { $0 == "a" }) > Signature.maximumNesting, "the same signatures")
    } else {
      require(signature == nil, "libdbus accepts the signatures that are accepted here")
    }
    if let signature {
      require(signature.types.map(\.signature).joined() == text, "a signature has the text of its types")
    }
    let path = ObjectPath(text)
    require((path != nil) == (unsafe dbus_validate_path(text, nil) != 0), "libdbus accepts the same paths")
    if let path, let parent = path.parent {
      require(parent.isAncestor(of: path), "a path is below its parent")
      require(parent.appending(path.lastElement) == path, "a path is its parent and its last element")
    }
    // libdbus also accepts a unique name with an empty first element, or with one element.
    let isName = unsafe dbus_validate_bus_name(text, nil) != 0
    require(
      text.hasPrefix(":") ? BusName(text) == nil || isName : (BusName(text) != nil) == isName, "the same bus names")
    require((InterfaceName(text) != nil) == (unsafe dbus_validate_interface(text, nil) != 0), "the same interfaces")
    require((MemberName(text) != nil) == (unsafe dbus_validate_member(text, nil) != 0), "the same members")
    require((ErrorName(text) != nil) == (unsafe dbus_validate_error_name(text, nil) != 0), "the same names of errors")
  }
}
