import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import BusTesting
import Glibc
import Testing

@Suite("Values on the wire", .timeLimit(.minutes(5)))
struct WireValueTests {
  /// The values of the table of all types that go over a bus, and the ends of each type's range.
  private static let table: [DBusValue] =
    DBusValueTests.all.map(\.0).filter { $0.type != .unixFD } + [
      .byte(0), .byte(.max), .boolean(false), .int16(.min), .int16(.max), .uint16(.max), .int32(.min), .int32(.max),
      .uint32(.max), .int64(.min), .int64(.max), .uint64(.max), .double(-0.0), .double(.infinity), .double(.nan),
      .double(.leastNonzeroMagnitude), .string(""), .string("\u{10FFFF}\u{FFFF}\u{1}"), .string("e\u{301}"),
      .objectPath("/"), .signature(""), .signature("a{oa{sa{sv}}}(ybnqiuxtdsogvh)"),
    ]

  private static let basic: [DBusType] = [
    .byte, .boolean, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double, .string, .objectPath, .signature,
    .unixFD,
  ]

  private static let elements: [DBusType] =
    basic + [.variant, .properties, .interfaces, .array(.byte), .array(.string), .structure([.byte, .variant])]

  @Test("A value of every type is returned unchanged, alone and among others", arguments: [1, 2])
  func roundTrip(loops: Int) async throws {
    try await Talk.run(loops: loops) { talk async throws in
      await talk.echo()
      for value in Self.table {
        try await talk.expectEcho([value])
      }
      try await talk.expectEcho(Self.table)
      try await talk.expectEcho([])
      let structure = DBusValue.structure(Self.table)
      try await talk.expectEcho([structure])
    }
  }

  @Test("Properties are found by name where they have arrived, whatever they are")
  func properties() async throws {
    let all = Self.table.map { $0.unwrapped }.enumerated().map { ("property \($0)", $1) }
    try await Talk.run { talk async throws in
      await talk.echo()
      for sent in [all, all.filter { $1.type.isBasic && $1.type != .signature }] {
        let answer = try await talk.ask("Echo", [.properties(sent)])
        let received = try #require(answer.first?.dictionary)
        #expect(answer == [.properties(sent)] && received.property("property") == nil)
        for (name, value) in sent {
          #expect(received.property(name) == value && received[name] == .variant(value))
        }
      }
    }
  }

  @Test("An empty container keeps the types of its elements")
  func emptyContainers() async throws {
    let arrays = try Self.elements.map { try DBusValue.array(of: $0, []) }
    let dictionaries = try Self.basic.flatMap { key in
      try Self.elements.map { try DBusValue.dictionary(key: key, value: $0, []) }
    }
    let values = (arrays + dictionaries).map { DBusValue.variant($0) }
    try await Talk.run { talk async throws in
      await talk.echo()
      let sent = try DBusValue.array(of: .variant, values)
      try await talk.expectEcho([sent])
    }
  }

  @Test("Nesting goes as deep as the specification allows")
  func nesting() async throws {
    let variants = (0..<64).reduce(DBusValue.byte(7)) { value, _ in .variant(value) }
    let structures = (0..<32).reduce(DBusValue.byte(7)) { value, _ in .structure([value]) }
    let arrays = try (0..<31).reduce(try DBusValue.array(of: .string, [.string("x")])) { value, _ in
      try .array(of: value.type, [value])
    }
    let mixed = (0..<32).reduce(structures) { value, _ in .variant(value) }
    try await Talk.run { talk async throws in
      await talk.echo()
      for value in [variants, structures, arrays, mixed] {
        try await talk.expectEcho([value])
      }
    }
  }

  @Test("Random values are returned unchanged")
  func random() async throws {
    var maker = RandomValues(seed: 2)
    let bodies = (0..<200).map { _ in maker.body() }
    #expect(Set(bodies.flatMap { $0.map(\.type) }).count > 100)
    try await Talk.run(loops: 2) { talk async throws in
      await talk.echo()
      for body in bodies {
        try await talk.expectEcho(body)
      }
    }
  }

  @Test("A body of 1 MB is returned whole")
  func large() async throws {
    let bytes = DBusValue.bytes((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 3) })
    let texts = DBusValue.strings((0..<10_000).map { "\($0) " + String(repeating: "x", count: 90) })
    try await Talk.run(loops: 2) { talk async throws in
      await talk.echo()
      for value in [bytes, texts] {
        let answer = try await talk.ask("Echo", [value])
        #expect(answer == [value] as [DBusValue], "not what was sent")
      }
    }
  }

  @Test("A file descriptor that is passed on is the same open file")
  func fileDescriptors() async throws {
    let pipe = try Pipe()
    try await Talk.run { talk async throws in
      await talk.serve { server, call in
        for (index, value) in call.call.arguments.enumerated() {
          guard let descriptor = value.fileDescriptor?.rawValue else { continue }
          var byte = UInt8(index)
          let isClosedOnExec = fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0
          if isClosedOnExec { _ = unsafe write(descriptor, &byte, 1) }
        }
        server.reply(to: call, .success([]))
      }
      let writer = pipe.takeWriter()
      let answer = try await talk.ask("Write", [.byte(0), .unixFD(writer), .unixFD(writer)])
      #expect(answer == [])
    }
    #expect(pipe.readByte() == 1)
    #expect(pipe.readByte() == 2)
    #expect(pipe.readByte() == nil, "a copy of the descriptor is still open")
  }

  @Test("As many file descriptors as a message may carry are passed, at any depth")
  func manyFileDescriptors() async throws {
    let pipe = try Pipe()
    try await Talk.run { talk async throws in
      await talk.echo()
      let writer = DBusValue.unixFD(pipe.takeWriter())
      let array = try DBusValue.array(of: .unixFD, [DBusValue](repeating: writer, count: 12))
      let body = [array, .variant(.structure([writer, writer])), .properties([("a", writer), ("b", writer)])]
      let answer = try await talk.ask("Echo", body)
      #expect(answer.map(\.type) == body.map(\.type))
      guard case .array(let descriptors)? = answer.first else { throw PrivateBus.Failure(cause: "no array") }
      #expect(Set(descriptors.elements.compactMap { $0.fileDescriptor?.rawValue }).count == 12)
    }
    #expect(pipe.readByte() == nil, "a copy of a descriptor is still open")
  }
}
