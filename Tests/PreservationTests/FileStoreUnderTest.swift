import Preservation

struct FileStoreUnderTest: StoreUnderTest {
  let home: StateHome
  var store: any PreservationStore { FilePreservationStore(folder: home.folder) }

  func document() throws -> [UInt8]? { try read(home.folder.state) }

  func put(_ bytes: [UInt8]) throws {
    try home.folder.prepare()
    try? SystemDisk().remove(home.folder.state)
    try home.write(bytes, to: home.folder.state)
  }

  func setAside(_ path: String) throws -> [UInt8]? { try read(path) }

  private func read(_ path: String) throws -> [UInt8]? {
    do throws(DiskError) {
      return try SystemDisk().read(path)
    } catch {
      if error.isMissing { return nil }
      throw error
    }
  }
}
