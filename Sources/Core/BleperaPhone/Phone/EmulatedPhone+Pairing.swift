import BleperaAppLink
import BleperaBluetooth
import BleperaRadio

/// The part of the phone's user in pairings.
extension EmulatedPhone {
  private var pairingQuestions: [PairingQuestion] { withRadio { $0.pairingQuestions } ?? [] }

  /// Nil where there are none.
  var pairingStatuses: [PhoneStatus.Pairing]? {
    let questions = pairingQuestions
    return questions.isEmpty ? nil : questions.map { PhoneStatus.Pairing($0) }
  }

  func answerPairing(_ request: ControlRequest) -> ControlReply {
    guard let response = request.response else {
      return ControlReply(error: "'pair' requires a response: yes, no, or a passkey of six digits.")
    }
    let waiting = pairingQuestions
    let known = waiting.map(\.address).joined(separator: ", ")
    let meant = waiting.filter { question in request.device.map { $0.uppercased() == question.address } ?? true }
    guard let question = meant.first else {
      return ControlReply(
        error: waiting.isEmpty
          ? "no pairing waits for the phone's user."
          : "no pairing with '\(request.device ?? "")' waits. Waiting: \(known).")
    }
    guard meant.count == 1 else {
      return ControlReply(error: "\(meant.count) pairings wait; choose one by its address with '--device': \(known).")
    }
    guard question.accepts(response) else {
      let wanted = question.request == .type ? "a passkey of six digits" : "yes or no"
      return ControlReply(error: "the pairing with \(question.address) waits for \(wanted).")
    }
    withRadio { $0.answerPairing(question, response) }
    return .done
  }
}
