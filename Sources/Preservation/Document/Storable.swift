/// A value that stands in the document as a dictionary. The document's form is independent of the form on the wire of
/// what AppLink and GATT own, so that one can change without the other.
protocol Storable {
  init(reading fields: StateReader) throws
  func write(to fields: inout StateWriter) throws
}
