import BleperaEventLoop
import BleperaLoop
import BusTesting
import Glibc
import Synchronization
import Testing

@testable import BleperaController

@Suite("The process that opens the kernel's user channel", .timeLimit(.minutes(1)))
struct ChannelKeeperTests {
  private static let reset: [UInt8] = [1, 3, 12, 0]
  private static let resetComplete: [UInt8] = [4, 14, 4, 1, 3, 12, 0]

  /// A kernel that answers each bind by the next of these: an error as a negative number, or 0 for a channel.
  private final class Kernel: Sendable {
    private struct State {
      var answers: [CInt]
      var binds = 0
      var powerOffs = 0
    }

    private let state: Mutex<State>
    /// The controller's ends of the channels.
    let channels = Mailbox<CInt>()

    init(_ answers: [CInt]) { state = Mutex(State(answers: answers)) }

    var counts: (binds: Int, powerOffs: Int) { state.withLock { ($0.binds, $0.powerOffs) } }

    func bind() -> CInt {
      let answer = state.withLock { state in
        state.binds += 1
        return state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
      }
      guard answer == 0 else { return answer }
      guard let ends = pair() else { return -EMFILE }
      channels.put(ends.1)
      return ends.0
    }

    func powerOff() { state.withLock { $0.powerOffs += 1 } }
  }

  private static func pair() -> (CInt, CInt)? {
    var ends: [CInt] = [-1, -1]
    let kind = CInt(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
    return unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 ? (ends[0], ends[1]) : nil
  }

  /// Runs a keeper on a thread; the phone's end of its socket, and whether the keeper has ended.
  private func start(_ kernel: Kernel) throws -> (phone: CInt, ended: Mailbox<Void>) {
    let (phone, own) = try #require(Self.pair())
    let ended = Mailbox<Void>()
    let body = unsafe Unmanaged.passRetained(
      Body {
        var keeper = ChannelKeeperProcess(socket: own, bind: kernel.bind, powerOff: kernel.powerOff)
        keeper.run()
        close(own)
        ended.put(())
      })
    var thread = pthread_t()
    unsafe pthread_create(
      &thread, nil,
      { body in
        unsafe Unmanaged<Body>.fromOpaque(body!).takeRetainedValue().run()
        return nil
      }, unsafe body.toOpaque())
    pthread_detach(thread)
    return (phone, ended)
  }

  private final class Body {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
  }

  private typealias Answer = Result<any ByteStream, ControllerFailure>

  private func open(_ keeper: ChannelKeeper, within limit: Duration = .seconds(5)) -> Mailbox<Answer> {
    let answers = Mailbox<Answer>()
    ControllerPlace.kernel(0).open(on: TestLoops.first, within: limit, keeper: keeper) { answers.put($0) }
    return answers
  }

  private func cause(_ answers: Mailbox<Answer>) async throws -> ControllerFailure.Cause? {
    guard case .failure(let failure) = try await answers.next() else { return nil }
    return failure.cause
  }

  private func packet(_ descriptor: CInt) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
    return count > 0 ? Array(bytes[..<count]) : []
  }

  @Test(
    "The phone gets a channel of packets, and the controller a Reset when the phone has ended",
    arguments: [false, true])
  func handOver(readsUp: Bool) async throws {
    let kernel = Kernel([-EBUSY, -EBUSY, 0])
    let (phone, ended) = try start(kernel)
    let stream = try await open(ChannelKeeper(socket: phone)).next().get()
    #expect(kernel.counts == (3, 2))
    let controller = try await kernel.channels.next()
    for packet in [[4, 1], [4, 2, 3]] as [[UInt8]] {
      #expect(unsafe send(controller, packet, packet.count, 0) == packet.count)
    }
    if readsUp {
      #expect(stream.read(upTo: 1) == [4, 1])
      #expect(stream.read(upTo: 1) == [4, 2, 3])
      #expect(stream.read(upTo: 1) == [])
      #expect(stream.write([1, 9, 9, 0]) == 4)
      #expect(packet(controller) == [1, 9, 9, 0])
    }
    // As where the phone is killed: nothing is sent, and what the phone has not read is still there.
    stream.close()
    close(phone)
    #expect(packet(controller) == Self.reset)
    #expect(ended.left.isEmpty)
    #expect(unsafe send(controller, Self.resetComplete, 7, 0) == 7)
    #expect(packet(controller) == [])
    try await ended.next()
    close(controller)
  }

