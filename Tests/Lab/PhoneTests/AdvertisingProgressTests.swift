import Testing

@testable import BleperaPhone

@Suite("An advertisement is requested, on the air, lost and restored, and leaves the air")
struct AdvertisingProgressTests {
  enum Step: Sendable {
    case requested(Bool)
    case started, stopped, failed, lost
  }

  /// The steps, the state that follows, and whether it is reported.
  static let cases: [([Step], AdvertisingProgress.State, reported: Bool)] = [
    ([.requested(false)], .off, false), ([.requested(true)], .starting, false),
    ([.requested(false), .started], .off, false), ([.requested(true), .started], .onAir, true),
    ([.requested(true), .started, .started], .onAir, false), ([.requested(true), .stopped], .starting, false),
    ([.requested(true), .requested(false)], .stopping, false),
    ([.requested(true), .started, .requested(false)], .stopping, false),
    ([.requested(true), .started, .requested(false), .stopped], .off, true),
    ([.requested(true), .started, .requested(false), .started], .off, true),
    ([.requested(true), .started, .requested(false), .requested(true)], .starting, false),
    ([.requested(true), .started, .lost], .starting, true), ([.requested(true), .lost], .starting, false),
    ([.requested(true), .started, .lost, .started], .onAir, true), ([.lost], .off, false), ([.stopped], .off, false),
    ([.requested(true), .started, .failed], .starting, false),
    ([.requested(true), .started, .requested(false), .lost], .stopping, false),
  ]

  @Test("Each report of the radio leads to one state", arguments: cases)
  func states(steps: [Step], state: AdvertisingProgress.State, reported: Bool) {
    var progress = AdvertisingProgress()
    var isReported = false
    for step in steps {
      isReported = false
      switch step {
      case .requested(let isOfApps): progress.requested(isOfApps: isOfApps)
      case .started: isReported = progress.started() != nil
      case .stopped: isReported = progress.stopped()
      case .failed: progress.failed()
      case .lost: isReported = progress.lost()
      }
    }
    #expect(progress.state == state && isReported == reported)
  }

  @Test("A limitation of the radio is reported once each time that it begins to apply")
  func warnings() {
    var progress = AdvertisingProgress()
    #expect(!progress.hasReported(warning: "intervals"))
    let areNew = ["intervals", "intervals", "exact", "intervals"].map { progress.isNew(warning: $0, applies: true) }
    #expect(areNew == [true, false, true, false])
    #expect(progress.hasReported(warning: "intervals"))
    let later = [true, false, true, true].map { progress.isNew(warning: "exact", applies: $0) }
    #expect(later == [false, false, true, false])
  }
}
