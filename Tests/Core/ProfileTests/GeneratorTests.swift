import BleperaBluetooth
import BleperaPropertyLists
import Testing

@testable import BleperaProfile

@Suite struct GeneratorTests {
  static let uint8 = ValueFormat.unsigned(bytes: 1)

  static let courses: [(generator: Generator, values: String)] = [
    (Generator(format: uint8, shape: .counter(start: 254, step: 1)), "FE FF 00 01"),
    (Generator(format: uint8, shape: .counter(start: 1, step: -1)), "01 00 FF FE"),
    (Generator(format: .signed(bytes: 1), shape: .counter(start: 126, step: 1)), "7E 7F 80 81"),
    (Generator(format: .unsigned(bytes: 3), shape: .counter(start: 0xFFFFFF, step: 2)), "FFFFFF 010000 030000 050000"),
    (Generator(format: .unsigned(bytes: 2), shape: .counter(start: 0x0102, step: 1), prefix: [0xAA]), "AA0201 AA0301"),
    (Generator(format: .utf8, shape: .counter(start: -1, step: 1)), "2D31 30 31"),
    (Generator(format: .utf8, shape: .counter(start: 0, step: 0.5)), "302E30 302E35 312E30"),
    (Generator(format: uint8, shape: .ramp(minimum: 1, maximum: 4, step: 1)), "01 02 03 04 01 02"),
    (Generator(format: uint8, shape: .ramp(minimum: 1, maximum: 4, step: 2)), "01 03 01 03"),
    (Generator(format: uint8, shape: .ramp(minimum: 1, maximum: 4, step: 100)), "01 01"),
    (Generator(format: .medfloat16, shape: .ramp(minimum: 36.0, maximum: 36.3, step: 0.1)), "2400 69F1 6AF1 6BF1 2400"),
    (Generator(format: .utf8, shape: .ramp(minimum: 0.1, maximum: 0.3, step: 0.1)), "302E31 302E32 302E33 302E31"),
    (Generator(format: uint8, shape: .sine(minimum: 0, maximum: 100, period: 4)), "32 64 32 00 32"),
    (
      Generator(
        format: .signed(bytes: 1), shape: .sine(minimum: -10, maximum: 10, period: 4), interval: .milliseconds(500)),
      "00 07 0A 07 00 F9 F6 F9 00"
    ),
    (Generator(format: .float32, shape: .sine(minimum: -1, maximum: 1, period: 4)), "00000000 0000803F"),
    (Generator(format: .hex, shape: .sequence([[1], [2, 3], []])), "01 0203  01"),
    (Generator(format: .hex, shape: .sequence([]), prefix: [7]), "07 07"),
  ]

  @Test("Values follow the shape", arguments: courses)
  func course(generator: Generator, values: String) {
    let expected = values.split(separator: " ", omittingEmptySubsequences: false)
    let actual = expected.indices.map { Hex.string(generator.value(step: UInt64($0), seed: 0)) }
    #expect(actual == expected.map(String.init))
  }

  @Test("SplitMix64 gives the published numbers")
  func reference() {
    // The first outputs for the seed 1234567, as the reference implementation prints them.
    let expected: [UInt64] = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
    let format = ValueFormat.unsigned(bytes: 8)
    let generator = Generator(
      format: format, shape: .random(minimum: 0, maximum: .integer(Int128(UInt64.max)), seed: nil))
    for (step, value) in expected.enumerated() {
      #expect(generator.value(step: UInt64(step), seed: 1_234_567) == format.encode(.integer(Int128(value))))
    }
  }

  @Test("Random values stay in their range and reach all of it")
  func random() {
    let generator = Generator(format: Self.uint8, shape: .random(minimum: 1, maximum: 6, seed: nil))
    let values = (0..<200).flatMap { generator.value(step: $0, seed: 5) }
    #expect(Set(values) == [1, 2, 3, 4, 5, 6])
    #expect((0..<200).flatMap { generator.value(step: $0, seed: 5) } == values)
    #expect((0..<200).flatMap { generator.value(step: $0, seed: 6) } != values)
    let seeded = Generator(format: Self.uint8, shape: .random(minimum: 1, maximum: 6, seed: 5))
    #expect((0..<200).flatMap { seeded.value(step: $0, seed: 6) } == values)
  }

  static let formats = ValueFormat.names.map(\.format)
  static let numbers: [Number] = [
    0, 1, -1, 0.5, .integer(.max), .integer(.min), .integer(Int128(UInt64.max)), .real(.greatestFiniteMagnitude),
    .real(-.greatestFiniteMagnitude), .real(.leastNonzeroMagnitude), .real(.nan), .real(.infinity), .real(-.infinity),
  ]

  @Test("No number and no step traps, in any format", arguments: formats)
  func extremes(format: ValueFormat) {
    for low in Self.numbers {
      for high in Self.numbers {
        let shapes: [Generator.Shape] = [
          .counter(start: low, step: high), .ramp(minimum: low, maximum: high, step: 1),
          .ramp(minimum: 0, maximum: high, step: low), .sine(minimum: low, maximum: high, period: low.double),
          .random(minimum: low, maximum: high, seed: nil),
        ]
        for shape in shapes {
          let generator = Generator(format: format, shape: shape, interval: .seconds(86_400))
          for step in [0, 1, UInt64(Int64.max), .max] {
            let value = generator.value(step: step, seed: step)
            if format != .utf8, let width = format.byteCount, value.count != width {
              Issue.record("\(generator) gives \(value)")
            }
          }
        }
      }
    }
  }

  @Test("A ramp of reals never leaves its range", arguments: [0.1, 0.3, 0.7, 1e-3, 1e-300])
  func range(step: Double) {
    let generator = Generator(format: .float64, shape: .ramp(minimum: -0.3, maximum: 0.9, step: .real(step)))
    for index in [0, 1, 2, 3, 4, 5, 11, 12, 13, 1_199, 1_200, 1_201, UInt64.max] {
      let bits = generator.value(step: index, seed: 0).reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
      #expect((-0.3...0.9).contains(Double(bitPattern: bits)))
    }
  }
}

extension ValueFormat {
  fileprivate var byteCount: Int? {
    switch self {
    case .unsigned(let bytes), .signed(let bytes): bytes
    case .float32, .medfloat32: 4
    case .float64: 8
    case .medfloat16: 2
    case .utf8, .hex: nil
    }
  }
}