  @Test("After a loss, the keeper closes its copy and waits until the adapter is there again")
  func again() async throws {
    let kernel = Kernel([0, -ENODEV, -ENODEV, -EBUSY, 0])
    let (phone, ended) = try start(kernel)
    let keeper = ChannelKeeper(socket: phone)
    let first = try await open(keeper).next().get()
    close(try await kernel.channels.next())
    await ready(first)
    #expect(first.read(upTo: 1) == nil)
    first.close()
    let second = try await open(keeper).next().get()
    #expect(kernel.counts == (5, 1))
    let controller = try await kernel.channels.next()
    #expect(second.write([1, 9, 9, 0]) == 4)
    #expect(packet(controller) == [1, 9, 9, 0])
    second.close()
    close(phone)
    #expect(packet(controller) == Self.reset)
    close(controller)
    try await ended.next()
  }

  @Test(
    "The first time, each refusal is reported at once",
    arguments: [(EPERM, .noCapability), (132, .blocked), (EUSERS, .busy), (ENODEV, nil), (EAFNOSUPPORT, nil)]
      as [(CInt, ControllerFailure.Cause?)])
  func refused(error: CInt, cause: ControllerFailure.Cause?) async throws {
    let kernel = Kernel([-error])
    let (phone, ended) = try start(kernel)
    let found = try #require(try await self.cause(open(ChannelKeeper(socket: phone))))
    switch (error, found) {
    case (ENODEV, .noAdapter), (EAFNOSUPPORT, .noBluetooth), (EAFNOSUPPORT, .otherNamespace): break
    default: #expect(found == cause)
    }
    #expect(kernel.counts == (1, 0))
    close(phone)
    try await ended.next()
  }

  @Test("An adapter that stays busy is given up, and the keeper ends while it tries where the phone ends")
  func busy() async throws {
    let kernel = Kernel([-EBUSY])
    let (phone, ended) = try start(kernel)
    let keeper = ChannelKeeper(socket: phone)
    #expect(try await cause(open(keeper)) == .busy)
    #expect(kernel.counts.powerOffs > 3)
    #expect(try await cause(open(keeper, within: .milliseconds(20))) == .timeout)
    close(phone)
    try await ended.next()
  }

  @Test("The answer to a request whose time was over is no answer to the next")
  func late() async throws {
    let (phone, own) = try #require(Self.pair())
    let keeper = ChannelKeeper(socket: phone)
    #expect(try await cause(open(keeper, within: .milliseconds(1))) == .timeout)
    let ends = try #require(Self.pair())
    #expect(packet(own) == [1])
    unsafe [1, 0].withUnsafeBytes { _ = unsafe DescriptorMessage.send($0, with: ends.0, to: own) }
    let result = open(keeper)
    #expect(packet(own) == [2])
    #expect(unsafe send(own, [2, UInt8(EPERM)], 2, 0) == 2)
    #expect(try await cause(result) == .noCapability)
    // The channel of the late answer is closed.
    close(ends.0)
    #expect(packet(ends.1) == [])
    for descriptor in [phone, own, ends.1] { close(descriptor) }
  }

  @Test("The phone keeps its channel when the keeper is killed, and cannot open another")
  func keeperKilled() async throws {
    let (phone, own) = try #require(Self.pair())
    let ends = try #require(Self.pair())
    let keeper = ChannelKeeper(socket: phone)
    let opening = open(keeper)
    #expect(packet(own) == [1])
    unsafe [1, 0].withUnsafeBytes { _ = unsafe DescriptorMessage.send($0, with: ends.0, to: own) }
    let stream = try await opening.next().get()
    for descriptor in [ends.0, own] { close(descriptor) }
    #expect(stream.write(Self.reset[...]) == 4)
    #expect(packet(ends.1) == Self.reset)
    stream.close()
    #expect(packet(ends.1) == [], "killed both, and no Reset is sent by anybody")
    #expect(try await cause(open(keeper)) == .noKeeper)
    for descriptor in [phone, ends.1] { close(descriptor) }
  }
}
