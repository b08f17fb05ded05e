import BleperaAppLink
import BleperaBluetooth
import BleperaProfile
import BleperaProfileApp
import Testing

@Suite struct StoredValueTests {
  private let id = Fixture.id(0)

  @Test func `a value without a behavior is empty at first, keeps written bytes and sends no notification`() {
    var trace = Trace(machine: Fixture.machine(Fixture.characteristic()))
    trace.run([
      (0, .read(1, id), [.respond(1)]),
      (0, .didSubscribe("A", id), []),
      (1, .write(2, id, [1, 2, 3]), [.respond(2)]),
      (2, .read(3, id), [.respond(3, [1, 2, 3])]),
      (3, .write(4, id, []), [.respond(4)]),
      (4, .read(5, id), [.respond(5)]),
    ])
  }

  @Test(
    arguments: [
      (0, [1, 2, 3], nil), (1, [2, 3], nil), (3, [], nil), (4, [], .invalidOffset), (-1, [], .invalidOffset),
      (.max, [], .invalidOffset), (.min, [], .invalidOffset),
    ] as [(Int, [UInt8], ATTError?)])
  func `a long read returns the bytes after the offset`(offset: Int, value: [UInt8], error: ATTError?) {
    var trace = Trace(machine: Fixture.machine(Fixture.characteristic()))
    trace.run([
      (0, .write(1, id, [1, 2, 3]), [.respond(1)]),
      (0, .read(2, id, offset: offset), [error.map { .respond(2, error: $0) } ?? .respond(2, value)]),
    ])
  }

  @Test(
    arguments: [
      ([(0, [9])], [9]), ([(1, [9])], [1, 9]), ([(3, [9])], [1, 2, 3, 9]), ([(2, [])], [1, 2]),
      ([(0, [4, 5]), (2, [6, 7]), (4, [8])], [4, 5, 6, 7, 8]),
      ([(3, [4]), (3, [5])], [1, 2, 3, 5]),
      ([(0, [UInt8](repeating: 1, count: 512))], [UInt8](repeating: 1, count: 512)),
      // A write without response fills the packet.
      ([(0, [UInt8](repeating: 1, count: 524))], [UInt8](repeating: 1, count: 524)),
    ] as [([(Int, [UInt8])], [UInt8])])
  func `a long write replaces the bytes from its offset on, and has one response`(
    parts: [(Int, [UInt8])], value: [UInt8]
  ) {
    var trace = Trace(machine: Fixture.machine(Fixture.characteristic()))
    trace.run([
      (0, .write(1, id, [1, 2, 3]), [.respond(1)]),
      (0, .write(parts.enumerated().map { (10 + $0, id, $1.0, $1.1) }), [.respond(10)]),
      (0, .read(2, id), [.respond(2, value)]),
    ])
  }

  @Test(
    arguments: [
      ([(4, [9])], .invalidOffset), ([(-1, [9])], .invalidOffset), ([(.max, [9])], .invalidOffset),
      ([(0, [9]), (2, [9])], .invalidOffset),
      ([(0, [UInt8](repeating: 1, count: 525))], .invalidAttributeValueLength),
      ([(0, [UInt8](repeating: 1, count: 512)), (512, [1])], .invalidAttributeValueLength),
    ] as [([(Int, [UInt8])], ATTError)])
  func `a long write with a refused part changes nothing`(parts: [(Int, [UInt8])], error: ATTError) {
    var trace = Trace(machine: Fixture.machine(Fixture.characteristic()))
    trace.run([
      (0, .write(1, id, [1, 2, 3]), [.respond(1)]),
      (0, .write(parts.enumerated().map { (10 + $0, id, $1.0, $1.1) }), [.respond(10, error: error)]),
      (0, .read(2, id), [.respond(2, [1, 2, 3])]),
    ])
  }

  @Test func `a write of several values is accepted or refused as a whole`() {
    let other = Fixture.id(1)
    var trace = Trace(machine: Fixture.machine(Fixture.characteristic(1), Fixture.characteristic(2)))
    trace.run([
      (0, .write([(1, id, 0, [1]), (2, other, 0, [2])]), [.respond(1)]),
      (0, .write([(3, id, 0, [3]), (4, other, 2, [4])]), [.respond(3, error: .invalidOffset)]),
      (0, .read(5, id), [.respond(5, [1])]), (0, .read(6, other), [.respond(6, [2])]),
      (0, .write([]), []),
    ])
  }

  @Test(arguments: [Fixture.id(1), Fixture.id(-1), Fixture.id(0, inService: 1), Fixture.id(0, inService: -1)])
  func `a request for an unknown characteristic is refused`(unknown: CharacteristicID) {
    var trace = Trace(machine: Fixture.machine(Fixture.characteristic()))
    trace.run([
      (0, .read(1, unknown), [.respond(1, error: .attributeNotFound)]),
      (0, .write(2, unknown, [1]), [.respond(2, error: .attributeNotFound)]),
      (0, .write([(3, id, 0, [1]), (4, unknown, 0, [1])]), [.respond(3, error: .attributeNotFound)]),
      (0, .read(5, id), [.respond(5)]),
    ])
  }
}
