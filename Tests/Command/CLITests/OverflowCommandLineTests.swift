import ArgumentParser
import BleperaBluetooth
import Testing

@testable import BleperaCLI
@testable import BleperaCommands

@Suite struct OverflowCommandLineTests {
  @Test func `encode takes UUIDs of every width`() throws {
    let words = ["overflow", "encode", "180D", "--json", "deadbeef", "1FA2FD8A-17E0-4D3B-AF45-305DA6130E39"]
    let command = try #require(try Blepera.parseAsRoot(words) as? OverflowEncodeCommand)
    #expect(command.uuids.joined().map(\.width) == [.bits16, .bits32, .bits128])
    #expect(command.json)
  }

  @Test(
    arguments: [
      "02000000000000200000000000000000", "0x02000000000000200000000000000000",
      "0X02 00 00 00 00 00 00 20 00 00 00 00 00 00 00 00", "02:00:00:00:00:00:00:20:00:00:00:00:00:00:00:00",
      "02-00-00-00-00-00-00-20-00-00-00-00-00-00-00-00", "02000000\n00000020\r\n0000000000000000\n",
      "14ff4c0001 0200000000000020 0000000000000000", "02011A14FF4C000102000000000000200000000000000000",
    ])
  func `decode takes digits as tools print them`(hex: String) throws {
    let words = ["overflow", "decode", hex, "--candidates", "180D", "180F", "--json"]
    let command = try #require(try Blepera.parseAsRoot(words) as? OverflowDecodeCommand)
    #expect(command.input.area.bits == [1, 61])
    #expect(command.candidates.joined().map(\.description) == ["180D", "180F"])
    #expect(command.json)
  }

  @Test func `decode does without candidates, find takes bits`() throws {
    let mask = "02000000000000200000000000000000"
    let decode = try #require(try Blepera.parseAsRoot(["overflow", "decode", mask]) as? OverflowDecodeCommand)
    #expect(decode.candidates.isEmpty && !decode.json)
    let find = try #require(try Blepera.parseAsRoot(["overflow", "find", "0", "127"]) as? OverflowFindCommand)
    #expect(find.bits == [0, 127] && !find.json)
  }

  private static let uuid = "expected a UUID such as 180D or 1FA2FD8A-17E0-4D3B-AF45-305DA6130E39"
  private static let bit = "expected a bit from 0 to 127"
  private static let mask = "02000000000000200000000000000000"

  private static let refusals: [([String], String)] = [
    (["encode"], "Missing expected argument '<uuid> ...'"),
    (["encode", "180D", "18XD"], "The value '18XD' is invalid for '<uuid>': \(uuid)"),
    (["encode", "0x180"], "The value '0x180' is invalid for '<uuid>': \(uuid)"),
    (["encode", ""], "The value '' is invalid for '<uuid>': \(uuid)"),
    (["decode"], "Missing expected argument '<hex>'"),
    (["decode", "020"], "'<hex>': Found 3 hexadecimal digits; expected two for each byte."),
    (["decode", "0x0"], "'<hex>': Found 1 hexadecimal digit; expected two for each byte."),
    (["decode", "0x02g1"], "'<hex>': Found 'g' at character 5; expected a hexadecimal digit."),
    (["decode", "０１"], "'<hex>': Found '０' at character 1; expected a hexadecimal digit."),
    (["decode", "02 0 1"], "'<hex>': Found a separator within a byte; expected the two digits of a byte together."),
    (["decode", ""], "'<hex>': Found 0 bytes; expected 16 of a mask, 17 or 19 of manufacturer data"),
    (["decode", "02\(mask)"], "'<hex>': Found 17 bytes that begin with 02; expected 01 and a mask of 16 bytes."),
    (["decode", "\(mask)0"], "'<hex>': Found 33 hexadecimal digits; expected two for each byte."),
    (
      ["decode", "14FF4C0001020000000000002000000000000000"],
      "Found an AD structure at byte 0 with only 19 of 20 bytes; expected a whole advertisement."
    ),
    (["decode", mask, mask], "Unexpected argument '\(mask)'"),
    (["decode", mask, "--candidates"], "Missing value for '--candidates <uuid>'"),
    (["decode", mask, "--candidates", "18"], "The value '18' is invalid for '--candidates <uuid>': \(uuid)"),
    (["find"], "Missing expected argument '<bit> ...'"),
    (["find", "128"], "The value '128' is invalid for '<bit>': \(bit)"),
    (["find", "0", "--", "-1"], "The value '-1' is invalid for '<bit>': \(bit)"),
    (["find", "0x3D"], "The value '0x3D' is invalid for '<bit>': \(bit)"),
    (["find", "99999999999999999999"], "is invalid for '<bit>': \(bit)"),
    (["seek"], "Unexpected argument 'seek'"),
  ]

  @Test(arguments: refusals)
  func `what cannot be read is refused with status 64, what was found and what was expected`(
    words: [String], message: String
  ) {
    do {
      _ = try Blepera.parseAsRoot(["overflow"] + words)
      Issue.record("accepted")
    } catch {
      #expect(Blepera.exitCode(for: error) == .validationFailure)
      #expect(Blepera.message(for: error).contains(message))
    }
  }
}
