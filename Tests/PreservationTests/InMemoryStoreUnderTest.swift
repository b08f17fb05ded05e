import Preservation

struct InMemoryStoreUnderTest: StoreUnderTest {
  private let memory = InMemoryPreservationStore()
  var store: any PreservationStore { memory }

  func document() -> [UInt8]? { memory.document }
  func put(_ bytes: [UInt8]) { memory.document = bytes }
  func setAside(_ path: String) -> [UInt8]? { memory.setAside[path] }
}
