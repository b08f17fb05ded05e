package import BleperaEventLoop
import BleperaLoop

/// The loops of all tests of connections; they end with the process.
package enum TestLoops {
  package static let first = EventLoop(name: "test 1")
  package static let second = EventLoop(name: "test 2")
}
