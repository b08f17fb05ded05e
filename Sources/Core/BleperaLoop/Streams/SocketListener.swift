import Glibc
import Synchronization

/// Accepts connections at a listening socket, until it is no longer referenced.
package final class SocketListener: Sendable {
  /// The pause of the listener where the process has no descriptor left. The socket stays readable, and watching it
  /// would take all the time of the loop.
  package static let pause = Duration.seconds(1)

  private let loop: any DescriptorLoop
  private let descriptor: CInt
  private let accept: @Sendable () -> CInt
  private let timer = Mutex<(any LoopTimer)?>(nil)

  /// - Parameters:
  ///   - descriptor: a listening socket, open until the listener is released.
  ///   - accept: accepts the waiting connections, on the loop; returns 0, or the error of the system.
  package init(loop: any DescriptorLoop, descriptor: CInt, accept: @escaping @Sendable () -> CInt) {
    (self.loop, self.descriptor, self.accept) = (loop, descriptor, accept)
    watch()
  }

  /// Stops accepting at once, for a socket whose close cannot wait for the last reference to the listener.
  package func cancel() {
    timer.withLock { timer in
      timer?.cancel()
      timer = nil
    }
  }

  private func watch() {
    let watch = loop.watch(descriptor: descriptor, for: .reading) { [weak self] _ in self?.isReady() }
    timer.withLock { $0 = watch }
  }

  private func isReady() {
    let error = accept()
    guard error == EMFILE || error == ENFILE else { return }
    let pause = loop.schedule(after: Self.pause) { [weak self] in self?.watch() }
    timer.withLock { $0 = pause }
  }
}
