import BleperaBluetooth
import Testing

@testable import BleperaAir
@testable import BleperaHost

@Suite("A peripheral outside the air requests connection parameters")
struct ParameterRequestTests {
  private static let host = AdapterID(3)

  private var stage: Stage
  private let link: ConnectionID

  init() throws { (stage, link) = try Stage.connected(to: Self.host) }

  /// The interval in milliseconds and the latency that come of a request; nil if it is refused.
  private static func given(_ actions: [AirAction]) -> [Int]? {
    for case .linkLayer(host, .link(_, .parametersChanged(let parameters))) in actions {
      return [Int(parameters.interval / .milliseconds(1)), Int(parameters.latency)]
    }
    return nil
  }

  @Test(
    "A phone accepts what Apple's rules allow, with a multiple of 30 ms where there is one",
    arguments: [
      // The three that were measured.
      ([12, 24, 0, 600], [30, 0]), ([24, 36, 0, 400], [30, 0]), ([60, 72, 4, 400], [90, 4]),
      ([12, 12, 0, 400], [15, 0]), ([36, 48, 0, 400], [60, 0]), ([60, 72, 30, 1200], [90, 30]),
      // The interval, the timeout, the latency, the distance and the product.
      ([8, 24, 0, 400], nil), ([12, 24, 0, 72], nil), ([12, 24, 31, 600], nil), ([24, 24, 0, 400], nil),
      ([60, 72, 30, 600], nil), ([24, 12, 0, 400], nil),
    ] as [([UInt16], [Int]?)])
  func phone(values: [UInt16], expected: [Int]?) throws {
    var test = self
    let frame = L2CAPFrame(
      L2CAPSignal(
        identifier: 9,
        .parameterUpdateRequest(
          .init(minimumInterval: values[0], maximumInterval: values[1], latency: values[2], timeout: values[3]))))
    test.stage.send(.linkLayer(Self.host, .link(link, .data(LinkData(isStart: true, frame.bytes)))))
    test.stage.wait(.seconds(1))
    let actions = test.stage.take()
    let answer = L2CAPFrame(L2CAPSignal(identifier: 9, .parameterUpdateResponse(expected == nil ? 1 : 0)))
    #expect(actions.contains(.linkLayer(Self.host, .link(link, .data(LinkData(isStart: true, answer.bytes))))))
    #expect(Self.given(actions) == expected)
    guard values[0] <= values[1] else { return }
    // The link layer's request has the same result.
    var other = self
    let request = LinkParameterRequest(intervals: values[0]...values[1], latency: values[2], timeout: values[3])
    other.stage.send(.linkLayer(Self.host, .link(link, .requestParameters(request))))
    other.stage.wait(.seconds(1))
    let later = other.stage.take()
    #expect(Self.given(later) == expected)
    #expect(later.contains(.linkLayer(Self.host, .link(link, .parametersRefused(reason: 0x3B)))) == (expected == nil))
  }

  @Test("Linux accepts all that the specification allows, and takes the shortest interval")
  func linux() throws {
    var (stage, link) = try Stage.connected(to: Self.host, as: .bluetoothd)
    let request = LinkParameterRequest(intervals: 8...24, latency: 0, timeout: 72)
    stage.send(.linkLayer(Self.host, .link(link, .requestParameters(request))))
    stage.wait(.seconds(1))
    #expect(Self.given(stage.take()) == [10, 0])
  }
}
