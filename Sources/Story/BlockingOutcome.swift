import Glibc
import Synchronization

/// What a thread waits for that another thread makes.
final class BlockingOutcome<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let semaphore = Semaphore()

  func set(_ value: Value) {
    self.value.withLock { $0 = value }
    semaphore.post()
  }

  /// Once.
  func wait() -> Value {
    semaphore.wait()
    guard let value = value.withLock({ $0 }) else { preconditionFailure("it is set before the semaphore is") }
    return value
  }
}

@safe private final class Semaphore: Sendable {
  private nonisolated(unsafe) let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)  // thread-safe

  init() { unsafe sem_init(semaphore, 0, 0) }

  deinit {
    unsafe sem_destroy(semaphore)
    unsafe semaphore.deallocate()
  }

  func post() { unsafe _ = sem_post(semaphore) }

  func wait() { while unsafe sem_wait(semaphore) != 0 {} }
}
