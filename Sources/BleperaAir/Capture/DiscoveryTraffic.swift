import BleperaBluetooth
import BleperaHost

/// The requests and responses by which a central discovers a database (Core Specification, Vol 3, Part G, 4.4 to 4.7): on
/// the virtual air, discovery is one event.
struct DiscoveryTraffic {
  /// In order; `isUpward` is true for those of the central.
  private(set) var pdus: [(isUpward: Bool, pdu: ATTPDU)] = []
  private let search: AttributeSearch

  private static let everything = AttributeHandle(rawValue: 1)...AttributeHandle(rawValue: .max)

  /// - Parameter subscribes: whether the central subscribes to Service Changed afterwards.
  init(of database: AttributeDatabase, mtu: Int, subscribes: Bool) {
    search = AttributeSearch(
      database.searched { if case .fixed(let value) = $0.content { .bytes(value) } else { .asked } }, mtu: mtu)
    for type in [AttributeTypes.primaryService, AttributeTypes.secondaryService] {
      ask(Self.everything) { .readByGroupTypeRequest($0, type: type) }
    }
    ask(Self.everything) { .readByTypeRequest($0, type: AttributeTypes.include) }
    for service in database.services {
      ask(service.range) { .readByTypeRequest($0, type: AttributeTypes.characteristic) }
      for range in Self.descriptorRanges(of: service) { ask(range) { .findInformationRequest($0) } }
    }
    guard subscribes, let value = database.serviceChanged,
      let descriptor = database.clientConfiguration(of: value)
    else { return }
    pdus += [(true, .writeRequest(descriptor, [2, 0])), (false, .writeResponse)]
  }

  /// The handles between each characteristic's value and the next characteristic.
  private static func descriptorRanges(of service: DatabaseService) -> [ClosedRange<AttributeHandle>] {
    let declarations = service.attributes.filter { $0.type == AttributeTypes.characteristic }.map(\.handle.rawValue)
    let ends = declarations.dropFirst().map { $0 - 1 } + [service.range.upperBound.rawValue]
    return zip(declarations, ends).compactMap { declaration, end in
      guard end > declaration + 1 else { return nil }
      return AttributeHandle(rawValue: declaration + 2)...AttributeHandle(rawValue: end)
    }
  }

  /// Repeats a request until the range has nothing more.
  private mutating func ask(
    _ range: ClosedRange<AttributeHandle>, _ request: (ClosedRange<AttributeHandle>) -> ATTPDU
  ) {
    var rest: ClosedRange<AttributeHandle>? = range
    while let asked = rest {
      let request = request(asked)
      guard case .response(let response)? = search.answer(request) else { return }
      pdus += [(true, request), (false, response)]
      guard let last = response.lastFound, last < range.upperBound else { return }
      rest = AttributeHandle(rawValue: last.rawValue + 1)...range.upperBound
    }
  }
}

extension ATTPDU {
  /// The last handle of a response to a search.
  fileprivate var lastFound: AttributeHandle? {
    switch self {
    case .readByGroupTypeResponse(let groups): groups.last?.range.upperBound
    case .readByTypeResponse(let values): values.last?.handle
    case .findInformationResponse(let rows): rows.last?.handle
    default: nil
    }
  }
}
