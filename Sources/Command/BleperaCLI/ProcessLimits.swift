import Glibc

/// The resources that a process needs before its first thread. Without them, libraries trap, abort or wait without end.
enum ProcessLimits {
  /// The descriptors for the streams, sockets, timers and files of a phone.
  private static let descriptors = 32
  /// The address space for the stacks and the memory of the threads, in bytes.
  private static let addressSpace = 256 << 20
  /// The threads of Swift's pool and of the event loops.
  private static let threads = 4

  /// The missing resource with advice, a phrase; nil if nothing is missing.
  static var lack: String? {
    guard freeDescriptors >= descriptors else {
      return "only \(freeDescriptors) more files can be opened, and blepera needs \(descriptors); set a higher limit "
        + "with 'ulimit -n 1024'"
    }
    guard hasAddressSpace else {
      return "blepera needs \(addressSpace >> 20) MiB of address space; set a higher limit with 'ulimit -v unlimited'"
    }
    return threadFailure.map { code in
      "blepera needs \(threads) threads: \(unsafe String(cString: strerror(code))); 'ulimit -u' and 'ulimit -s' show the "
        + "limits"
    }
  }

  /// The number of free descriptors, counted up to the number that is needed.
  private static var freeDescriptors: Int {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return descriptors }
    let all = 0..<CInt(clamping: limit.rlim_cur)
    return all.lazy.filter { fcntl($0, F_GETFD) < 0 }.prefix(descriptors).count
  }

  private static var hasAddressSpace: Bool {
    let space = unsafe mmap(nil, addressSpace, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    guard unsafe space != MAP_FAILED else { return false }
    unsafe munmap(space, addressSpace)
    return true
  }

  /// The `errno` with which starting the threads failed. Dispatch would try again every second, GLib would abort.
  private static var threadFailure: CInt? {
    // The threads wait for the lock until all have been started.
    let gate = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    defer { unsafe gate.deallocate() }
    unsafe pthread_mutex_init(gate, nil)
    unsafe pthread_mutex_lock(gate)
    var started: [pthread_t] = []
    var failure: CInt?
    while started.count < threads, failure == nil {
      var thread = pthread_t()
      let code = unsafe pthread_create(
        &thread, nil,
        { gate in
          let gate = unsafe gate!.assumingMemoryBound(to: pthread_mutex_t.self)
          unsafe pthread_mutex_lock(gate)
          unsafe pthread_mutex_unlock(gate)
          return nil
        }, gate)
      if code == 0 { started.append(thread) } else { failure = code }
    }
    unsafe pthread_mutex_unlock(gate)
    for thread in started { pthread_join(thread, nil) }
    return failure
  }
}

/// Standard input, output and error, which may be closed when a program is started.
enum StandardDescriptors {
  /// Opens closed descriptors on /dev/null. Otherwise a socket or file opened later gets such a number, and text is
  /// written to that socket or file.
  static func openAll() {
    while true {
      // `open` returns the lowest free number.
      let descriptor = unsafe open("/dev/null", O_RDWR)
      guard descriptor >= 0 else { return }
      if descriptor > STDERR_FILENO { return _ = close(descriptor) }
    }
  }
}
