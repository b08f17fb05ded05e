import CBleperaDBus

/// Appends values to a libdbus message.
///
/// The values have passed `MessageLimits`, so a failure here means that libdbus is out of memory.
@safe struct MessageWriter {
  struct OutOfMemory: Error {}

  static func append(_ values: [DBusValue], to message: OpaquePointer) throws(OutOfMemory) {
    var root = unsafe DBusMessageIter()
    unsafe dbus_message_iter_init_append(message, &root)
    for value in values { unsafe try append(value, to: &root) }
  }

  private static func append(_ value: DBusValue, to iterator: inout DBusMessageIter) throws(OutOfMemory) {
    switch value {
    case .byte(let value): unsafe try basic(value, "y", &iterator)
    case .boolean(let value): unsafe try basic(dbus_bool_t(value ? 1 : 0), "b", &iterator)
    case .int16(let value): unsafe try basic(value, "n", &iterator)
    case .uint16(let value): unsafe try basic(value, "q", &iterator)
    case .int32(let value): unsafe try basic(value, "i", &iterator)
    case .uint32(let value): unsafe try basic(value, "u", &iterator)
    case .int64(let value): unsafe try basic(value, "x", &iterator)
    case .uint64(let value): unsafe try basic(value, "t", &iterator)
    case .double(let value): unsafe try basic(value, "d", &iterator)
    case .string(let text): unsafe try string(text, "s", &iterator)
    case .objectPath(let path): unsafe try string(path.rawValue, "o", &iterator)
    case .signature(let signature): unsafe try string(signature.text, "g", &iterator)
    // libdbus duplicates the descriptor, so we keep ours.
    case .unixFD(let descriptor): unsafe try basic(descriptor.rawValue, "h", &iterator)
    case .bytes(let bytes): unsafe try self.bytes(bytes, &iterator)
    case .array(let array):
      unsafe try container("a", of: array.elementType.signature, in: &iterator) { inner throws(OutOfMemory) in
        for element in array.elements { unsafe try append(element, to: &inner) }
      }
    case .dictionary(let dictionary):
      let entry = "{\(dictionary.keyType.signature)\(dictionary.valueType.signature)}"
      unsafe try container("a", of: entry, in: &iterator) { inner throws(OutOfMemory) in
        for (key, value) in dictionary.entries {
          unsafe try container("e", of: nil, in: &inner) { pair throws(OutOfMemory) in
            unsafe try append(key, to: &pair)
            unsafe try append(value, to: &pair)
          }
        }
      }
    case .structure(let fields):
      unsafe try container("r", of: nil, in: &iterator) { inner throws(OutOfMemory) in
        for field in fields { unsafe try append(field, to: &inner) }
      }
    case .variant(let value):
      unsafe try container("v", of: value.type.signature, in: &iterator) { inner throws(OutOfMemory) in
        unsafe try append(value, to: &inner)
      }
    }
  }

  private static func basic<T: BitwiseCopyable>(
    _ value: T, _ code: UnicodeScalar, _ iterator: inout DBusMessageIter
  ) throws(OutOfMemory) {
    var value = value
    guard unsafe dbus_message_iter_append_basic(&iterator, CInt(code.value), &value) != 0 else { throw OutOfMemory() }
  }

  /// libdbus copies the text up to its first zero byte.
  private static func string(
    _ text: String, _ code: UnicodeScalar, _ iterator: inout DBusMessageIter
  ) throws(OutOfMemory) {
    let ok = unsafe text.withCString { start in
      var start: UnsafePointer<CChar>? = unsafe start
      return unsafe dbus_message_iter_append_basic(&iterator, CInt(code.value), &start)
    }
    guard ok != 0 else { throw OutOfMemory() }
  }

  private static func bytes(_ bytes: [UInt8], _ iterator: inout DBusMessageIter) throws(OutOfMemory) {
    unsafe try container("a", of: "y", in: &iterator) { inner throws(OutOfMemory) in
      let ok = unsafe bytes.withUnsafeBufferPointer { buffer in
        // libdbus refuses a null start even if there is nothing to copy.
        var start = unsafe buffer.baseAddress ?? UnsafePointer(bitPattern: 1)
        return unsafe dbus_message_iter_append_fixed_array(&inner, CInt(UInt8(ascii: "y")), &start, CInt(buffer.count))
      }
      guard ok != 0 else { throw OutOfMemory() }
    }
  }

  private static func container(
    _ code: UnicodeScalar, of signature: String?, in iterator: inout DBusMessageIter,
    _ body: (inout DBusMessageIter) throws(OutOfMemory) -> Void
  ) throws(OutOfMemory) {
    var inner = unsafe DBusMessageIter()
    guard unsafe dbus_message_iter_open_container(&iterator, CInt(code.value), signature, &inner) != 0 else {
      throw OutOfMemory()
    }
    do {
      unsafe try body(&inner)
    } catch {
      unsafe dbus_message_iter_abandon_container(&iterator, &inner)
      throw error
    }
    guard unsafe dbus_message_iter_close_container(&iterator, &inner) != 0 else { throw OutOfMemory() }
  }
}
