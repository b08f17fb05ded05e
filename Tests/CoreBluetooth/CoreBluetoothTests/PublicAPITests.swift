import CoreBluetooth
import Testing

@Suite("Core Bluetooth's public API")
struct PublicAPITests {
  /// Declarations that Apple's API does not list: `copy(with:)` and `init()` are inherited there.
  private static let additions: Set<String> = [
    "CBManager.init()", "CBUUID.copy(with:)", "CBATTError.Code._unnamed(_:)",
  ]
  private static let ofEveryObject: Set<String> = ["description", "hash", "isEqual(_:)"]

  /// `api.tsv`: the path of each declaration and its type, from the interface of Apple's framework.
  private static func list() throws -> Set<String> {
    let file = try #require(Bundle.module.url(forResource: "api", withExtension: "tsv"))
    return Set(try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init))
  }

  private static func module() throws -> Set<String> {
    try PublicAPI.ofModule("CoreBluetooth").lines.filter { line in
      let path = String(line.prefix { $0 != "\t" })
      return !additions.contains(path)
        && !ofEveryObject.contains(path.split(separator: ".").last.map(String.init) ?? "")
    }
  }

  @Test("Every declaration of Apple's is there with its exact type, and no other")
  func isWhole() throws {
    let (list, module) = (try Self.list(), try Self.module())
    #expect(list.count > 350)
    #expect(list.subtracting(module).sorted() == [], "missing, or of another type")
    #expect(module.subtracting(list).sorted() == [], "not Apple's, or of another type")
  }

  @Test("Every declaration has a documentation comment")
  func isDocumented() throws {
    #expect(try PublicAPI.ofModule("CoreBluetooth").undocumented == [])
  }

  @Test("A declaration is compared by its path and its type")
  func comparison() {
    #expect(PublicAPI.normalized("override var a: Int { get }") == "var a: Int { get }")
    #expect(PublicAPI.normalized("weak var a: B?") == "weak var a: B? { get set }")
    #expect(PublicAPI.normalized("@discardableResult func a() -> Bool") == "func a() -> Bool")
  }
}
