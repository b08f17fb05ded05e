import Foundation
import OSLog
import Testing
import os
import os.lock
import os.log

import struct os.Logger
import class os.OSLog
import func os.os_log

private let log = os.Logger(subsystem: "org.example.app", category: "bluetooth")
extension OSLog { fileprivate static let transfer = OSLog(subsystem: "org.example.app", category: "transfer") }

private enum Failure: Error { case lost }

@Suite("An app's log")
struct LogTests {
  /// The lines that a process writes to standard error.
  private static func lines(_ error: [UInt8]) -> [String] {
    String(decoding: error, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test("of a Logger has a line for each message, with its level, and every value")
  func logger() async throws {
    let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let (name, error): (String, any Error) = ("Lamp", Failure.lost)
      log.log("found \(name, privacy: .public)")
      log.notice("found \(name)")
      log.info("\(name, align: .left(columns: 6))|\(7, align: .right(columns: 3))|")
      log.debug(
        "\(name, privacy: .private(mask: .hash)) \(UUID(uuidString: "00000000-0000-0000-0000-000000000000")!, privacy: .sensitive)"
      )
      log.trace("\(255, format: .hex) \(UInt8(10), format: .hex(includePrefix: true, uppercase: true, minDigits: 4))")
      log.warning(
        "\(-5, format: .decimal(minDigits: 3)) \(2.5) \(Float(1.25), format: .fixed(precision: 1), privacy: .auto)")
      log.error("\(error) \(type(of: error)) \(true) \([1, 2])")
      log.critical("100%")
      log.fault("fault")
      log.log(level: .error, "as \(error.localizedDescription.isEmpty)")
      Logger().log("without a subsystem")
      Logger(.disabled).fault("never")
      Logger(OSLog.transfer).info("of a log")
    }
    let texts = [
      "found Lamp", "found Lamp", "info: Lamp  |  7|", "debug: Lamp 00000000-0000-0000-0000-000000000000",
      "debug: ff 0x000A", "error: -005 2.500000 1.2", "error: lost Failure true [1, 2]", "fault: 100%", "fault: fault",
      "error: as false",
    ]
    #expect(
      Self.lines(result.standardErrorContent)
        == texts.map { "[org.example.app:bluetooth] \($0)" } + [
          "without a subsystem", "[org.example.app:transfer] info: of a log",
        ])
  }

  @Test("of os_log has the values of a format, and harms nothing where one is missing or of another type")
  func formats() async throws {
    let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
      os_log("plain")
      os_log("found %{public}@ at %d dBm", log: .transfer, type: .debug, "Lamp", -50)
      os_log(.error, log: .transfer, "%{private, mask.hash}@: %@", "Lamp", "lost" as NSString)
      os_log("%ld %5.2f%% %x %c %*d|", 1, 2.5, 255, Int(65), 4, 7)
      os_log(.info, "%d bytes", 4)
      os_log(.fault, log: .transfer, "\("Lamp", privacy: .public)")
      os_log("Lamp \(1)")
      os_log("%@ %d", "one")
      os_log("%@ %s %d", 1, 2, "three")
      os_log("100%")
      os_log("never", log: .disabled, type: .fault)
      precondition(OSLog.default.isEnabled(type: .debug) && !OSLog.disabled.isEnabled(type: .fault))
    }
    #expect(
      Self.lines(result.standardErrorContent) == [
        "plain", "[org.example.app:transfer] debug: found Lamp at -50 dBm",
        "[org.example.app:transfer] error: Lamp: lost", "1  2.50% ff A    7|", "info: 4 bytes",
        "[org.example.app:transfer] fault: Lamp", "Lamp 1", "one <missing>", "1 2 three", "100%",
      ])
  }

  @Test("has the numbers of Apple's levels")
  func levels() {
    #expect([OSLogType.default, .info, .debug, .error, .fault].map(\.rawValue) == [0, 1, 2, 16, 17])
  }
}

@Suite("An app's lock")
struct LockTests {
  @Test("guards a state")
  func state() {
    let count = OSAllocatedUnfairLock(initialState: 0)
    DispatchQueue.concurrentPerform(iterations: 1_000) { _ in count.withLock { $0 += 1 } }
    #expect(count.withLock { $0 } == 1_000)
    let lock = OSAllocatedUnfairLock()
    lock.lock()
    lock.unlock()
    #expect(lock.withLock { true })
    #expect(OSAllocatedUnfairLock(uncheckedState: NSObject()).withLockUnchecked { $0.isEqual($0) })
  }

  @Test("is a mutex where it has an address")
  func mutex() {
    let lock = os_unfair_lock_t.allocate(capacity: 1)
    unsafe lock.initialize(to: os_unfair_lock())
    unsafe os_unfair_lock_lock(lock)
    #expect(unsafe !os_unfair_lock_trylock(lock))
    unsafe os_unfair_lock_unlock(lock)
    #expect(unsafe os_unfair_lock_trylock(lock))
    unsafe os_unfair_lock_unlock(lock)
    unsafe lock.deallocate()
  }
}
