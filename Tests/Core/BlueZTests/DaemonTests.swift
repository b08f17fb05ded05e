import BleperaBlueZ
import BleperaBlueZProtocol
import Testing

@Suite("Releases and settings of bluetoothd and the kernel")
struct DaemonTests {
  @Test(
    "The release is read from an adapter's Modalias",
    arguments: [
      ("usb:v1D6Bp0246d0542", "5.66"), ("usb:v1D6Bp0246d0552", "5.82"), ("usb:v1D6Bp0246d0557", "5.87"),
      ("usb:v1D6Bp0246d0507", "5.07"), ("usb:v1D6Bp0246d0600", "6.00"), ("usb:v1D6Bp0246", nil),
      ("usb:v1D6Bp0246d", nil), ("usb:v1D6Bp0246dxyz", nil), ("usb:v1D6Bp0246d12345", nil),
      ("usb:v004Cp7F01d0100", nil), ("bluetooth:v1D6Bp0246d0542", nil), ("", nil),
    ])
  func modalias(text: String, version: String?) {
    #expect(DaemonVersion(modalias: text)?.description == version)
  }

  @Test(
    "The release is read from what bluetoothd prints",
    arguments: [
      ("5.66", "5.66"), ("5.7", "5.07"), ("6.0", "6.00"), ("5", nil), ("5.66.1", nil), ("5.", nil), (".66", nil),
      ("five.66", nil), ("", nil),
    ])
  func text(text: String, version: String?) {
    #expect(DaemonVersion(text: text)?.description == version)
  }

  @Test("Releases are in the order of their numbers, not of their text")
  func order() {
    let versions = [DaemonVersion(5, 9), DaemonVersion(5, 66), DaemonVersion(5, 100), DaemonVersion(6, 0)]
    #expect(versions.reversed().sorted() == versions)
  }

  /// The minor versions of the first and the last release with each quirk; nil where there is none.
  private static let quirks: [(DaemonQuirk, first: Int?, last: Int?)] = [
    (.ignoresIntervals, nil, 76), (.abortsOnRefusedUpdate, nil, 73), (.extendsLongAdvertisements, 76, nil),
    (.refusesFullLengthWrites, 63, 68), (.takesAnyWriteLength, nil, 62), (.needsExplicitHandles, 74, 75),
    (.sendsUncheckedAdvertisingData, nil, 86),
    (.omitsFlagsWhenNotDiscoverable, nil, 68), (.hangsOnZeroDiscoverableTimeout, nil, 72),
    (.ignoresScanResponses, nil, 79), (.ignoresImproperlyConfigured, nil, 75), (.acquiresForFirstSubscriber, nil, 68),
    (.sendsAcquiredToAll, nil, 75), (.confirmsWithoutDescriptor, nil, 79), (.lacksHandles, nil, 68),
    (.lacksControllerVersion, nil, 70), (.hidesPowerState, nil, 76), (.keepsUnwantedDevices, 78, 82),
    (.pairsBondedOverClassic, nil, 78), (.pairsWithCallersCapability, nil, 80), (.failsSecondConnect, nil, 80),
    (.lacksConnectable, nil, 78), (.filtersWithoutCriterion, nil, 66), (.alwaysResolvesAddresses, nil, 80),
    (.opensManyChannels, nil, 66), (.hidesClaimedServices, nil, 79),
    (.crashesOnServiceFilter, 87, 87), (.crashesInVolumeControl, 66, 81), (.lacksCablePairing, nil, 82),
    (.lacksAutoConnect, nil, 82), (.lacksDisconnectionReason, nil, 82), (.addsAdvertisementsAtOnce, nil, 55),
    (.ignoresErrorCodes, nil, 65),
    (.fillsReadOffset, nil, 59), (.lacksBonded, nil, 64), (.lacksMTU, nil, 61), (.lacksPowerState, nil, 65),
    (.lacksAddressResolution, nil, 60), (.lacksNotifyPermissions, nil, 61), (.subscribesToBoth, nil, 58),
    (.failsToConnectByErrno, nil, 61), (.crashesOnRemovedDevice, nil, 55), (.crashesOnRemovedIncludes, nil, 55),
    (.pagesPrivateAddresses, nil, 87), (.crashesOnRemovedConnection, 87, 87), (.crashesOnLeavingClient, nil, 85),
    (.crashesAfterRemovedAdapter, 85, 86), (.withholdsSmallChanges, 88, nil), (.ignoresSignedWrites, nil, 72),
    (.keepsOldHash, nil, 86), (.retriesWithoutKeys, nil, 85), (.misreadsSeveralNotifications, nil, 56),
    (.omitsClassicWhenNotDiscoverable, nil, 76),
    (.runsWithPrivateLinkLayer, 87, nil), (.lacksClientSetting, nil, 73), (.acquiresNotificationsAlone, nil, 79),
    (.repliesBeforeDisconnected, nil, 78),
  ]

