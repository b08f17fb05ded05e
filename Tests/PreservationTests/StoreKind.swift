import Preservation

/// The stores, which the contract holds for alike.
enum StoreKind: CaseIterable, Sendable {
  case file
  case inMemory

  func make() throws -> any StoreUnderTest {
    switch self {
    case .file: FileStoreUnderTest(home: try StateHome())
    case .inMemory: InMemoryStoreUnderTest()
    }
  }
}
