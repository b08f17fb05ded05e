import CBleperaDBus
import Glibc

/// Reads values from a libdbus message, which libdbus has validated on arrival.
@safe struct MessageReader {
  /// A message that libdbus accepts and our types do not; it is dropped or refused, never trusted.
  struct Malformed: Error {
    let cause: String
  }

  static func values(of message: OpaquePointer) throws(Malformed) -> [DBusValue] {
    var root = unsafe DBusMessageIter()
    guard unsafe dbus_message_iter_init(message, &root) != 0 else { return [] }
    return unsafe try rest(of: &root)
  }

  /// Every value from here to the end of this container.
  private static func rest(of iterator: inout DBusMessageIter) throws(Malformed) -> [DBusValue] {
    var values: [DBusValue] = []
    while unsafe dbus_message_iter_get_arg_type(&iterator) != endOfContainer {
      unsafe values.append(try value(at: &iterator))
      unsafe dbus_message_iter_next(&iterator)
    }
    return values
  }

  private static func value(at iterator: inout DBusMessageIter) throws(Malformed) -> DBusValue {
    let code = unsafe dbus_message_iter_get_arg_type(&iterator)
    switch UnicodeScalar(UInt8(truncatingIfNeeded: code)) {
    case "y": return unsafe .byte(basic(&iterator, 0))
    case "b": return unsafe .boolean(basic(&iterator, 0 as dbus_bool_t) != 0)
    case "n": return unsafe .int16(basic(&iterator, 0))
    case "q": return unsafe .uint16(basic(&iterator, 0))
    case "i": return unsafe .int32(basic(&iterator, 0))
    case "u": return unsafe .uint32(basic(&iterator, 0))
    case "x": return unsafe .int64(basic(&iterator, 0))
    case "t": return unsafe .uint64(basic(&iterator, 0))
    case "d": return unsafe .double(basic(&iterator, 0))
    case "s": return unsafe .string(text(&iterator))
    // libdbus has checked paths when the message arrived (`_dbus_validate_body_with_reason`).
    case "o": return unsafe .objectPath(ObjectPath(accepted: text(&iterator)))
    case "g": return unsafe .signature(try checked(Signature(text(&iterator)), "signature"))
    case "h":
      // libdbus returns a duplicate that we must close.
      let descriptor: CInt = unsafe basic(&iterator, -1)
      guard descriptor >= 0 else { throw Malformed(cause: "a file descriptor that did not arrive") }
      return .unixFD(UnixFileDescriptor(owning: descriptor))
    case "v":
      var inner = unsafe recurse(&iterator)
      return unsafe .variant(try value(at: &inner))
    case "r":
      var inner = unsafe recurse(&iterator)
      return unsafe .structure(try rest(of: &inner))
    case "a": return unsafe try array(at: &iterator)
    default: throw Malformed(cause: "type code \(code)")
    }
  }

  private static func array(at iterator: inout DBusMessageIter) throws(Malformed) -> DBusValue {
    var inner = unsafe recurse(&iterator)
    if unsafe dbus_message_iter_get_element_type(&iterator) == CInt(UInt8(ascii: "y")) {
      var start: UnsafePointer<UInt8>?
      var count: CInt = 0
      unsafe dbus_message_iter_get_fixed_array(&inner, &start, &count)
      return unsafe .bytes([UInt8](UnsafeBufferPointer(start: start, count: Int(count))))
    }
    switch unsafe try elementType(of: &iterator) {
    case .dictionary(let key, let value):
      var entries: [DBusDictionary.Entry] = []
      while unsafe dbus_message_iter_get_arg_type(&inner) != endOfContainer {
        var pair = unsafe recurse(&inner)
        // libdbus has checked that an entry has two values.
        let key = unsafe try self.value(at: &pair)
        unsafe dbus_message_iter_next(&pair)
        entries.append((key: key, value: unsafe try self.value(at: &pair)))
        unsafe dbus_message_iter_next(&inner)
      }
      // libdbus has checked that the entries are of the signature's types.
      return .dictionary(DBusDictionary(checkedEntries: entries, key: key, value: value))
    case .array(let element):
      let elements = unsafe try rest(of: &inner)
      do {
        return .array(try DBusArray(of: element, elements))
      } catch { throw Malformed(cause: "\(error)") }
    case let type: throw Malformed(cause: "an array of type \(type.signature)")
    }
  }

  /// The type of the array's elements, which an empty array has too.
  private static func elementType(of iterator: inout DBusMessageIter) throws(Malformed) -> DBusType {
    guard let text = unsafe dbus_message_iter_get_signature(&iterator) else { throw Malformed(cause: "no memory") }
    defer { unsafe dbus_free(text) }
    // By far the most frequent, with which bluetoothd passes options and properties.
    if unsafe strcmp(text, "a{sv}") == 0 { return .properties }
    guard let type = unsafe Signature(String(cString: text))?.types.first else {
      throw unsafe Malformed(cause: "signature \(String(cString: text))")
    }
    return type
  }

  private static func recurse(_ iterator: inout DBusMessageIter) -> DBusMessageIter {
    var inner = unsafe DBusMessageIter()
    unsafe dbus_message_iter_recurse(&iterator, &inner)
    return unsafe inner
  }

  private static func basic<T: BitwiseCopyable>(_ iterator: inout DBusMessageIter, _ initial: T) -> T {
    var value = initial
    unsafe dbus_message_iter_get_basic(&iterator, &value)
    return value
  }

  private static func text(_ iterator: inout DBusMessageIter) -> String {
    var start: UnsafePointer<CChar>?
    unsafe dbus_message_iter_get_basic(&iterator, &start)
    return unsafe start.map { unsafe String(cString: $0) } ?? ""
  }

  private static func checked<T>(_ value: T?, _ what: String) throws(Malformed) -> T {
    guard let value else { throw Malformed(cause: "an invalid \(what)") }
    return value
  }
}

/// `DBUS_TYPE_INVALID`, whose macro Swift does not import.
private let endOfContainer: CInt = 0
