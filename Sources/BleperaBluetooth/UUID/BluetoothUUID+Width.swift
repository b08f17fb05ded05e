extension BluetoothUUID {
  /// The same UUID written at `width`; nil where its value has no form that short.
  public func written(at width: Width) -> BluetoothUUID? {
    if width == .bits128 { return BluetoothUUID(bits: bits) }
    let short = shortened
    guard short.width <= width else { return nil }
    guard width == .bits32 else { return short }
    return BluetoothUUID(UInt32(truncatingIfNeeded: bits >> 96))
  }
}
