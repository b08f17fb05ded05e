import BleperaAppLink
import BleperaBluetooth
import BleperaRules

extension EventRecord {
  /// The rules that the event names, and the rules that cause events of its kind.
  var rules: [RuleID] {
    let named =
      [text(.rule)].compactMap { $0.flatMap(RuleID.init(text:)) } + (texts(.reasons) ?? []).compactMap(Self.rule)
    return Set(named + implied).sorted { $0.rawValue < $1.rawValue }
  }

  /// The rule at the end of a reason, such as `180D: in the overflow area, bit 61 (R2)`.
  private static func rule(of reason: String) -> RuleID? {
    guard reason.hasSuffix(")"), let start = reason.lastIndex(of: "(") else { return nil }
    return RuleID(text: String(reason[reason.index(after: start)...].dropLast()))
  }

  private var implied: [RuleID] {
    switch event {
    case .advertising:
      if text(.intervalKind) == IntervalKind.background.rawValue {
        [.r3] + (self[.overflowServiceUUIDs] == nil ? [] : [.r2])
      } else {
        [.r1]
      }
    case .state: Self.rules(ofStateBecause: text(.reason) ?? "")
    case .queued: [.r4]
    case .peripheralConnected, .peripheralDisconnected: [.r17]
    case .alert: [.r19]
    case .preserved: [.r7]
    case .restored: [.r7, .r9]
    case .relaunching: [.r8]
    case .relaunchFailed, .relaunchGivenUp: [.r8]
    case .removed: [.r15]
    case .terminated: text(.reason) == TerminationCause.exceededLimits.text ? [.r6] : []
    case .poweredOff: [.r14]
    case .read: flag(.cached) == true ? [.r10] : []
    default: []
    }
  }

  /// The rules for a reason of `StateReason.text`.
  private static func rules(ofStateBecause reason: String) -> [RuleID] {
    switch reason {
    case "relaunched by the system": [.r8, .r9]
    case "another app was opened": [.r11]
    case "its time in the background is over": [.r4, .r5]
    case "it has finished its work", "its time for the event is over": [.r5]
    case "it exceeded its time for the event": [.r6]
    case _ where reason.hasPrefix("woken"): [.r5]
    default: []
    }
  }
}

extension RuleID {
  /// Parses `R4`.
  init?(text: String) {
    guard text.hasPrefix("R"), let number = Int(text.dropFirst()) else { return nil }
    self.init(rawValue: number)
  }
}

/// A rule as the page shows it.
struct ReportRule: Encodable, Equatable {
  let number: Int
  let name: String
  let meaning: String
  let scope: String

  static let all = RuleSet.rules.map {
    ReportRule(number: $0.id.rawValue, name: $0.name, meaning: $0.meaning, scope: $0.scope)
  }
}
