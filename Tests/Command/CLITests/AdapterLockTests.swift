import BleperaBlueZ
import Glibc
import Testing

@testable import BleperaSessions

@Suite("An adapter has one phone")
struct AdapterLockTests {
  private static func reason(_ result: Result<any AdapterClaim, AdapterInUse>) -> String? {
    if case .failure(let other) = result { other.reason } else { nil }
  }

  @Test("The next phone learns who has the adapter, until that one has ended") func named() throws {
    let run = "test\(getpid()) :1.4 hci0"
    var first: (any AdapterClaim)? = try AdapterLock.claim(run, for: "default").get()
    let reason = try #require(Self.reason(AdapterLock.claim(run, for: "two")))
    let user = unsafe String(cString: try #require(getpwuid(geteuid())).pointee.pw_name)
    #expect(reason.hasPrefix("the phone 'default' of \(user) uses hci0"))
    #expect(reason.contains("'blepera shutdown --system default'"))
    #expect(Self.reason(AdapterLock.claim("test\(getpid()) :1.4 hci1", for: "two")) == nil, "another adapter")
    withExtendedLifetime(first) {}
    first = nil
    // A child that another test forked has the descriptors until it runs its program.
    var left = Self.reason(AdapterLock.claim(run, for: "two"))
    for _ in 0..<500 where left != nil {
      usleep(10_000)
      left = Self.reason(AdapterLock.claim(run, for: "two"))
    }
    #expect(left == nil)
  }
}
