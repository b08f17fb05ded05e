import BleperaLoop
import CBleperaGLib

/// The `GSource` whose readiness is "the loop has jobs, or a timer is due". GLib allocates it, header first.
enum JobSource {
  @unsafe private struct Layout {
    var header: GSource
    var owner: Unmanaged<EventLoop>
  }

  /// GLib's function table, which lives as long as the process.
  @unsafe private struct Functions: @unchecked Sendable {  // written once, before it is shared
    let table: UnsafeMutablePointer<GSourceFuncs>
  }

  private static let functions: Functions = {
    let table = UnsafeMutablePointer<GSourceFuncs>.allocate(capacity: 1)
    unsafe table.initialize(to: GSourceFuncs())
    unsafe table.pointee.prepare = { source, timeout in
      let idleTime = unsafe JobSource.owner(of: source!).idleTime
      unsafe timeout?.pointee = idleTime ?? -1
      return idleTime == 0 ? 1 : 0
    }
    unsafe table.pointee.check = { unsafe JobSource.owner(of: $0!).idleTime == 0 ? 1 : 0 }
    unsafe table.pointee.dispatch = { source, _, _ in
      let loop = unsafe JobSource.owner(of: source!)
      loop.runJobs()
      loop.runTimers()
      return 1
    }
    return unsafe Functions(table: table)
  }()

  static func make() -> UnsafeMutablePointer<GSource> {
    unsafe g_source_new(functions.table, guint(MemoryLayout<Layout>.size))
  }

  /// The loop is not retained: it owns the source and destroys the source when the loop is deallocated.
  static func setOwner(of source: UnsafeMutablePointer<GSource>, to loop: EventLoop) {
    unsafe layout(of: source).pointee.owner = Unmanaged.passUnretained(loop)
  }

  private static func owner(of source: UnsafeMutablePointer<GSource>) -> EventLoop {
    unsafe layout(of: source).pointee.owner.takeUnretainedValue()
  }

  private static func layout(of source: UnsafeMutablePointer<GSource>) -> UnsafeMutablePointer<Layout> {
    unsafe UnsafeMutableRawPointer(source).assumingMemoryBound(to: Layout.self)
  }
}
