extension UInt16 {
  /// The icon that desktops show for an appearance's category (`gap_appearance_to_icon`).
  var icon: String? {
    switch (self >> 6, self & 0x3F) {
    case (1, _): return "phone"
    case (2, _): return "computer"
    case (5, _): return "video-display"
    case (6, _): return "multimedia-player"
    case (7, _): return "scanner"
    case (15, 1): return "input-keyboard"
    case (15, 2): return "input-mouse"
    case (15, 3), (15, 4): return "input-gaming"
    case (15, 5): return "input-tablet"
    case (15, 8): return "scanner"
    default: return nil
    }
  }
}
