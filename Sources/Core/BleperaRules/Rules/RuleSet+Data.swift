package import BleperaBluetooth

/// The values for each version of iOS.
extension RuleSet {
  package static let newest = RuleSet(.newest)

  package init(_ version: IOSVersion) {
    self.version = version
    let log = "(Bafang-RideSync, bluetoothd-hci-latest.pklg)"
    let iPhone6 = "iPhone 6, iOS 11 (davidgyoung/ios-overflow-area, Ubertooth log): none; Crownstone, iOS 10: none"
    foregroundBudget = Sourced(
      28, .documented,
      "Apple, startAdvertising(_:), which says that headers are not counted; with headers and flags, 28 bytes fill the "
        + "31 of a packet, as in captures of 2014 (LightBlu) and 2020 (uynguyen)")
    scanResponseNameBudget = Sourced(
      10, .documented,
      "Apple, startAdvertising(_:); 31 bytes less 21 of the overflow area leave 10 with the header; no capture shows a "
        + "name in a scan response")
    emptyScanResponseNameBudget = Sourced(
      12, .documented, "Apple, startAdvertising(_:): 10 bytes, to which the 2 bytes of the header are added")
    overflowOrder = Sourced(
      .firstFit, .ours, "capture of 2020 (uynguyen): the first of five stays; Young calls it unpredictable")
    txPowerLevel =
      switch version {
      case ..<(.ios12): Sourced(nil, .measured, iPhone6)
      case .ios12: Sourced(nil, .ours, "as iOS 11; no packet of iOS 12 is published")
      case ..<(.ios27):
        Sourced(
          12, .measured,
          "iPhone SE and X (Herald, BLEDeviceFilterTest.java), a phone of 2025 (Boston-Mesh, take_2); left out of a full "
            + "packet in the capture of 2020 (uynguyen)")
      default:
        Sourced(
          8, .measured, "iPhone 16 Pro Max, iOS 27 beta (even-g2, bt.pklg); no other packet of iOS 27 is published")
      }
    txPowerPlace = Sourced(
      .afterFlags, .measured,
      "iPhone SE and X (Herald, BLEDeviceFilterTest.java); iPhone 16 Pro Max, iOS 27 beta (even-g2, bt.pklg)")
    backgroundAppleItems = Self.backgroundAppleItems(version, log, iPhone6)
    nearbyInfoStatus =
      version < .ios18
      ? Sourced(
        NearbyInfoStatus(locked: 0x03, unlocked: 0x0B), .reported,
        "furiousMAC/continuity: 3 idle, B recently used; a 7, the screen lit, is in Herald's capture of an iPhone X")
      : Sourced(
        NearbyInfoStatus(locked: 0x33, unlocked: 0x7B), .measured,
        "iPhone 17 Pro Max, iOS 26.5.1 \(log); also 77 for 5 s where a locked screen is lit, and 3B for 1.5 s after locking"
      )
    foregroundInterval = Self.foregroundInterval(version)
    backgroundInterval = Self.backgroundInterval(version)
    ownInterval = Sourced(
      AdvertisingInterval(clamping: 270), .measured,
      "iPhone 17 Pro Max, iOS 26.5.1 \(log): 127 commands; even-g2's 16 Pro Max, iOS 27: 4; but a locked phone without an "
        + "app was silent for ten minutes beside a receiver (icesgg/smartscreen, PROXIMITY.md)")
    handoffInterval = Sourced(
      HandoffInterval(
        first: AdvertisingInterval(clamping: 30), newTime: .seconds(2), then: AdvertisingInterval(clamping: 181.25)),
      .measured,
      "iPhone 17 Pro Max, iOS 26.5.1 \(log): Handoff that is new or changed, 62 and 26 commands; blepera has it new at each "
        + "unlocking, where --apple-items has it")
    findMyInterval = Sourced(
      AdvertisingInterval(clamping: 2000), .measured,
      "iPhone 17 Pro Max, iOS 26.5.1 \(log): 220 commands, not connectable, in a set and under an address of its own")
    advertisingDelay =
      version < .ios13
      ? Sourced(
        .inSteps, .measured,
        "iPhone 6, iOS 11 (davidgyoung/ios-overflow-area, Ubertooth log): 762, 398, 420, 396 and 236 of 2,261 gaps")
      : Sourced(
        .specification, .documented,
        "Core Specification, Vol 6, Part B, 4.4.2.2.1; phones of 2025 (Boston-Mesh): means of 274.4 to 275.4 ms for 270"
      )
    addressRotation = Sourced(
      .seconds(900), .measured,
      "iPhone 17 Pro Max, iOS 26.5.1 \(log): after 940, 1,113 and 1,346 s, late while asleep; 15 minutes are the Core "
        + "Specification's TGAP(private_addr_int), and the virtual radio's phone is never late")
    foregroundOnlyGrace = Sourced(
      .seconds(5), .documented, "Apple, applicationDidEnterBackground(_:): about 5 s, suspended shortly afterwards")
    suspendedError = Sourced(.unlikelyError, .ours, "nobody has published the code")
    disablesCachedValues = Sourced(
      false, .ours,
      "CBPeripheralManager.h says that reads get an error; Apple's guide, that reads of dynamic values do")
    eventQueueLimit = Sourced(256, .ours, "Apple documents no limit for subscriptions and their ends")
    backgroundGrace = Sourced(
      .seconds(10), .reported,
      "codehunter: 10 s after the Home button; suspended 2 to 10 s after leaving the foreground (qanswer)")
    wakeBudget = Sourced(
      .seconds(10), .documented,
      "Apple, Core Bluetooth Background Processing: around 10 s; Herald stays awake by events every 8 s")
    launchBudget = Sourced(
      .seconds(10), .reported, "a developer in Apple's forum, thread 706256, of restoration launches: about 10 s")
    wakeTime = Sourced(
      .seconds(10), .reported,
      "cordova-plugin-bluetoothle issue 433: 10 s from the last packet, and codehunter, for relaunched apps too; Apple's "
        + "engineers: from no time after a callback to about 30 s; --wake-time sets the value")
    backgroundTask =
      version < .ios13
      ? Sourced(.seconds(180), .reported, "developers report 180 s of iOS 7 to 12; Apple gives no figure")
      : Sourced(.seconds(30), .reported, "developers report about 30 s since iOS 13; Apple gives no figure")
    timeoutError = Sourced(.unlikelyError, .ours, "nobody has published the code")
    let another =
      "another limit is measured, which blepera does not count: killed at 48 s of processor time within 60 s "
      + "(react-native-background-fetch issue 323, iOS 14.3; atria issue 24, a restored app of 2026)"
    throttle = Sourced(
      .seconds(10), .ours,
      "Apple, Core Bluetooth Background Processing: may be throttled back, without a time; \(another)")
    overrunLimit = Sourced(
      3, .ours, "Apple, Core Bluetooth Background Processing: may be killed, without a count; \(another)")
    splitView = Sourced(false, .documented, "Apple's user guides: only the iPad's has Split View")
    mayStartInBackground =
      version < .ios14
      ? Sourced(true, .reported, "davidgyoung/OverflowAreaBeaconRef: works up to iOS 13")
      : Sourced(false, .reported, "davidgyoung/OverflowAreaBeaconRef: disallowed as of iOS 14")
    transmitQueue = Sourced(
      4, .ours,
      "Apple documents no depth; two to five calls in a row filled it (Apple's forum 796390, bleno-mac, bleno)")
    writeQueue = Sourced(
      WriteQueue.places, .ours,
      "Apple documents no depth; up to iOS 10 more than about 20 were lost (openradar 20394802); Nordic's library sends "
        + "16 at a time, and does not know the depth (IOS-nRF-Connect-Device-Manager 318)")
    writesAtConnection = Sourced(
      version != .ios11, .reported,
      "false on iOS 11.0 and 11.1 (react-native-ble-plx PR 366, RxBluetoothKit #282); in 2026 on a Mac some five times "
        + "(tinygo-org/bluetooth PR 435); that peripheralIsReady is called then is ours")
    connectionInterval = Sourced(
      .milliseconds(30), .measured,
      "iPhone 6, iOS 11 (davidgyoung/ios-overflow-area, CONNECT_REQ); iPhone 17 Pro Max, iOS 26.5.1 \(log) and even-g2's "
        + "16 Pro Max: 22 of 22 links; that an event empties the queue is shown nowhere"
    )
    relaunch = Self.relaunch(version)
    foregroundScan = Sourced(
      ScanTiming(interval: .milliseconds(40), window: .milliseconds(30)), .measured,
      "iPhone 17 Pro Max, iOS 26.5.1 \(log): active, once for 1.7 s; before iOS 26 apparently the same "
        + "(electronics.stackexchange 359158)")
    backgroundScan = Sourced(
      ScanTiming(interval: .milliseconds(300), window: .milliseconds(30)), .measured,
      "iPhone 17 Pro Max, iOS 26.5.1 \(log): the system's own scan while awake, passive; COVIDSafe on iOS 13: the same "
        + "(gist wabzqem f59948fe); no other app's is published")
    foregroundDiscoveries =
      version < .ios16
      ? Sourced(
        .joined, .reported,
        "Apple, centralManager(_:didDiscover:advertisementData:rssi:): advertisement and scan response; a name of the scan "
          + "response on iOS 15 (dotnet-bluetooth-le 698) and before 16.4.1 (cordova-plugin-ble-central 961)")
      : Sourced(
        .separate, .reported,
        "since iOS 16.4 no name of the scan response, and with duplicates in a call of its own: cordova-plugin-ble-central "
          + "961, capacitor-community/bluetooth-le 527 and 528, react-native-ble-plx 1293 (17.4); of services that only the "
          + "scan response has, none without a filter for them (528)")
    backgroundScanResponses = Sourced(
      .screenOn, .reported,
      "with the screen on an app in the background found a phone in the background: nrbrook, PacketLogger, iOS 13 (NHS "
        + "Covid-19 app, iOS issue 2), and Young, iOS 13 to 16 (OverflowAreaBeaconRef); passive, the screen not named: "
        + "opentrace-community, issue 4; no capture has an app's scan in the background")
    overflowNeedsScreen = Sourced(
      true, .reported, "Young, Herald, Uy Nguyen; NHS Covid-19 app, iOS issue 2: touching the screen is enough")
    liveActivityScans = Sourced(
      version >= .ios26, .documented,
      "Apple, Core Bluetooth: from iOS 26 on the privileges of the foreground, such as scans without UUIDs and with "
        + "duplicates, after a Live Activity was started there; what an app advertises then, and how much of the time it "
        + "scans, is not published: as without a Live Activity")
    litScan = Sourced(
      BoostedScan(
        timing: ScanTiming(interval: .milliseconds(60), window: .milliseconds(30)),
        time: version >= .ios26 ? .seconds(10) : .zero),
      .measured,
      "iPhone 17 Pro Max, iOS 26.5.1 \(log): the system's own, passive: 36 times after lighting or unlocking; logs of iOS "
        + "12 to 14 show no such scan")
    sleepScan =
      version >= .ios26
      ? Sourced(
        ScanTiming(interval: .microseconds(965_625), window: .milliseconds(30)), .measured,
        "iPhone 17 Pro Max, iOS 26.5.1 \(log): the system's own, passive, in 4,043 s of sleep")
      : Sourced(
        backgroundScan.value, .reported, "iOS 12: the interval is 300 ms with the screen on and off (aws-sdk-ios 4594)")
    restartReportsAgain =
      version <= .ios11
      ? Sourced(
        version == .ios10, .reported,
        "RxBluetoothKit issue 141: an app discovers again on iOS 10, and the same app not on iOS 11")
      : Sourced(
        true, .ours,
        "helps mostly on iOS 8 (Apple's forum 3774) and on iOS 10, not on iOS 5 and on iOS 11 (RxBluetoothKit issue 141); on "
          + "iOS 13 with the screen off, where nothing does")
    connectionLimit = Sourced(
      8, .ours,
      "Apple documents none; 3 on iOS 8 (bluetoothle 81), 7 (cordova-ble-central 364), 8 (RxBluetoothKit 362), 5 to 12 "
        + "(AsyncBluetooth 7)")
    connectionScan = Sourced(
      backgroundScan.value, .measured,
      "iPhone 17 Pro Max, iOS 26.5.1 \(log): 33 commands, nearly all awake; 23 others have 30 of 30 and of 90 for the "
        + "system's own"
    )
    sleepConnectionScan = Sourced(
      ScanTiming(interval: .milliseconds(300), window: .microseconds(12_500)), .measured,
      "iPhone 17 Pro Max, iOS 26.5.1 \(log): 35 commands, most together with the scan of a phone that sleeps; in force at "
        + "48 of 48 transitions to sleep")
    identifierLifetime = Sourced(
      .seconds(86_400), .ours, "Apple calls identifiers persistent; for changing addresses without a bond"
    )
    identifierLimit = Sourced(10_000, .ours, "Apple documents none")
    requestedLink = Sourced(
      RequestedLink(
        minimum: .milliseconds(10), maximum: .milliseconds(30), latency: 0, timeout: .milliseconds(720)),
      .measured, "iPhone 17 Pro Max, iOS 26.5.1 \(log): requested of the controller first; effective: 30 ms")
    dataLength = Sourced(
      DataLength.range.upperBound, .measured,
      "iPhone 17 Pro Max, iOS 26.5.1 \(log), and even-g2's 16 Pro Max, iOS 27 beta: 2120 us, after 12 to 60 ms; earlier "
        + "versions: an iPhone 7 asks for data length, a 6s does not (devzone 16644)")
    clientMTU =
      switch version {
      case ..<(.ios15):
        Sourced(
          ATTMTU.iPhone, .reported,
          "iPhones from iOS 10 on (esysberlin/ble-guides); but 524 bytes of data from iOS 11 on in mcumgr-ios (PR 2), and "
            + "527 in 2021 (Jieli-Tech/fw-AC63_BT_SDK issue 99)")
      case ..<(.ios26):
        Sourced(
          527, .reported,
          "iPhone 7, iOS 15.4.1, sniffed (flutter_reactive_ble issue 705); iOS 16.7.8: at least 515 "
            + "(flutter_blue_plus issue 909); 512 in 2025 (meshtastic/firmware issue 7690); but 293 with two peers "
            + "(rgb-sunglasses, LurMotorn issue 206)")
      default:
        Sourced(
          527, .measured, "iPhone 17 Pro Max, iOS 26.5.1 \(log): 18 of 18 links to peers with data length")
      }
    shortPacketMTU = Sourced(
      ATTMTU.iPhone, .reported,
      "an iPhone 7 sent 185 and 527 bytes (flutter_reactive_ble issue 705), and one of 2021 to two chips (fw-AC63_BT_SDK "
        + "issue 99); 185 to the one peer of Bluetooth 4.0: iPhone 17 Pro Max, iOS 26.5.1 \(log); that data length is the "
        + "difference, in both directions, is derived")
    ownHandles = Sourced(
      .measured, .measured,
      "iPhone 17 Pro Max, iOS 26.5.1 \(log): 180A at 0x000A, 180F at 0x000F, 1805 at 0x0013, ANCS at 0x0019, AMS at "
        + "0x0023, Continuity at 0x002F, Nearby at 0x0034; --phone-services has its own")
    relaunchBackOff = Sourced(.seconds(1), .ours, "Apple documents none; doubled each time")
    relaunchLimit = Sourced(5, .ours, "Apple documents none")
  }

