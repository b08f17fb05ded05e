import BleperaBluetooth

@testable import BleperaHost

extension AttributeDatabase {
  mutating func insert(
    _ application: ApplicationID, _ published: [PublishedService]
  ) throws(PublicationRefusal) -> [ClosedRange<AttributeHandle>] {
    var begun: [AttributeHandle] = []
    return try insert(application, published, begun: &begun)
  }
}
