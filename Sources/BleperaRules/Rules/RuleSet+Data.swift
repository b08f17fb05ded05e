package import BleperaBluetooth

/// The values for each version of iOS.
extension RuleSet {
  package static let newest = RuleSet(.newest)

  package init(_ version: IOSVersion) {
    self.version = version
    foregroundBudget = Sourced(
      28, .captured,
      "Apple, startAdvertising(_:), which says that headers are not counted; captures of 2014 (LightBlu) and 2020 "
        + "(uynguyen) count them")
    scanResponseNameBudget = Sourced(
      10, .captured, "31 bytes less 21 of the overflow area; captures of 2014 (LightBlu) and 2020 (uynguyen)")
    emptyScanResponseNameBudget = Sourced(
      12, .documented, "Apple, startAdvertising(_:): 10 bytes, to which the 2 bytes of the header are added")
    overflowOrder = Sourced(
      .firstFit, .ours, "capture of 2020 (uynguyen: the first of five stays); Young calls it unpredictable, so ours")
    txPowerLevel =
      version < .ios13
      ? Sourced(nil, .captured, "captures of iOS 10 and 11 (Crownstone, davidgyoung/ios-overflow-area) have none")
      : Sourced(
        12, .captured, "Herald's captures (iPhone SE1, X); left out of a full packet in that of 2020 (uynguyen)")
    backgroundAppleItems =
      version < .ios13
      ? Sourced([], .captured, "captures of iOS 10 and 11 (Crownstone, davidgyoung/ios-overflow-area) have none")
      : Sourced(
        [.nearbyInfo], .captured,
        "Herald's capture of an iPhone X; its iPhone SE1 has none, AltBeacon's phone a Nearby Action; that "
          + "it is absent in the foreground: Home Assistant iOS, issue 3583")
    foregroundInterval = Self.foregroundInterval(version)
    backgroundInterval = Self.backgroundInterval(version)
    addressRotation = Sourced(
      .seconds(900), .reported,
      "Core Specification, Vol 3, Part C, Appendix A, TGAP(private_addr_int): 15 minutes; reported of iPhones too")
    foregroundOnlyGrace = Sourced(
      .seconds(5), .documented, "Apple, applicationDidEnterBackground(_:): about 5 s, suspended shortly afterwards")
    suspendedError = Sourced(.unlikelyError, .ours, "nobody has published the code; ours")
    disablesCachedValues = Sourced(
      false, .ours,
      "CBPeripheralManager.h says that reads get an error, Apple's guide that those of dynamic values do; ours")
    eventQueueLimit = Sourced(256, .ours, "Apple documents no limit; ours, of subscriptions and their ends")
    backgroundGrace = Sourced(
      .seconds(10), .ours,
      "apps were seen suspended 2 to 10 s after leaving the foreground (qanswer); ours is a wake's 10 s")
    wakeBudget = Sourced(
      .seconds(10), .documented,
      "Apple, Core Bluetooth Background Processing: around 10 s; Herald stays awake by events every 8 s")
    launchBudget = Sourced(.seconds(10), .reported, "Apple's forum 706256, of restoration launches: about 10 s")
    wakeTime = Sourced(
      .milliseconds(500), .ours,
      "Apple's engineers: from immediately after a callback has returned to about 30 s; ours, and --wake-time chooses")
    backgroundTask =
      version < .ios13
      ? Sourced(.seconds(180), .reported, "developers report 180 s of iOS 7 to 12; Apple gives no figure")
      : Sourced(.seconds(30), .reported, "developers report about 30 s since iOS 13; Apple gives no figure")
    timeoutError = Sourced(.unlikelyError, .ours, "nobody has published the code; ours")
    throttle = Sourced(
      .seconds(10), .ours, "Apple, Core Bluetooth Background Processing: may be throttled back; the time is ours")
    overrunLimit = Sourced(3, .ours, "Apple, Core Bluetooth Background Processing: may be killed; the count is ours")
    splitView = Sourced(false, .documented, "an iPhone shows one app; Split View is the iPad's")
    mayStartInBackground =
      version < .ios14
      ? Sourced(true, .reported, "davidgyoung/OverflowAreaBeaconRef: works up to iOS 13")
      : Sourced(false, .reported, "davidgyoung/OverflowAreaBeaconRef: disallowed as of iOS 14")
    transmitQueue = Sourced(
      4, .ours,
      "Apple documents no depth; two to five calls in a row filled it (Apple's forum 796390, bleno-mac, bleno); ours")
    connectionInterval = Sourced(
      .milliseconds(30), .captured,
      "CONNECT_REQ of an iPhone, iOS 11 (davidgyoung/ios-overflow-area); an event empties the queue, which no one shows"
    )
    relaunch = Self.relaunch(version)
    foregroundScan = Sourced(
      ScanTiming(interval: .milliseconds(40), window: .milliseconds(30)), .reported,
      "electronics.stackexchange 359158: apparently 30 ms of 40 ms")
    backgroundScan = Sourced(
      ScanTiming(interval: .milliseconds(300), window: .milliseconds(30)), .ours,
      "Apple, Core Bluetooth Background Processing: the interval grows; no figure is published; ours")
    backgroundScanIsActive = Sourced(false, .reported, "opentrace-community, issue 4: passive in the background")
    overflowNeedsScreen = Sourced(
      true, .reported, "Young, Herald, Uy Nguyen; NHS Covid-19 app, iOS issue 2: touching the screen is enough")
    relaunchBackOff = Sourced(.seconds(1), .ours, "Apple documents none; ours, doubled each time")
    relaunchLimit = Sourced(5, .ours, "Apple documents none; ours")
  }

  private static func foregroundInterval(_ version: IOSVersion) -> Sourced<AdvertisingInterval> {
    let interval = AdvertisingInterval(clamping: 181.25)
    switch version {
    case ..<(.ios13):
      return Sourced(interval, .ours, "no figure is published; ours is that of iOS 11 in the background")
    case ..<(.ios26):
      return Sourced(interval, .ours, "no figure is published; ours is that of iOS 26")
    default:
      return Sourced(
        interval, .ours,
        "Hovanki, iOS 26.2.1: 5.2 to 6 reports a second at a Mac, its limits included; the exact figure is ours")
    }
  }

  private static func backgroundInterval(_ version: IOSVersion) -> Sourced<AdvertisingInterval> {
    switch version {
    case ..<(.ios13):
      return Sourced(
        AdvertisingInterval(clamping: 181.25), .captured,
        "Ubertooth log of an iPhone 6, iOS 11 (davidgyoung/ios-overflow-area): gaps of 180.0 to 188.8 ms; Crownstone, "
          + "iOS 10 to 12: multiples of about 0.2 s")
    case ..<(.ios26):
      return Sourced(AdvertisingInterval(clamping: 1022.5), .ours, "no figure is published; ours is that of iOS 26")
    default:
      return Sourced(
        AdvertisingInterval(clamping: 1022.5), .ours,
        "Hovanki, iOS 26.2.1: about 1 report a second at a Mac, its limits included; the exact figure is ours")
    }
  }
}