  private static func backgroundAppleItems(
    _ version: IOSVersion, _ log: String, _ iPhone6: String
  ) -> Sourced<[AppleItem]> {
    let tag = "the tag, 4 bytes, blepera draws for each phone, and for each address on the virtual radio"
    let foreground =
      "absent while an app advertises in the foreground: a packet of 2025 (Boston-Mesh); phones with iOS 18.3 and later that "
      + "trackers lost while Home Assistant was frontmost (Home Assistant iOS, issue 3583) were seen to send Handoff before "
      + "it, 26 bytes and no TX power (bermuda issue 544)"
    switch version {
    case ..<(.ios12): return Sourced([], .measured, iPhone6)
    case .ios12:
      return Sourced(
        [.nearbyInfo], .ours,
        "as iOS 13: Crownstone dates it to iOS 12, where a packet of an app in the background has none (Herald); \(tag)"
      )
    case ..<(.ios18):
      return Sourced(
        [.nearbyInfo], .measured,
        "iPhone X (Herald, BLEDeviceFilterTest.java); \(tag); Herald's iPhone SE has none, AltBeacon's a Nearby Action; "
          + foreground)
    case ..<(.ios26):
      return Sourced(
        [.nearbyInfoInUse], .ours,
        "phones of 2025 (Boston-Mesh), whose versions are not known, have the 7 bytes of iOS 26; \(tag); \(foreground)"
      )
    default:
      return Sourced(
        [.nearbyInfoInUse], .measured,
        "iPhone 17 Pro Max, iOS 26.5.1 \(log), and 16 Pro Max, iOS 27 beta (even-g2, bt.pklg); \(tag); \(foreground)")
    }
  }

