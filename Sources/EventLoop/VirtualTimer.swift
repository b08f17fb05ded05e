/// A timer of a `VirtualLoop`.
package final class VirtualTimer: LoopTimer {
  private let loop: VirtualLoop
  private let order: Int

  init(loop: VirtualLoop, order: Int) {
    self.loop = loop
    self.order = order
  }

  deinit { cancel() }

  package func cancel() { loop.cancel(order) }
}
