// swift-format-ignore-file: AlwaysUseLowerCamelCase, TypeNamesShouldBeCapitalized

import Glibc

/// A mutex of a process's threads, which is used by its address.
@safe public struct os_unfair_lock {
  fileprivate var mutex = unsafe pthread_mutex_t()
  /// A free lock.
  public init() {}
}

/// The address of a lock.
public typealias os_unfair_lock_t = UnsafeMutablePointer<os_unfair_lock>

/// Waits until the lock is free, and takes it.
public func os_unfair_lock_lock(_ lock: os_unfair_lock_t) { _ = unsafe pthread_mutex_lock(&lock.pointee.mutex) }
/// Takes the lock if it is free; returns whether it was.
public func os_unfair_lock_trylock(_ lock: os_unfair_lock_t) -> Bool {
  unsafe pthread_mutex_trylock(&lock.pointee.mutex) == 0
}
/// Frees the lock, which the thread holds.
public func os_unfair_lock_unlock(_ lock: os_unfair_lock_t) { _ = unsafe pthread_mutex_unlock(&lock.pointee.mutex) }

/// A lock with the state that it guards.
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {  // the lock guards the state
  @safe fileprivate final class Storage {
    var state: State
    let lock = os_unfair_lock_t.allocate(capacity: 1)

    init(_ state: State) {
      self.state = state
      unsafe lock.initialize(to: os_unfair_lock())
    }

    deinit { unsafe lock.deallocate() }
  }

  fileprivate let storage: Storage

  /// A free lock with a state that nothing else uses.
  public init(uncheckedState initialState: State) { storage = Storage(initialState) }
  /// A free lock with a state.
  public init(initialState: State) where State: Sendable { storage = Storage(initialState) }

  /// Calls a closure with the state while the lock is held.
  public func withLock<Result: Sendable>(_ body: @Sendable (inout State) throws -> Result) rethrows -> Result {
    try withLockUnchecked(body)
  }

  /// Calls a closure with the state while the lock is held.
  public func withLockUnchecked<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
    unsafe os_unfair_lock_lock(storage.lock)
    defer { unsafe os_unfair_lock_unlock(storage.lock) }
    return try body(&storage.state)
  }
}

extension OSAllocatedUnfairLock where State == Void {
  /// A free lock.
  public init() { self.init(uncheckedState: ()) }

  /// Calls a closure while the lock is held.
  public func withLock<Result: Sendable>(_ body: @Sendable () throws -> Result) rethrows -> Result {
    try withLockUnchecked { _ in try body() }
  }

  /// Waits until the lock is free, and takes it.
  public func lock() { unsafe os_unfair_lock_lock(storage.lock) }
  /// Frees the lock, which the thread holds.
  public func unlock() { unsafe os_unfair_lock_unlock(storage.lock) }
}
