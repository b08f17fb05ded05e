extension Duration {
  /// With three decimals.
  package var inSeconds: String {
    let milliseconds = components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    return "\(milliseconds / 1000).\("\(1000 + milliseconds % 1000)".dropFirst())"
  }
}
