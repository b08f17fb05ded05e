import BleperaBluetooth
import Testing

@testable import BleperaHost

@Suite("A peer that does not answer is not waited for longer than the table says")
struct ProcedureTimeoutTests {
  private static let instant = Duration.milliseconds(1)

  @Test(
    "After its time, and not before, the procedure has ended and nothing is left",
    arguments: ProcedureTimeout.all.filter { !$0.name.hasPrefix("Link layer") }, StackBehavior.Client.allCases)
  func silence(row: ProcedureTimeout, client: StackBehavior.Client) throws {
    let time = row.duration(for: client)
    switch row {
    case .opening:
      var test = HostBench(client)
      test.host.openChannel(OperationID(1), over: HostBench.link, HostBench.psm)
      test.wait(time - Self.instant)
      #expect(test.results.isEmpty && test.host.channels.count == 1)
      test.wait(Self.instant)
      #expect(test.results == [.failure(.channel(.unanswered))])
      #expect(test.host.channels.isEmpty && test.ends.isEmpty)
    case .disconnection:
      var test = HostBench(client)
      let end = test.openChannel(credits: 1)
      test.host.closeChannel(end)
      test.wait(time - Self.instant)
      #expect(test.host.channels.count == 1)
      test.wait(Self.instant)
      #expect(test.host.channels.isEmpty && test.ends.isEmpty)
    case .closing:
      var test = HostBench(client)
      let end = test.openChannel(credits: 0)
      test.host.writeChannel(end, [1])
      test.host.closeChannel(end)
      test.wait(time - Self.instant)
      #expect(test.signals(0x06) == 0)
      test.wait(Self.instant)
      #expect(test.signals(0x06) == 1)
      test.wait(ProcedureTimeout.disconnection.duration(for: client))
      #expect(test.host.channels.isEmpty && test.ends.isEmpty)
    case .request:
      var test = HostBench(client)
      test.isSilent = true
      test.host.perform(OperationID(1), .read(3), over: HostBench.link)
      test.expectEnd(after: time, .userTerminated)
      #expect(test.results == [.failure(.disconnected)])
    case .indication:
      var test = HostBench(client, isCentral: false)
      test.receive("1203020200")
      test.host.updateValue(HostBench.object, [1], to: nil)
      test.expectEnd(after: time, .userTerminated)
    case .application:
      var stack = StackBehavior()
      (stack.client, stack.requestTimeout) = (client, time)
      if client == .bluetoothd { stack.timeoutError = .unlikelyError }
      var test = HostBench(stack, isCentral: false)
      test.receive("0A0202")
      guard client == .bluetoothd else { return test.expectEnd(after: time, .userTerminated) }
      test.wait(time - Self.instant)
      #expect(!test.sent.contains("010A02020E"))
      test.wait(Self.instant)
      #expect(test.sent.last == "010A02020E" && test.ends.isEmpty)
    case .pairing, .securityRequest:
      var test = HostBench(client, isCentral: row == .pairing)
      test.host.pair(OperationID(1), over: HostBench.link)
      test.expectEnd(after: time, .authenticationFailure)
      #expect(test.results == [.failure(.pairing(.failed))])
    default: Issue.record("\(row.name) has no case")
    }
  }

  @Test("An answer in time stops the timer, and the next request has the whole time")
  func answered() {
    var test = HostBench(.discovering)
    test.isSilent = true
    for _ in 0..<3 {
      test.host.perform(OperationID(1), .read(3), over: HostBench.link)
      test.wait(.seconds(20))
      test.receive("0B07")
    }
    #expect(test.results == Array(repeating: .success(.value([7])), count: 3) && test.ends.isEmpty)
    test.wait(.seconds(60))
    #expect(test.ends.isEmpty)
  }
}
