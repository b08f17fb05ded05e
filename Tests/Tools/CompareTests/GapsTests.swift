import BleperaBluetooth
import BleperaCompare
import Testing

@Suite struct GapsTests {
  /// Gaps of an advertiser, of whose packets a share is missed.
  static func gaps(
    _ interval: Double, delay: Double, step: Double?, missing: Double = 0, count: Int = 1500, resolution: Double = 0
  ) -> Gaps {
    var random = SplitMix64(seed: 7)
    var (gaps, time, last) = (Gaps(), 0.0, Int64(0))
    for _ in 0..<count {
      let steps = step.map { Double(Int.random(in: 0...Int(delay / $0), using: &random)) * $0 }
      time += interval + (steps ?? Double.random(in: 0...max(delay, .leastNonzeroMagnitude), using: &random))
      guard Double.random(in: 0..<1, using: &random) >= missing else { continue }
      let stamp = Int64((resolution > 0 ? (time / resolution).rounded() * resolution : time) * 1e6)
      gaps.add(stamp - last)
      last = stamp
    }
    return gaps
  }

  @Test(
    "interval, longest delay and step are found, with packets missed too",
    arguments: [
      (181.25, 5.0, 1.25, 0.0), (181.25, 5, 1.25, 0.3), (270, 10, nil, 0), (270, 10, nil, 0.3), (2000, 10, nil, 0.3),
      (30, 10, nil, 0.3), (30, 5, 1.25, 0.3), (417.5, 10, nil, 0.5), (152.5, 4, 2, 0.3), (20, 10, nil, 0),
      (1022.5, 0, nil, 0.3),
    ] as [(Double, Double, Double?, Double)])
  func estimates(interval: Double, delay: Double, step: Double?, missing: Double) throws {
    guard case .interval(let found) = Self.gaps(interval, delay: delay, step: step, missing: missing).estimate() else {
      Issue.record("no interval")
      return
    }
    #expect(abs(found.milliseconds - interval) <= found.error)
    #expect(found.error < 0.5)
    #expect(abs(found.delay - delay) <= 2 * found.error)
    #expect(found.step == step)
  }

  @Test("a clock of whole milliseconds has its error, and shows no steps")
  func wholeMilliseconds() throws {
    let gaps = Self.gaps(181.25, delay: 5, step: 1.25, missing: 0.3, resolution: 1)
    guard case .interval(let found) = gaps.estimate(resolution: 1) else {
      Issue.record("no interval")
      return
    }
    #expect(abs(found.milliseconds - 181.25) <= found.error && found.error >= 1 && found.step == nil)
  }

  @Test("a clock of buffers, and two sets that are mixed, fit no interval; few gaps show none")
  func unfit() {
    // 131.072 ms of samples are stamped within a fifth of that.
    var (buffered, time, last) = (Gaps(), 0.0, Int64(0))
    var random = SplitMix64(seed: 3)
    for _ in 0..<400 {
      time += 30 + Double.random(in: 0...10, using: &random)
      let buffer = (time / 131.072).rounded(.down)
      let stamp = Int64((buffer * 131.072 + (time - buffer * 131.072) / 5) * 1e6)
      buffered.add(stamp - last)
      last = stamp
    }
    #expect(buffered.estimate() == .unfit(400))
    var short = Gaps()
    short.add(30_000_000)
    #expect(short.estimate() == .tooFew(1))
  }
}
