import BleperaAppLink
import BleperaBluetooth
import BleperaRadio
import BleperaRules

/// The defects that the user gives to the phone; they end with the phone.
extension EmulatedPhone {
  func changeDefect(_ request: ControlRequest) -> ControlReply {
    guard let defect = request.defect else { return ControlReply(error: "'defect' requires the name of a defect.") }
    var defects = central.rules.defects
    if request.isOn == false { defects.remove(defect) } else { defects.insert(defect) }
    guard setDefects(defects) else {
      return ControlReply(error: "'\(defect.rawValue)' is a defect of the link layer, which this radio does not have.")
    }
    return .done
  }

  /// The events of the defects that the phone has, as if the user had asked for each.
  var defectEvents: [PhoneEvent] {
    PhoneDefect.allCases.filter(central.rules.defects.contains).map { .asked(ControlRequest(.defect, defect: $0)) }
  }

  /// Returns false for a defect that the radio cannot have.
  @discardableResult func setDefects(_ defects: Set<PhoneDefect>) -> Bool {
    let ofLinkLayer = defects.intersection(PhoneDefect.ofLinkLayer)
    guard withRadio({ $0.setDefects(ofLinkLayer) }) ?? ofLinkLayer.isEmpty else { return false }
    if !defects.contains(.restoreIdentifierStuck) { stuckIdentifiers = [] }
    use { $0.setDefects(defects, at: now) }
    return true
  }
}
