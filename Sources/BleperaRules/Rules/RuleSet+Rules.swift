/// R1 to R16: those of the phone, and that of a central.
extension RuleSet {
  package static let rules: [Rule] = [
    Rule(
      .r1, "foreground",
      "Service UUIDs and the local name are advertised, as far as 28 bytes and 10 of scan response for the name hold them.",
      scope: "apps in the foreground", source: "Apple, startAdvertising(_:); captures"),
    Rule(
      .r2, "background", "The local name is not advertised, and every service UUID is in the overflow area.",
      scope: "apps with bluetooth-peripheral in the background", source: guide),
    Rule(
      .r3, "frequency", "The interval grows only when every app that advertises is in the background.",
      scope: "the radio", source: guide),
    Rule(
      .r4, "foreground-only",
      "It is not advertised in the background, soon suspended, its dynamic values get an error, and its events wait.",
      scope: "apps without bluetooth-peripheral", source: guide),
    Rule(
      .r5, "wake", "A read, a write, a subscription or its end wakes a suspended app for about 10 s.",
      scope: "apps with bluetooth-peripheral", source: guide),
    Rule(
      .r6, "limits", "An app that does not answer within its time is cut off, throttled and at last terminated.",
      scope: "apps with bluetooth-peripheral in the background", source: guide),
    Rule(
      .r7, "preserve", "Advertising data, published services and subscribers of an app that opts in are kept.",
      scope: "apps with a restoration identifier", source: guide),
    Rule(
      .r8, "relaunch", "An app that the system terminated is relaunched into the background when it has an event.",
      scope: "preserved apps", source: guide),
    Rule(
      .r9, "order", "willRestoreState comes first, then didUpdateState, then the event that caused the launch.",
      scope: "relaunched apps", source: guide),
    Rule(
      .r10, "cached value", "A characteristic created with a value is answered by the system without the app.",
      scope: "all apps", source: "Apple, CBMutableCharacteristic; measured by icesgg/smartscreen"),
    Rule(
      .r11, "several apps", "Bits of the overflow area are OR-ed, and foreground service UUIDs share the 28 bytes.",
      scope: "the radio", source: "Apple, startAdvertising(_:): best effort; NHS Covid-19 app, issues 10 and 39"),
    Rule(
      .r12, "no new advertisement",
      "Advertising that is started, changed or stopped in the background takes effect at the next foreground.",
      scope: "apps in the background, iOS 14 and later",
      source: "davidgyoung/OverflowAreaBeaconRef; Hovanki, iOS 26.2.1"),
    Rule(
      .r13, "back-pressure", "updateValue returns false when the transmit queue is full, until there is room again.",
      scope: "all apps", source: "Apple, updateValue(_:for:onSubscribedCentrals:)"),
    Rule(
      .r14, "power",
      "Powered off, advertising pauses and centrals are gone; a reset forgets what was published and advertised.",
      scope: "the radio", source: "Apple, CBPeripheralManager.h, peripheralManagerDidUpdateState(_:)"),
    Rule(
      .r15, "relaunch by version", "What ended the app, and the iOS, decide whether it is relaunched.",
      scope: "preserved apps", source: "Apple QA1962 and TN3115"),
    Rule(
      .r16, "scan",
      "A scan in the background asks for services, hears of each peripheral once, and listens less of the time.",
      scope: "centrals with bluetooth-central", source: guide),
  ]

  private static let guide = "Apple, Core Bluetooth Background Processing for iOS Apps"
}
