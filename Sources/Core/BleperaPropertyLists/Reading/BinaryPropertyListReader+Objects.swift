import BleperaBluetooth

/// The objects of a binary property list: a marker byte, a count, contents.
extension BinaryPropertyListReader {
  typealias Measured = (value: PropertyListValue, height: Int, expansion: Int)

  mutating func value(at offset: Int, _ path: NodePath, depth: Int) -> Measured {
    let marker = bytes[offset]
    let low = Int(marker & 0x0F)
    switch marker >> 4 {
    case 0x0 where marker == 0x08 || marker == 0x09:
      return (claim(offset, offset + 1, path) ? .boolean(marker == 0x09) : .faulty, 1, 1)
    case 0x1 where low <= 4: return (integer(at: offset, size: 1 << low, path), 1, 1)
    case 0x2 where low == 2 || low == 3: return (real(at: offset, size: 1 << low, path), 1, 1)
    case 0x3 where low == 3: return (date(at: offset, path), 1, 1)
    case 0x4, 0x5, 0x6:
      let unit = marker >> 4 == 6 ? 2 : 1
      guard let (start, end) = contents(at: offset, unit: unit, path), claim(offset, end, path) else {
        return (.faulty, 1, 1)
      }
      switch marker >> 4 {
      case 4: return (.data(Array(bytes[start..<end])), 1, 1)
      case 5: return (ascii(start..<end, at: offset, path), 1, 1)
      default: return (utf16(start..<end, at: offset, path), 1, 1)
      }
    case 0xA: return array(at: offset, path, depth: depth)
    case 0xD: return dictionary(at: offset, path, depth: depth)
    default:
      faults.error(
        at: offset, path, found: Self.name(of: marker),
        expected: "a dictionary, array, string, number, boolean, date or data")
      return (.faulty, 1, 1)
    }
  }

  private static func name(of marker: UInt8) -> String {
    switch marker >> 4 {
    case 0x8: "a UID, which only keyed archives have"
    case 0xB, 0xC: "a set"
    case _ where marker == 0x00: "a null"
    default: "the object type 0x" + (marker < 16 ? "0" : "") + String(marker, radix: 16, uppercase: true)
    }
  }

  /// The range of a counted object's contents; nil where they would overlap the table of offsets.
  mutating func contents(at offset: Int, unit: Int, _ path: NodePath) -> (start: Int, end: Int)? {
    var start = offset + 1
    var count = UInt64(bytes[offset] & 0x0F)
    if count == 15 {
      let size = start < tableOffset ? 1 << Int(bytes[start] & 0x0F) : 0
      guard start < tableOffset, bytes[start] >> 4 == 1, size <= 8, start + size < tableOffset else {
        faults.error(at: start, path, found: "a count that is no integer", expected: "an integer of 1 to 8 bytes")
        return nil
      }
      count = number(at: start + 1, size: size)
      start += 1 + size
    }
    guard count <= UInt64((tableOffset - start) / unit) else {
      faults.error(
        at: offset, path, found: "an object of \(count) units of \(unit) bytes",
        expected: "one that ends before the table of offsets at \(tableOffset)")
      return nil
    }
    return (start, start + Int(count) * unit)
  }

  /// Whether a scalar of `size` bytes after its marker ends before the table of offsets.
  private mutating func claim(_ offset: Int, size: Int, _ path: NodePath) -> Bool {
    guard offset + 1 + size <= tableOffset else {
      faults.error(
        at: offset, path, found: "an object of \(size) bytes",
        expected: "one that ends before the table of offsets at \(tableOffset)")
      return false
    }
    return claim(offset, offset + 1 + size, path)
  }

  /// Integers of 1, 2 and 4 bytes are unsigned, integers of 8 and 16 bytes are signed.
  private mutating func integer(at offset: Int, size: Int, _ path: NodePath) -> PropertyListValue {
    guard claim(offset, size: size, path) else { return .faulty }
    guard size == 16 else {
      let value = number(at: offset + 1, size: size)
      return .integer(size == 8 ? Int128(Int64(bitPattern: value)) : Int128(value))
    }
    let value =
      Int128(Int64(bitPattern: number(at: offset + 1, size: 8))) << 64 | Int128(number(at: offset + 9, size: 8))
    guard PropertyListNumber.range.contains(value) else {
      faults.error(
        at: offset, path, found: "the integer \(value)", expected: "\(Int64.min) to \(UInt64.max)")
      return .faulty
    }
    return .integer(value)
  }

