import BleperaBluetooth
import BleperaHCIProtocol
import Testing

@testable import BleperaHCI

@Suite("A controller with BR/EDR")
struct HCIClassicTests {
  private static let peer: [UInt8] = [1, 2, 3, 4, 5, 0x4A]
  /// Packet types, page scan repetition mode, clock offset, role switch.
  private static let paging: [UInt8] = [0x18, 0xCC, 2, 0, 0, 0, 1]

  private var host = Host(isDual: true)

  init() { host.unmask() }

  @Test("The controller names LE and BR/EDR, Simple Pairing, and on page 1 what the host has written")
  func features() {
    var host = host
    #expect(host.send(0x1003).rest == [0, 0, 0, 0, 0x40, 0, 0x08, 0x80])
    #expect(host.send(0x1004, [0]).rest == [0, 1, 0, 0, 0, 0, 0x40, 0, 0x08, 0x80])
    #expect(host.send(0x1004, [1]).rest == [1, 1, 0, 0, 0, 0, 0, 0, 0, 0])
    #expect(host.send(0x0C6D, [1, 0]).status == 0 && host.send(0x0C56, [1]).status == 0)
    #expect(host.send(0x1004, [1]).rest == [1, 1, 3, 0, 0, 0, 0, 0, 0, 0])
    #expect(host.send(0x1004, [2]).status == HCIError.invalidParameters.rawValue)
  }

  @Test(
    "The host reads what it has written, and after Reset the defaults",
    arguments: [
      (0x0C13, 0x0C14, [UInt8](repeating: 0x41, count: 248)), (0x0C24, 0x0C23, [1, 2, 3]), (0x0C18, 0x0C17, [0, 0x10]),
      (0x0C1A, 0x0C19, [2]), (0x0C1C, 0x0C1B, [0, 4, 0x12, 0]), (0x0C47, 0x0C46, [1]), (0x0C56, 0x0C55, [1]),
      (0x0C52, 0x0C51, [UInt8](repeating: 1, count: 241)), (0x0C6D, 0x0C6C, [1, 0]),
      (0x0C3A, 0x0C39, [1, 0, 0x8B, 0x9E]),
    ] as [(UInt16, UInt16, [UInt8])])
  func values(write: UInt16, read: UInt16, value: [UInt8]) {
    var host = host
    let first = host.send(read).rest
    #expect(first.count == value.count && first != value)
    #expect(host.send(write, value).status == 0)
    #expect(host.send(read).rest == value)
    _ = host.send(0x0C03)
    #expect(host.send(read).rest == first)
  }

  @Test("A page times out after the time that the host has set; there is one at a time")
  func page() {
    var host = host
    #expect(host.controller.deadline == nil)
    #expect(host.send(0x0405, Self.peer + Self.paging).status == 0)
    #expect(host.send(0x0405, Self.peer + Self.paging).status == HCIError.commandDisallowed.rawValue)
    #expect(host.controller.deadline == .milliseconds(5120))
    #expect(host.controller.tick(at: .milliseconds(5119)).isEmpty)
    let complete: [UInt8] = [0x03, 11, 0x04, 0, 0] + Self.peer + [1, 0]
    #expect(host.controller.tick(at: .milliseconds(5120)).events == [complete])
    #expect(host.controller.deadline == nil)
    _ = host.send(0x0C18, [0, 0x10])
    #expect(host.send(0x0405, Self.peer + Self.paging).status == 0)
    #expect(host.controller.deadline == .milliseconds(2560))
  }

  @Test("A page that the host cancels ends with Unknown Connection")
  func cancel() {
    var host = host
    let unknown = HCIError.unknownConnection.rawValue
    #expect(host.send(0x0408, Self.peer).status == unknown)
    _ = host.send(0x0405, Self.peer + Self.paging)
    #expect(host.send(0x0408, [0] + Self.peer.dropFirst()).status == unknown)
    let cancel = host.send(0x0408, Self.peer)
    #expect(cancel.status == 0 && cancel.rest == Self.peer)
    #expect(cancel.outputs.events == [[0x03, 11, unknown, 0, 0] + Self.peer + [1, 0]])
    #expect(host.controller.deadline == nil)
  }

  @Test("An inquiry finds nobody and ends after its length; the event mask hides its end")
  func inquiry() {
    var host = host
    #expect(host.send(0x0402).status == HCIError.commandDisallowed.rawValue)
    #expect(host.send(0x0401, [0x33, 0x8B, 0x9E, 4, 0]).status == 0)
    #expect(host.send(0x0401, [0x33, 0x8B, 0x9E, 4, 0]).status == HCIError.commandDisallowed.rawValue)
    #expect(host.controller.deadline == .milliseconds(5120))
    #expect(host.controller.tick(at: .milliseconds(5120)).events == [[0x01, 1, 0]])
    _ = host.send(0x0401, [0x33, 0x8B, 0x9E, 4, 0])
    #expect(host.send(0x0402).status == 0 && host.controller.deadline == nil)
    _ = host.send(0x0401, [0x33, 0x8B, 0x9E, 1, 0])
    _ = host.send(0x0C01, LittleEndian.bytes(~UInt64(1)))
    #expect(host.controller.tick(at: .seconds(2)).events.isEmpty)
  }
}
