package import BleperaBluetooth

/// The values, version by version.
extension RuleSet {
  package static let newest = RuleSet(.newest)

  package init(_ version: IOSVersion) {
    self.version = version
    foregroundBudget = Sourced(
      28, "Apple, startAdvertising(_:); that headers count: captures of 2014 (LightBlu) and 2020 (uynguyen)")
    scanResponseNameBudget = Sourced(
      10, "Apple, startAdvertising(_:); that the header counts is derived: 31 bytes less 21 of the overflow area")
    overflowOrder = Sourced(
      .firstFit, "capture of 2020 (uynguyen: the first of five stays); Young calls it unpredictable, so ours")
    foregroundOverflowPlacement = Sourced(.scanResponse, "captures of 2014 (pagepinner) and 2020 (uynguyen)")
    txPowerLevel =
      version < .ios13
      ? Sourced(nil, "captures of iOS 10 and 11 (Crownstone, davidgyoung/ios-overflow-area) have none")
      : Sourced(12, "Herald's captures (iPhone SE1, X); left out of a full packet in that of 2020 (uynguyen)")
    backgroundOverflowPlacement =
      version < .ios13
      ? Sourced(.advertisement, "captures of iOS 10 and 11 (Crownstone, davidgyoung/ios-overflow-area)")
      : Sourced(
        .scanResponse,
        "Herald's and AltBeacon's captures: ADV_IND has an Apple item of the phone's own; without one it is there")
    foregroundInterval = Self.foregroundInterval(version)
    backgroundInterval = Self.backgroundInterval(version)
    foregroundOnlyGrace = Sourced(
      .seconds(5), "Apple, applicationDidEnterBackground(_:): about 5 s, suspended shortly afterwards")
    suspendedError = Sourced(.unlikelyError, "nobody has published the code; ours")
    disablesCachedValues = Sourced(
      false, "CBPeripheralManager.h says that reads get an error, Apple's guide that those of dynamic values do; ours")
    eventQueueLimit = Sourced(256, "Apple documents no limit; ours, of subscriptions and their ends")
    backgroundGrace = Sourced(
      .seconds(10), "apps were seen suspended 2 to 10 s after leaving the foreground (qanswer); ours is a wake's 10 s")
    wakeBudget = Sourced(
      .seconds(10), "Apple, Core Bluetooth Background Processing: around 10 s; Herald stays awake by events every 8 s")
    launchBudget = Sourced(.seconds(10), "Apple's forum 706256, of restoration launches: about 10 s")
    cutOffError = Sourced(.unlikelyError, "nobody has published the code; ours")
    throttle = Sourced(
      .seconds(10), "Apple, Core Bluetooth Background Processing: may be throttled back; the time is ours")
    overstayLimit = Sourced(3, "Apple, Core Bluetooth Background Processing: may be killed; the count is ours")
    mayStartInBackground =
      version < .ios14
      ? Sourced(true, "davidgyoung/OverflowAreaBeaconRef: works up to iOS 13")
      : Sourced(
        false, "davidgyoung/OverflowAreaBeaconRef: disallowed as of iOS 14; Hovanki, iOS 26.2.1: the old mask stays")
    transmitQueue = Sourced(65536, "Apple documents no depth; ours, of what waits for the bus")
    relaunch = Self.relaunch(version)
    foregroundScan = Sourced(
      ScanPace(interval: .milliseconds(40), window: .milliseconds(30)),
      "electronics.stackexchange 359158: apparently 30 ms of 40 ms")
    backgroundScan = Sourced(
      ScanPace(interval: .milliseconds(300), window: .milliseconds(30)),
      "Apple, Core Bluetooth Background Processing: the interval grows; no figure is published; ours")
    backgroundScanIsActive = Sourced(false, "opentrace-community, issue 4: passive in the background")
    overflowNeedsScreen = Sourced(
      true, "Young, Herald, Uy Nguyen; NHS Covid-19 app, iOS issue 2: touching the screen is enough")
    relaunchBackOff = Sourced(.seconds(1), "Apple documents none; ours, doubled each time")
    relaunchLimit = Sourced(5, "Apple documents none; ours")
    requestLimit = Sourced(.milliseconds(4500), "not of iOS: bluetoothd gives up after 5 s (ATTRIBUTE_TIMEOUT)")
  }

  private static func foregroundInterval(_ version: IOSVersion) -> Sourced<AdvertisingInterval> {
    let interval = AdvertisingInterval(clamping: 181.25)
    switch version {
    case .ios26:
      return Sourced(interval, "Hovanki, iOS 26.2.1: 5.2 to 6 reports a second; no sniffed figure is published")
    case .ios11:
      return Sourced(interval, "no figure is published; ours is that of iOS 11 in the background")
    case .ios13, .ios14, .ios18:
      return Sourced(interval, "no figure is published; ours is that of iOS 26")
    }
  }

  private static func backgroundInterval(_ version: IOSVersion) -> Sourced<AdvertisingInterval> {
    switch version {
    case .ios11:
      return Sourced(
        AdvertisingInterval(clamping: 181.25),
        "Ubertooth log of an iPhone 6 (davidgyoung/ios-overflow-area): gaps of 180.0 to 188.8 ms")
    case .ios13, .ios14, .ios18:
      return Sourced(AdvertisingInterval(clamping: 1022.5), "no figure is published; ours is that of iOS 26")
    case .ios26:
      return Sourced(
        AdvertisingInterval(clamping: 1022.5), "Hovanki, iOS 26.2.1: about 1 report a second; the exact figure is ours")
    }
  }
}