  private mutating func real(at offset: Int, size: Int, _ path: NodePath) -> PropertyListValue {
    guard claim(offset, size: size, path) else { return .faulty }
    let bits = number(at: offset + 1, size: size)
    return .real(
      size == 8 ? Double(bitPattern: bits) : Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))))
  }

  private mutating func date(at offset: Int, _ path: NodePath) -> PropertyListValue {
    guard claim(offset, size: 8, path) else { return .faulty }
    return .date(Double(bitPattern: number(at: offset + 1, size: 8)))
  }

  private mutating func ascii(_ range: Range<Int>, at offset: Int, _ path: NodePath) -> PropertyListValue {
    if let wrong = bytes[range].firstIndex(where: { $0 >= 0x80 }) {
      faults.error(
        at: wrong, path, found: "the byte 0x\(String(bytes[wrong], radix: 16, uppercase: true)) in an ASCII string",
        expected: "a byte below 0x80")
      return .faulty
    }
    return .string(String(decoding: bytes[range], as: UTF8.self))
  }

  private mutating func utf16(_ range: Range<Int>, at offset: Int, _ path: NodePath) -> PropertyListValue {
    let units = stride(from: range.lowerBound, to: range.upperBound, by: 2).map {
      UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
    }
    guard let string = String(validating: units, as: UTF16.self) else {
      faults.error(at: offset, path, found: "a string with half a surrogate pair", expected: "UTF-16")
      return .faulty
    }
    return .string(string)
  }
}

/// Arrays and dictionaries: lists of references to other objects.
extension BinaryPropertyListReader {
  mutating func array(at offset: Int, _ path: NodePath, depth: Int) -> Measured {
    guard let references = references(at: offset, lists: 1, path) else { return (.faulty, 1, 1) }
    var items: [PropertyListNode] = []
    var size = (height: 1, expansion: 1)
    for (index, place) in references.enumerated() {
      guard let item = follow(place, path.index(index), depth: depth, size: &size) else { return (.faulty, 1, 1) }
      items.append(item)
    }
    return (.array(items), size.height, size.expansion)
  }

  mutating func dictionary(at offset: Int, _ path: NodePath, depth: Int) -> Measured {
    guard let references = references(at: offset, lists: 2, path) else { return (.faulty, 1, 1) }
    var dictionary = PropertyListDictionary()
    var size = (height: 1, expansion: 1)
    let count = references.count / 2
    for index in 0..<count {
      guard let key = follow(references[index], path, depth: depth, size: &size) else { return (.faulty, 1, 1) }
      guard case .string(let name) = key.value else {
        dictionary.isComplete = false
        if case .faulty = key.value { continue }
        faults.error(at: key.offset, path, found: "\(key.value.summary) as a key", expected: "a string")
        continue
      }
      if let first = dictionary[name] {
        faults.error(
          at: key.offset, path.key(name), found: "the key \(Quote.text(name)) a second time",
          expected: "each key once in a dictionary: the first one is at offset \(first.keyOffset)")
        continue
      }
      let place = references[count + index]
      guard let item = follow(place, path.key(name), depth: depth, size: &size) else { return (.faulty, 1, 1) }
      dictionary.insert(name, at: key.offset, item)
    }
    return (.dictionary(dictionary), size.height, size.expansion)
  }

  /// The offsets of a container's references; a dictionary has two lists of references.
  private mutating func references(at offset: Int, lists: Int, _ path: NodePath) -> [Int]? {
    guard let (start, end) = contents(at: offset, unit: referenceSize * lists, path), claim(offset, end, path) else {
      return nil
    }
    return Array(stride(from: start, to: end, by: referenceSize))
  }

  /// The object of the reference at `place`; nil where the tree is too large.
  private mutating func follow(
    _ place: Int, _ path: NodePath, depth: Int, size: inout (height: Int, expansion: Int)
  ) -> PropertyListNode? {
    let reference = number(at: place, size: referenceSize)
    guard reference < UInt64(states.count) else {
      faults.error(
        at: place, path, found: "a reference to object \(reference)", expected: "less than \(states.count)")
      return PropertyListNode(.faulty, at: place)
    }
    let item = object(Int(reference), from: place, path, depth: depth + 1)
    size.height = max(size.height, item.height + 1)
    size.expansion += item.expansion
    guard size.expansion <= Self.maximumExpansion else {
      faults.error(
        at: place, path, found: "more than \(Self.maximumExpansion) values when each reference is followed",
        expected: "fewer")
      return nil
    }
    return item.node
  }
}