  @Test("A quirk belongs to the releases that have it and to no other", arguments: quirks)
  func quirk(quirk: DaemonQuirk, first: Int?, last: Int?) {
    for minor in 40...99 {
      let applies = minor >= first ?? 0 && minor <= last ?? 99
      #expect(quirk.applies(to: DaemonVersion(5, minor)) == applies, "5.\(minor)")
    }
    #expect(quirk.last == last.map { DaemonVersion(5, $0) })
  }

  @Test("Every quirk has its row") func everyQuirk() {
    #expect(Set(Self.quirks.map(\.0)) == Set(DaemonQuirk.allCases))
  }

  private static let configuration = DaemonConfiguration(
    text: """
      [General]
      # Name = commented
      #Class=commented
      Name = A = b
        ControllerMode=le\u{20}
      Empty =
      [GATT]
      Client = false
      Channels=1
      [General]
      ReverseServiceDiscovery = 0
      """)

  @Test(
    "A setting is found in its section",
    arguments: [
      ("General", "Name", "A = b"), ("General", "ControllerMode", "le "), ("General", "Empty", ""),
      ("General", "Class", nil), ("GATT", "Client", "false"), ("GATT", "Channels", "1"), ("General", "Client", nil),
      ("Policy", "AutoEnable", nil),
      ("General", "ReverseServiceDiscovery", "0"), ("general", "Name", nil),
    ])
  func setting(section: String, key: String, value: String?) {
    #expect(Self.configuration[section, key] == value)
  }

  /// bluetoothd 5.66 and 5.82 log these lines.
  @Test(
    "A line that is none of a key file makes bluetoothd ignore the file",
    arguments: [
      ("ControllerMode = le\n[General]", 1), ("[General]\nJustAWord\nName = x", 2), ("[General] # mine\nName = x", 1),
      ("[General]\n = le", 2), ("[General]\nName = x\n[GATT\nClient = false", 3), ("\u{FEFF}[General]", 1),
    ])
  func noKeyFile(text: String, line: Int) {
    let configuration = DaemonConfiguration(text: text)
    #expect(configuration.faults == [DaemonConfiguration.Fault(line: line, .notAKeyFile)])
    #expect(configuration["General", "Name"] == nil)
  }

  @Test(
    "A name or a value that bluetoothd does not take is a fault, and the rest holds",
    arguments: [
      ("Name = box\nControllerMode=le", nil),
      ("controllermode = le", .unknownKey("controllermode", section: "General")),
      ("ExchangeMTU = 185", .unknownKey("ExchangeMTU", section: "General")), ("[Gatt]", .unknownSection("Gatt")),
      (
        "ControllerMode = le ",
        .value("le ", key: "ControllerMode", section: "General", expected: "one of dual, bredr, le")
      ),
      ("[GATT]\nChannels = 1 ", nil),
      ("[GATT]\nChannels = 1 # one", .value("1 # one", key: "Channels", section: "GATT", expected: "1 to 6")),
      ("[GATT]\nExchangeMTU = 518", .value("518", key: "ExchangeMTU", section: "GATT", expected: "23 to 517")),
      ("[Policy]\nAutoEnable = yes", .value("yes", key: "AutoEnable", section: "Policy", expected: "true or false")),
    ] as [(String, DaemonConfiguration.Fault.Reason?)])
  func fault(text: String, reason: DaemonConfiguration.Fault.Reason?) {
    let configuration = DaemonConfiguration(text: "[General]\nReverseServiceDiscovery = 0\n\(text)")
    #expect(configuration.faults.map(\.reason) == (reason.map { [$0] } ?? []))
    #expect(configuration.isOff("General", "ReverseServiceDiscovery"))
  }

  @Test("A setting is off where the file says so")
  func isOff() {
    #expect(Self.configuration.isOff("GATT", "Client"))
    #expect(Self.configuration.isOff("General", "ReverseServiceDiscovery"))
    #expect(!Self.configuration.isOff("General", "Name"))
    #expect(!Self.configuration.isOff("General", "None"))
  }

  @Test("A file with other line ends is read, too")
  func lineEnds() {
    #expect(DaemonConfiguration(text: "[General]\r\nName = x\r\n")["General", "Name"] == "x")
  }

  @Test(
    "A kernel is known by its series and patch level",
    arguments: [
      ("6.12.93", true), ("6.12.93+deb13-amd64", true), ("6.12.94-1-generic", true), ("6.12.92", false),
      ("6.12.9", false), ("6.18.34-rpt", true), ("6.18.33", false), ("6.1.192-2", false), ("6.120.99", false),
      ("16.12.99", false), ("6.12", false), ("6.12.x", false), ("6.13.99", false), ("", false),
    ])
  func kernel(release: String, isKnown: Bool) {
    #expect(KernelRelease.checkingAdvertisingData.contains { $0.contains(release) } == isKnown)
  }
}
