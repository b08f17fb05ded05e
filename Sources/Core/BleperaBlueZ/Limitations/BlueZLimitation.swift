package import BleperaBlueZProtocol
import BleperaBluetooth
package import BleperaRadio

/// The limitations of bluetoothd as used by `BlueZRadio`: the table for `explain`, `status`, `doctor` and the page
/// *Known differences*.
package enum BlueZLimitation {
  /// Every limitation: advertising first, then attributes and links, then the central role.
  package static let all: [RadioLimitation] = rows.map(\.limitation)

  /// - Parameters:
  ///   - advertisement: an iPhone's packets; nil for limitations of attributes and links only.
  ///   - daemon: nil if the release is unknown; no limitation then counts as fixed.
  ///   - honorsIntervals: whether bluetoothd honors advertising intervals; nil if unknown.
  ///   - takesScanResponses: whether bluetoothd takes the content of scan responses.
  ///   - isExact: whether the kernel sends the packets, as with `--exact`.
  ///   - id: the one limitation that is meant; nil for all.
  /// - Returns: the limitations that apply, each with what happens instead in this case.
  package static func applying(
    to advertisement: RadioAdvertisement?, daemon: DaemonVersion?, honorsIntervals: Bool? = nil,
    takesScanResponses: Bool = false, isExact: Bool = false, only id: String? = nil
  ) -> [RadioLimitation] {
    advertising(
      advertisement, daemon: daemon, honorsIntervals: honorsIntervals, takesScanResponses: takesScanResponses,
      isExact: isExact, only: id) + attributes(daemon: daemon, only: id)
  }

  /// The limitations of advertising that apply to an iPhone's packets.
  package static func advertising(
    _ advertisement: RadioAdvertisement?, daemon: DaemonVersion?, honorsIntervals: Bool? = nil,
    takesScanResponses: Bool = false, isExact: Bool = false, only id: String? = nil
  ) -> [RadioLimitation] {
    guard let advertisement else { return [] }
    let advertised = Advertised(
      packets: advertisement, daemon: daemon, honorsIntervals: honorsIntervals,
      takesScanResponses: takesScanResponses)
    return rows(only: id).flatMap { row -> [RadioLimitation] in
      guard case .advertising(let sentences) = row.scope, row.way.applies(isExact: isExact) else { return [] }
      return sentences(advertised).map { row.limitation.with(instead: $0 ?? row.limitation.instead) }
    }
  }

  private static func attributes(daemon: DaemonVersion?, only id: String?) -> [RadioLimitation] {
    unfixed(daemon, only: id) { if case .attributes = $0 { true } else { false } }
  }

  /// The limitations of the central role.
  static func central(daemon: DaemonVersion?, only id: String?) -> [RadioLimitation] {
    unfixed(daemon, only: id) { if case .central = $0 { true } else { false } }
  }

  private static func unfixed(
    _ daemon: DaemonVersion?, only id: String?, in scope: (Row.Scope) -> Bool
  ) -> [RadioLimitation] {
    rows(only: id).filter { scope($0.scope) && !$0.isFixed(in: daemon) }.map(\.limitation)
  }

  /// The limitations of a release, whatever is advertised.
  ///
  /// - Parameters:
  ///   - daemon: nil if the release is unknown; no limitation then counts as fixed.
  ///   - honorsIntervals: whether bluetoothd honors advertising intervals; nil if unknown.
  ///   - hasPrivateAddress: whether bluetoothd is configured to advertise with a resolvable private address.
  ///   - isExact: whether the kernel sends the packets, as with `--exact`.
  package static func remaining(
    in daemon: DaemonVersion?, honorsIntervals: Bool? = nil, hasPrivateAddress: Bool = false, isExact: Bool = false
  ) -> [RadioLimitation] {
    rows.filter { !$0.isFixed(in: daemon) && $0.way.applies(isExact: isExact) }.map(\.limitation)
      .filter { $0.id != RadioLimitation.intervals || honorsIntervals != true }
      .filter { !hasPrivateAddress || ($0.id != publicAddress && $0.id != RadioLimitation.presence) }
  }

  /// How long an app may take on bluetoothd, which gives up after 5 s (ATTRIBUTE_TIMEOUT in src/gatt-database.c); ours.
  package static let requestTimeLimit = Duration.milliseconds(4500)
  /// The `id` of the limitation that a setting of bluetoothd removes.
  static let publicAddress = "address"
  /// The `id` of the limitation of intervals that bluetoothd takes, unlike an adapter's default.
  static let wholeMilliseconds = "whole-milliseconds"

  // MARK: The table

  /// The packets to advertise, and the bluetoothd that advertises them.
  struct Advertised: Sendable {
    let packets: RadioAdvertisement
    let daemon: DaemonVersion?
    let honorsIntervals: Bool?
    let takesScanResponses: Bool

    /// The content of the packets for bluetoothd, translated at each call.
    var contents: [AdvertisementContent] {
      AdvertisementContent.contents(for: packets, takesScanResponses: takesScanResponses)
    }

    var structures: [ADStructure] { packets.advertisingData.structures + packets.scanResponse.structures }
  }

  struct Row: Sendable {
    enum Scope: Sendable {
      /// A sentence for each way in which the limitation applies, nil for the row's own; empty if it does not apply.
      case advertising(@Sendable (Advertised) -> [String?])
      case attributes
      case central
    }

    /// The way of advertising to which the limitation applies, with the page's words about `--exact`.
    enum Way: String, Sendable {
      case any = ""
      /// LEAdvertisingManager1.
      case daemon = "removes it"
      /// The kernel's management interface.
      case kernel = "only with it"
      /// LEAdvertisingManager1 in place of the kernel.
      case refused = "where it cannot be used"

      func applies(isExact: Bool) -> Bool {
        switch self {
        case .any: true
        case .daemon: !isExact
        case .kernel: isExact
        case .refused: false
        }
      }
    }

    let limitation: RadioLimitation
    /// The first release of bluetoothd without the limitation.
    let fixedIn: DaemonVersion?
    let scope: Scope
    let way: Way

    func isFixed(in daemon: DaemonVersion?) -> Bool {
      guard let daemon, let fixedIn else { return false }
      return daemon >= fixedIn
    }
  }

  static let rows: [Row] = advertisingRows + attributeRows + centralRows

  private static func rows(only id: String?) -> [Row] {
    guard let id else { return rows }
    return rows.indices.filter { rows[$0].limitation.id == id }.map { rows[$0] }
  }
}

extension RadioLimitation {
  fileprivate func with(instead sentence: String) -> RadioLimitation {
    RadioLimitation(id: id, iPhone: iPhone, instead: sentence, fixedIn: fixedIn, rule: rule, advice: advice)
  }
}
