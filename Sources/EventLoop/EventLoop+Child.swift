import CGLib

extension EventLoop {
  /// Runs `body` once on the loop's thread when the child has ended. The source reaps it, so nobody else may wait for
  /// it while the source lives.
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

/// The callback of a watched child.
private final class ChildCallback: Sendable {
  let body: @Sendable (ChildProcess.End) -> Void

  init(_ body: @escaping @Sendable (ChildProcess.End) -> Void) { self.body = body }
}
