import Preservation

/// A store, with what stands in it in view.
protocol StoreUnderTest {
  var store: any PreservationStore { get }
  func document() throws -> [UInt8]?
  /// Puts bytes in the document's place.
  func put(_ bytes: [UInt8]) throws
  /// What a document that was set aside holds.
  func setAside(_ path: String) throws -> [UInt8]?
}
