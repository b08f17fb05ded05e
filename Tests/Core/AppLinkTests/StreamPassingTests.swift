import BleperaBluetooth
import BleperaEventLoop
import BleperaLoop
import Glibc
import Testing

@testable import BleperaAppLink

@Suite("Streams come with the messages that they were passed with", .timeLimit(.minutes(5)))
struct StreamPassingTests {
  private static let messages: [PhoneMessage] = (1...3).map { id in
    let central = CentralDescription(id: CentralID(rawValue: "central"), maximumUpdateValueLength: 20)
    let channel = L2CAPChannel(id: id, psm: L2CAPPSM(rawValue: 0x80), central: central)
    return .peripheral(.number(0), .didOpenL2CAPChannel(channel))
  }

  @Test("Over a socket and inside a process, in order, among other messages", arguments: [true, false])
  func order(isSocket: Bool) async throws {
    let loop = EventLoop(name: "streams")
    defer { withExtendedLifetime(loop) {} }
    let phone: any AppLinkEnd<PhoneMessage, AppMessage> & StreamCarrier
    let app: any AppLinkEnd<AppMessage, PhoneMessage> & StreamCarrier
    if isSocket {
      var ends: [CInt] = [-1, -1]
      try #require(unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
      phone = SocketAppLink<PhoneMessage, AppMessage>(LineSocket(loop: loop, descriptor: ends[0], maximumLine: 1 << 20))
      app = SocketAppLink<AppMessage, PhoneMessage>(
        LineSocket(loop: loop, descriptor: ends[1], maximumLine: 1 << 20, receivesDescriptors: true))
    } else {
      (app, phone) = makeInMemoryLink()
    }
    for (number, message) in Self.messages.enumerated() {
      phone.send(.didChangeState(.background))
      let stream = try #require(phone.passStream(on: loop))
      phone.send(message)
      #expect(stream.write([UInt8(number)][...]) == 1)
      stream.close()
    }
    var received: [PhoneMessage] = []
    for await message in app.messages(on: loop) {
      guard message.openedChannel != nil else { continue }
      received.append(message)
      let stream = try #require(app.takeStream())
      #expect(stream.read(upTo: 10) == [UInt8(received.count - 1)])
      #expect(stream.read(upTo: 10) == nil)
      if received.count == Self.messages.count { break }
    }
    #expect(received == Self.messages)
    #expect(app.takeStream() == nil)
    phone.close()
    app.close()
  }
}
