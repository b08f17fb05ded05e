import BleperaBluetooth
import Testing

@testable import BleperaAir
@testable import BleperaHost

@Suite("A link layer that does not answer is not waited for longer than the table says")
struct LinkTimeoutTests {
  @Test(
    "After its time, and not before, the connection has ended",
    arguments: ProcedureTimeout.all.filter { $0.name.hasPrefix("Link layer") }, StackBehavior.Client.allCases)
  func silence(row: ProcedureTimeout, client: StackBehavior.Client) throws {
    let time = row.duration(for: client)
    switch row {
    case .encryption:
      var test = try LinkBench()
      test.ask(.encrypt(LinkKey(1, random: 0, diversifier: 0)), isByCentral: true)
      test.expectEnd(after: time, .responseTimeout)
    case .parameters:
      var test = try LinkBench()
      test.ask(
        .requestParameters(LinkParameterRequest(intervals: 24...40, latency: 0, timeout: 72)), isByCentral: false)
      test.expectEnd(after: time, .responseTimeout)
    case .exchange:
      for request in [LinkRequest.readFeatures, .readVersion, .setDataLength(251)] {
        var test = try LinkBench()
        test.stage.send(.between(LinkBench.central, LinkBench.peripheral, PairConditions(isStalled: true)))
        test.ask(request, isByCentral: true)
        test.expectEnd(after: time, .responseTimeout)
      }
    case .supervision:
      var test = try LinkBench(supervisionTimeout: time)
      test.ask(.abandon, isByCentral: false)
      test.expectEnd(after: time, .connectionTimeout)
    default: Issue.record("\(row.name) has no case")
    }
  }

  @Test("Features, version and lengths that are answered end nothing")
  func exchanged() throws {
    var test = try LinkBench()
    for isByCentral in [true, false] {
      for request in [LinkRequest.readFeatures, .readVersion, .setDataLength(100)] {
        test.ask(request, isByCentral: isByCentral)
      }
    }
    test.stage.wait(.seconds(60))
    #expect(test.stage.air.connections[test.link]?.openRequests.isEmpty == true)
  }
}

/// Two controllers with hosts outside the air that are silent.
private struct LinkBench {
  static let (central, peripheral) = (AdapterID(0), AdapterID(1))

  var stage: Stage
  let link: ConnectionID

  init(supervisionTimeout: Duration = .seconds(1)) throws {
    stage = Stage(adapters: 0)
    for adapter in [Self.central, Self.peripheral] {
      stage.send(.added(adapter, .controller(address: Stage.address(adapter), name: "host")))
    }
    stage.resumes = false
    stage.advertise(on: Self.peripheral)
    let parameters = LinkParameters(interval: .milliseconds(30), supervisionTimeout: supervisionTimeout)
    let attempt = ConnectionAttempt(
      to: [Stage.address(Self.peripheral)], from: Stage.address(Self.central), ScanWindow(), parameters: parameters)
    stage.send(.linkLayer(Self.central, .attempt(attempt)))
    stage.wait(.seconds(3))
    link = try #require(stage.air.connection(between: Self.central, and: Self.peripheral)).id
    _ = stage.take()
  }

  mutating func ask(_ request: LinkRequest, isByCentral: Bool) {
    stage.send(.linkLayer(isByCentral ? Self.central : Self.peripheral, .link(link, request)))
  }

  mutating func expectEnd(after time: Duration, _ reason: LinkEnd) {
    stage.wait(time - .milliseconds(1))
    #expect(stage.air.connections[link] != nil)
    stage.wait(.milliseconds(1))
    for side in [Self.central, Self.peripheral] {
      #expect(stage.actions.contains(.linkLayer(side, .link(link, .ended(reason)))))
    }
    #expect(stage.air.connections.isEmpty && stage.air.nextDeadline == nil)
  }
}
