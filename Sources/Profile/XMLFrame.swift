/// An element that is open while an XML property list is read.
struct XMLFrame {
  enum Kind {
    case plist
    case dictionary
    case array
    /// An element that property lists do not have: reported once, then passed over with all that is in it.
    case unknown
  }

  let kind: Kind
  let name: String
  /// Of the `<` of its tag.
  let offset: Int
  let contentOffset: Int
  var items: [PropertyListNode] = []
  var dictionary = PropertyListDictionary()
  /// The key that waits for its value.
  var key: (text: String, offset: Int, isDropped: Bool)?
}