  private static func foregroundInterval(_ version: IOSVersion) -> Sourced<AdvertisingInterval> {
    let interval = AdvertisingInterval(clamping: 181.25)
    switch version {
    case ..<(.ios13):
      return Sourced(interval, .ours, "no figure is published; the value of iOS 11 in the background")
    case ..<(.ios26):
      return Sourced(interval, .ours, "no figure is published; the value of iOS 26")
    default:
      return Sourced(
        interval, .ours,
        "no capture has a foreground app; Hovanki, iOS 26.2.1: 5.2 to 6 reports a second at a Mac, its limits included")
    }
  }

  private static func backgroundInterval(_ version: IOSVersion) -> Sourced<AdvertisingInterval> {
    switch version {
    case ..<(.ios13):
      return Sourced(
        AdvertisingInterval(clamping: 181.25), .measured,
        "iPhone 6, iOS 11 (davidgyoung/ios-overflow-area, Ubertooth log): 2,261 gaps of 180 to 188.75 ms, 98 in 100 of "
          + "181.25 to 186.25; Crownstone, iOS 10 to 12: multiples of about 0.2 s")
    default:
      return Sourced(
        AdvertisingInterval(clamping: 270), .ours,
        "with an app of 2025 270 ms once and 181.25 ms twice (Boston-Mesh, take_2 and take_3), without one 270 ms (iPhone "
          + "17 Pro Max, iOS 26.5.1); 1022.5 ms would be the 1 report a second at a Mac (Hovanki, iOS 26.2.1)",
        alternatives: [
          Sourced(
            AdvertisingInterval(clamping: 181.25), .measured,
            "with an app of 2025 twice (Boston-Mesh, take_2 and take_3)"),
          Sourced(
            AdvertisingInterval(clamping: 1022.5), .reported, "1 report a second at a Mac (Hovanki, iOS 26.2.1)"),
        ])
    }
  }
}
