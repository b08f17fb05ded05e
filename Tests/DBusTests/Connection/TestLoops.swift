import EventLoop

/// The loops of all tests of connections; they end with the process.
enum TestLoops {
  static let first = EventLoop(name: "test 1")
  static let second = EventLoop(name: "test 2")
}
