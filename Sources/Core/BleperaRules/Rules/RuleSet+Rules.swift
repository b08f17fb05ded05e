/// R1 to R15, the rules of the phone, and R16 to R19, the rules of a central.
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
      "The app is silent in the background and soon suspended; dynamic values are refused, and events are queued.",
      scope: "apps without the background mode of the role", source: guide),
    Rule(
      .r5, "wake",
      "An event wakes a suspended app for about 10 s: a request, a subscription, a discovery, a connection or a value.",
      scope: "apps with the background mode of the role", source: guide + "; for the unsubscription: ours"),
    Rule(
      .r6, "limits",
      "An app that does not respond or finish in time is suspended, throttled and finally terminated.",
      scope: "apps with a background mode in the background", source: guide),
    Rule(
      .r7, "preserve",
      "Advertising data, services, subscribers, scans and connections of an app that opts in are kept.",
      scope: "apps with a restoration identifier", source: guide),
    Rule(
      .r8, "relaunch", "An app that the system terminated is relaunched into the background when it has an event.",
      scope: "preserved apps", source: guide),
    Rule(
      .r9, "order",
      "willRestoreState comes first, then didUpdateState, then the events since the app ended, in order.",
      scope: "relaunched apps", source: guide),
    Rule(
      .r10, "cached value", "A characteristic created with a value is answered by the system without the app.",
      scope: "all apps", source: "Apple, CBMutableCharacteristic; measured by icesgg/smartscreen"),
    Rule(
      .r11, "several apps",
      "One app is in the foreground; bits of the overflow area are OR-ed, and UUIDs share the 28 bytes.",
      scope: "the radio", source: "Apple, startAdvertising(_:): best effort; NHS Covid-19 app, issues 10 and 39"),
    Rule(
      .r12, "no new advertisement",
      "Advertising that is started in the background begins at the next foreground; a stop takes effect at once.",
      scope: "apps in the background, iOS 14 and later",
      source: "davidgyoung/OverflowAreaBeaconRef; for the stop: Apple, stopAdvertising()"),
    Rule(
      .r13, "back-pressure",
      "updateValue returns false, and canSendWriteWithoutResponse is false, while the queue is full.",
      scope: "all apps",
      source: "Apple, updateValue(_:for:onSubscribedCentrals:) and canSendWriteWithoutResponse"),
    Rule(
      .r14, "power",
      "While the radio is off, advertising pauses and centrals are disconnected; a reset also removes services.",
      scope: "the radio", source: "Apple, CBPeripheralManager.h, peripheralManagerDidUpdateState(_:)"),
    Rule(
      .r15, "relaunch by version",
      "Whether an app is relaunched depends on how it was terminated and on the version of iOS.",
      scope: "preserved apps", source: "Apple QA1962 and TN3115"),
    Rule(
      .r16, "scan",
      "Without AllowDuplicates a scan reports each peripheral once, from iOS 16.4 on by its first packet; in the "
        + "background a scan requires service UUIDs and scans less of the time.",
      scope: "centrals", source: guide),
    Rule(
      .r17, "connections",
      "A connection, or the wait for one, has no time limit, survives suspension and a restorable app's termination, and "
        + "ends with its last user.",
      scope: "centrals",
      source: "Apple, connect(_:options:), cancelPeripheralConnection(_:) and TN3115"),
    Rule(
      .r18, "attribute cache",
      "Discovered attributes stay cached for all apps where the peripheral is bonded and has Service Changed, or neither.",
      scope: "centrals", source: "Apple, WWDC 2013-703 and 2017-712"),
    Rule(
      .r19, "alerts",
      "An event that waits for a suspended app shows an alert if asked for: a connection, disconnection or notification.",
      scope: "centrals without bluetooth-central", source: guide),
  ]

  private static let guide = "Apple, Core Bluetooth Background Processing for iOS Apps"
}
