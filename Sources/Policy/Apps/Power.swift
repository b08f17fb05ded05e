/// The radio's power and the user's switch.
struct Power: Hashable {
  var radio = RadioPower.unavailable
  var isSwitchedOn = true
  /// What both came to when `Policy.powerChanged` last looked.
  var state = RadioPower.unavailable
  var onSince: Duration?

  var effective: RadioPower { radio == .on && !isSwitchedOn ? .off : radio }
}
