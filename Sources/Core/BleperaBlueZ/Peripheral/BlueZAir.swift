import BleperaDBus
import BleperaRadio

/// The requested advertisement and its state on the air.
struct BlueZAir: Sendable {
  /// The advertisement that was requested last; nil for none.
  private(set) var requested: RadioAdvertisement?
  /// The advertisements by number, from 0, including advertisements that are being removed.
  private(set) var objects: [Int: (content: AdvertisementContent, tree: ObjectTree)] = [:]
  /// Whether `advertising` has been reported for the contents.
  private var isReported = false
  /// Whether bluetoothd takes the content of scan responses.
  private(set) var takesScanResponses = false
  /// The translation of `ofApps`.
  private(set) var contents: [AdvertisementContent] = []

  /// `requested`, unless the phone sends it without an app: bluetoothd has the advertisements of apps alone.
  var ofApps: RadioAdvertisement? { requested.flatMap { $0.isOwn ? nil : $0 } }

  mutating func request(_ advertisement: RadioAdvertisement?) {
    (requested, isReported) = (advertisement, false)
    translate()
  }

  /// - Returns: whether bluetoothd has to get the contents in another form from now on.
  mutating func takeScanResponses(_ takes: Bool) -> Bool {
    guard takes != takesScanResponses else { return false }
    takesScanResponses = takes
    translate()
    return true
  }

  private mutating func translate() {
    contents = ofApps.map { AdvertisementContent.contents(for: $0, takesScanResponses: takesScanResponses) } ?? []
  }

  // MARK: Objects

  /// Gives the contents their objects; `removed` have none from now on, `added` are new among `changed`.
  mutating func update(
    isExact: Bool, path: (Int) -> ObjectPath
  ) -> (removed: [Int], changed: [Int], added: [Int]) {
    let contents = isExact ? [] : contents
    let removed = objects.keys.filter { $0 >= contents.count }.sorted()
    let changed = contents.indices.filter { objects[$0]?.content != contents[$0] }
    let added = changed.filter { objects[$0] == nil }
    for number in changed {
      objects[number] = (contents[number], AdvertisementObject.tree(at: path(number), content: contents[number]))
    }
    return (removed, changed, added)
  }

  mutating func forget(_ number: Int) { objects[number] = nil }

  // MARK: Reports

  /// - Returns: whether `advertising` is to be reported: an advertisement that is registered again after a connection
  ///   is not reported again.
  mutating func reports(isOnAir: Bool) -> Bool {
    guard isOnAir, !isReported else { return false }
    isReported = true
    return true
  }

  /// - Returns: whether `advertising` had been reported.
  @discardableResult
  mutating func lose() -> Bool {
    defer { isReported = false }
    return isReported
  }
}
