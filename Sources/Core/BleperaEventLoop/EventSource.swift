package import BleperaLoop
import CBleperaGLib

/// A timer, a watched file descriptor or a watched signal; ends when cancelled or no longer referenced.
@safe package final class EventSource: LoopTimer {
  /// Nil for a timer. GLib permits destroying a source from any thread.
  private nonisolated(unsafe) let source: UnsafeMutablePointer<GSource>?  // never changes after init
  private let timer: Int
  /// Destroying a source locks its context, so the context must outlive the source.
  private let loop: EventLoop

  init(adopting source: UnsafeMutablePointer<GSource>, of loop: EventLoop) {
    unsafe self.source = unsafe source
    (timer, self.loop) = (0, loop)
  }

  init(timer number: Int, of loop: EventLoop) {
    unsafe source = nil
    (timer, self.loop) = (number, loop)
  }

  deinit {
    cancel()
    if let source = unsafe source { unsafe g_source_unref(source) }
  }

  /// Ends the source: the callback does not run again after `cancel` returns on the loop's thread. Idempotent.
  package func cancel() {
    if let source = unsafe source { unsafe g_source_destroy(source) } else { loop.cancelTimer(timer) }
  }
}

/// A source's callback: kept alive by the source, released by GLib when the source is destroyed.
private final class Callback: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  /// Runs the callback in GLib's user data; the source stays.
  static func run(_ data: gpointer?) -> gboolean {
    unsafe Unmanaged<Callback>.fromOpaque(data!).takeUnretainedValue().body()
    return 1
  }

  static func release(_ data: gpointer?) { unsafe Unmanaged<Callback>.fromOpaque(data!).release() }
}

extension EventLoop {
  /// Runs `body` on the loop's thread each time `signal` arrives.
  ///
  /// - Precondition: `signal` is SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2 or SIGWINCH; GLib watches no others.
  package func watch(signal: CInt, _ body: @escaping @Sendable () -> Void) -> EventSource {
    let source = unsafe g_unix_signal_source_new(signal)
    guard let source = unsafe source else { preconditionFailure("GLib cannot watch signal \(signal)") }
    let box = unsafe Unmanaged.passRetained(Callback(body)).toOpaque()
    unsafe g_source_set_callback(source, { unsafe Callback.run($0) }, box, { unsafe Callback.release($0) })
    unsafe g_source_attach(source, context)
    return unsafe EventSource(adopting: source, of: self)
  }

  /// GLib's conditions have the bits of poll(2).
  package func watch(
    descriptor: CInt, for readiness: Readiness, _ body: @escaping @Sendable (Readiness) -> Void
  ) -> EventSource {
    let source = unsafe g_unix_fd_source_new(descriptor, GIOCondition(rawValue: readiness.rawValue))!
    let box = unsafe Unmanaged.passRetained(
      DescriptorCallback { [weak self] readiness in
        body(readiness)
        // Jobs that `body` has enqueued run now, not after another look at all descriptors; a few rounds, because a
        // task may go from one executor to another.
        for _ in 0..<4 {
          guard let self, hasJobs else { return }
          runJobs()
        }
      }
    ).toOpaque()
    unsafe blepera_fd_source_set_callback(
      source,
      { _, condition, data in
        unsafe Unmanaged<DescriptorCallback>.fromOpaque(data!).takeUnretainedValue()
          .body(Readiness(rawValue: condition.rawValue))
        return 1
      },
      box, { unsafe Unmanaged<DescriptorCallback>.fromOpaque($0!).release() })
    // Otherwise GLib takes the descriptor out of its poll set and back in for each dispatch, by three system calls.
    unsafe g_source_set_can_recurse(source, 1)
    unsafe g_source_attach(source, context)
    return unsafe EventSource(adopting: source, of: self)
  }
}

/// The callback of a watched descriptor, which receives the descriptor's readiness.
private final class DescriptorCallback: Sendable {
  let body: @Sendable (Readiness) -> Void

  init(_ body: @escaping @Sendable (Readiness) -> Void) { self.body = body }
}

extension EventLoop {
  /// Runs `body` once on the loop's thread when the child has ended. The source reaps the child, so nothing else may
  /// wait for the child while the source exists.
  package func watch(
    _ child: ChildProcess, _ body: @escaping @Sendable (ChildProcess.End) -> Void
  ) -> EventSource {
    let source = unsafe g_child_watch_source_new(child.id)!
    let box = unsafe Unmanaged.passRetained(ChildCallback(body)).toOpaque()
    unsafe blepera_child_source_set_callback(
      source,
      { _, status, data in
        unsafe Unmanaged<ChildCallback>.fromOpaque(data!).takeUnretainedValue().body(ChildProcess.End(status: status))
      },
      box, { unsafe Unmanaged<ChildCallback>.fromOpaque($0!).release() })
    unsafe g_source_attach(source, context)
    return unsafe EventSource(adopting: source, of: self)
  }
}

private final class ChildCallback: Sendable {
  let body: @Sendable (ChildProcess.End) -> Void

  init(_ body: @escaping @Sendable (ChildProcess.End) -> Void) { self.body = body }
}
