import BleperaPreservation

/// A store whose bytes can be read and replaced.
protocol StoreUnderTest {
  var store: any PreservationStore { get }
  func file() throws -> [UInt8]?
  /// Replaces the state file.
  func put(_ bytes: [UInt8]) throws
  /// The bytes of a quarantined file.
  func quarantined(_ path: String) throws -> [UInt8]?
}

/// The implementations of the contract.
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

struct FileStoreUnderTest: StoreUnderTest {
  let home: StateHome
  var store: any PreservationStore { FilePreservationStore(folder: home.folder) }

  func file() throws -> [UInt8]? { try read(home.folder.state) }

  func put(_ bytes: [UInt8]) throws {
    try home.folder.prepare()
    try? SystemDisk().remove(home.folder.state)
    try home.write(bytes, to: home.folder.state)
  }

  func quarantined(_ path: String) throws -> [UInt8]? { try read(path) }

  private func read(_ path: String) throws -> [UInt8]? {
    do throws(DiskError) {
      return try SystemDisk().read(path)
    } catch {
      if error.isMissing { return nil }
      throw error
    }
  }
}

struct InMemoryStoreUnderTest: StoreUnderTest {
  private let memory = InMemoryPreservationStore()
  var store: any PreservationStore { memory }

  func file() -> [UInt8]? { memory.file }
  func put(_ bytes: [UInt8]) { memory.file = bytes }
  func quarantined(_ path: String) -> [UInt8]? { memory.quarantine[path] }
}
