import BleperaBlueZProtocol
import BleperaBluetooth
import BleperaRadio

extension BlueZLimitation {
  static let advertisingRows: [Row] = [
    advertising(
      "flags", rule: "R1", iPhone: "The Flags are 1A and stand first.",
      instead: "The Flags are 06 and stand last: bluetoothd makes them itself."
    ) { _ in [nil] },
    advertising(
      "tx-power", rule: "R1", iPhone: "The TX power level is in the advertisement where there is room.",
      instead: "The TX power level is not sent: bluetoothd can only send the adapter's own."
    ) { $0.structures.contains { if case .txPowerLevel = $0 { true } else { false } } ? [nil] : [] },
    advertising(
      "list-complete", rule: "R1", iPhone: "A list that leaves out service UUIDs is marked incomplete.",
      instead: "Every list of service UUIDs is marked complete: bluetoothd has no incomplete list."
    ) { advertised in
      advertised.structures.compactMap { structure in
        guard case .serviceUUIDs(let list, false) = structure else { return nil }
        return
          "The incomplete list of \(list.width.rawValue * 8)-bit UUIDs is marked complete: bluetoothd has no such list."
      }
    },
    advertising(
      "uuid-width", rule: "R1", iPhone: "A service UUID is sent in the form that the app gave it.",
      instead: "The 128-bit form of a 16-bit UUID is sent as 16 bits: bluetoothd shortens it."
    ) { advertised in
      advertised.contents.flatMap(\.serviceUUIDs).filter { AdvertisementContent.onAir($0).width != $0.width }
        .map { "\($0) is sent as \(AdvertisementContent.onAir($0)): bluetoothd shortens the 128-bit form." }
    },
    advertising(
      "name-place", rule: "R1",
      iPhone: "The local name is in the advertisement where it fits, else in the scan response.",
      instead: "The local name is in the scan response: bluetoothd puts it there."
    ) { $0.packets.advertisingData.structures.contains(where: \.isLocalName) ? [nil] : [] },
    advertising(
      "name-complete", rule: "R1", iPhone: "A local name that is cut off is marked shortened.",
      instead: "The shortened local name is marked complete: bluetoothd does not know the whole name."
    ) { $0.structures.contains { if case .shortenedLocalName = $0 { true } else { false } } ? [nil] : [] },
    advertising(
      "overflow-place", rule: "R2",
      iPhone: "The overflow area can be in the scan response.",
      instead: "The overflow area is in an advertisement before 5.80, and beside a local name of more than 8 bytes.",
      advice: "Run bluetoothd 5.80 or later, and choose a local name of at most 8 bytes."
    ) { advertised in
      let isThere = advertised.contents.contains { $0.scanResponseManufacturerData != nil }
      guard !isThere, advertised.packets.scanResponse.structures.contains(where: \.isOverflowArea) else { return [] }
      let reason =
        advertised.takesScanResponses
        ? "the scan response has no room for it beside the local name" : "bluetoothd puts manufacturer data there"
      return ["The overflow area is in an advertisement: \(reason)."]
    },
    advertising(
      "second-advertisement", rule: "R2", iPhone: "One advertisement and its scan response hold everything.",
      instead: "The overflow area is in a second advertisement: with the service UUIDs it exceeds 31 bytes.",
      advice: "Run bluetoothd 5.80 or later, and choose a local name of at most 8 bytes."
    ) { $0.contents.count > 1 ? [nil] : [] },
    advertising(
      "apple-item", rule: "R2", iPhone: "Apple's own items are in the advertisement besides the overflow area.",
      instead:
        "Apple's own items are left out beside the overflow area, or where they exceed 31 bytes: bluetoothd sends "
        + "one item of a company."
    ) { advertised in
      let items = advertised.structures.filter { $0.isManufacturerData && !$0.isOverflowArea }
      let sent = advertised.contents.compactMap(\.manufacturerData?.structure)
      return items.allSatisfy(sent.contains) ? [] : [nil]
    },
    advertising(
      wholeMilliseconds, rule: "R3", iPhone: "Intervals are multiples of 0.625 ms, such as 152.5 ms.",
      instead: "bluetoothd takes whole milliseconds, and rounds them to steps of 0.625 ms."
    ) { advertised in
      guard advertised.honorsIntervals != false, let interval = advertised.contents.first?.interval?.onAir,
        interval != advertised.packets.interval
      else { return [] }
      return [
        "The interval is \(interval), not \(advertised.packets.interval): bluetoothd takes whole milliseconds, and "
          + "rounds them to steps of 0.625 ms."
      ]
    },
    advertising(
      RadioLimitation.intervals, fixedIn: DaemonQuirk.ignoresIntervals.fixedIn, rule: "R3",
      iPhone: "The interval is short in the foreground and long in the background.",
      instead: "bluetoothd ignores advertising intervals and always uses 1280 ms, unless it runs with -E.",
      advice: "Let blepera set the adapter's default interval, which needs CAP_NET_ADMIN; or run bluetoothd with -E, "
        + "or set Experimental = true under [General] in main.conf, and restart it."
    ) { advertised in
      guard advertised.honorsIntervals == false else { return [] }
      return [
        advertised.daemon.map { "bluetoothd \($0) ignores advertising intervals and always uses 1280 ms." }
          ?? "bluetoothd ignores advertising intervals and always uses 1280 ms."
      ]
    },
    advertising(
      "gap", iPhone: "A changed advertisement takes the place of the old one.",
      instead: "A change leaves a gap: bluetoothd must forget the old advertisement before it takes the new one."
    ) { _ in [nil] },
    advertising(
      publicAddress, way: .any, iPhone: "The address is resolvable and private, and changes every 15 minutes or so.",
      instead: "The adapter's public address is on the air, unless bluetoothd has Privacy = device.",
      advice: "Set Privacy = device under [General] in main.conf for a resolvable private address, and restart "
        + "bluetoothd."
    ) { _ in [nil] },
    advertising(
      "without-app", iPhone: "Without an app the phone advertises too: Nearby Info, from iOS 12 on.",
      instead: "Without an app nothing is advertised."
    ) { _ in [] },
    advertising(
      RadioLimitation.presence, way: .kernel,
      iPhone: "Without an app the phone is found by its identity resolving key.",
      instead: "Trackers that know an identity resolving key do not find the phone: Nearby Info is under the adapter's "
        + "public address.",
      advice: "Set Privacy = device under [General] in main.conf for a resolvable private address, and restart "
        + "bluetoothd."
    ) { $0.packets.isOwn ? [nil] : [] },
    advertising(
      "exact-overwritten", way: .kernel, iPhone: "Nobody else changes what the phone has on the air.",
      instead: "Another program with CAP_NET_ADMIN can overwrite the phone's advertisement in the kernel: nobody is "
        + "notified of that, so `blepera status` does not show it."
    ) { _ in [nil] },
    // `RadioLimitation.init(notExact:)` has the reason.
    advertising(
      RadioLimitation.exact, way: .refused, iPhone: "The packets are exactly those of an iPhone.",
      instead: "bluetoothd sends its own packets, with the differences above; `blepera status` shows the reason.",
      advice: "See the line `exact` of `blepera doctor`."
    ) { _ in [] },
    // `RadioLimitation.init(ghosts:)` has the number.
    advertising(
      RadioLimitation.ghosts, way: .any, iPhone: "An app's advertisement ends with the app.",
      instead: "If a program leaves the bus while it registers an advertisement, bluetoothd counts the advertisement "
        + "until bluetoothd restarts, and has room for a few.",
      advice: "Restart bluetooth.service if `blepera doctor` or `blepera status` advises it."
    ) { _ in [] },
  ]

  static let attributeRows: [Row] = [
    attributes(
      "one-central", fixedIn: DaemonQuirk.sendsAcquiredToAll.fixedIn,
      iPhone: "An update reaches the centrals that the app names.",
      instead: "An update for some of the subscribers is refused: bluetoothd sends it to all."),
    attributes(
      "unsubscribe", fixedIn: DaemonQuirk.sendsAcquiredToAll.fixedIn, iPhone: "An unsubscription is reported at once.",
      instead:
        "A central that unsubscribes while another stays subscribed is reported when it disconnects, or when the last "
        + "central unsubscribes."),
    attributes(
      "no-stream", iPhone: "Every subscriber can get updates of its own, and its unsubscription is reported at once.",
      instead:
        "A subscriber without a stream of bluetoothd is treated as before 5.76: each subscriber of a characteristic "
        + "that indicates; a bonded central that has returned, until it subscribes again; and the oldest subscriber, after "
        + "another subscriber without a bond has disconnected (BlueZ issue 1452)."),
    attributes(
      "restored-subscribers", rule: "R8", iPhone: "Subscriptions survive the end of an app.",
      instead:
        "bluetoothd forgets subscriptions when the phone's own process ends: a central has to write its CCCD again.",
      advice: "Keep `blepera system` running while apps end and start."),
    attributes(
      "kept-updates", fixedIn: DaemonQuirk.sendsAcquiredToAll.fixedIn,
      iPhone: "An update for one central reaches that central.",
      instead: "An update that is kept for a returning central is received again by the centrals that subscribed "
        + "before it."),
    attributes(
      "write-response", iPhone: "The app's error is the response to a Write Request.",
      instead: "A Write Request to a characteristic with writeWithoutResponse is answered by bluetoothd itself, with "
        + "success."),
    attributes(
      "att-errors", iPhone: "An app can respond with any ATT error.",
      instead:
        "0x01, 0x04, 0x05, 0x09 to 0x0C, 0x0F to 0x13, 0xA0 to 0xFC and 0xFF become 0x0E unlikelyError. bluetoothd "
        + "sends 0x0F itself where permissions require encryption."),
    attributes(
      "att-error-codes", fixedIn: DaemonQuirk.ignoresErrorCodes.fixedIn,
      iPhone: "An app can respond with 0x80 to 0x9F.", instead: "0x80 to 0x9F become 0x80."),
    attributes(
      "att-error-fd", fixedIn: DaemonQuirk.ignoresImproperlyConfigured.fixedIn, iPhone: "An app can respond with 0xFD.",
      instead: "0xFD becomes 0x0E unlikelyError."),
    attributes(
      "request-timeout", iPhone: "A request waits for the app until ATT's timeout of 30 s.",
      instead: "bluetoothd responds with 0x0E unlikelyError after 5 s, so blepera does after 4.5 s."),
    attributes(
      "mtu", iPhone: "The ATT_MTU is at most 527, and at most 185 without data length and before iOS 15.",
      instead: "bluetoothd exchanges 517.",
      advice: "For an iPhone without data length, set ExchangeMTU = 185 under [GATT] in main.conf."),
    attributes(
      "prepared-writes",
      iPhone: "The pieces of one or several long writes reach the app together, with their offsets.",
      instead: "bluetoothd joins the pieces of a long write, and passes several to the app one after another."),
    attributes(
      "long-writes", fixedIn: DaemonQuirk.refusesFullLengthWrites.fixedIn, iPhone: "A value may have 512 bytes.",
      instead: "bluetoothd refuses writes of more than 510 bytes, and long writes of more than 508."),
    attributes(
      "full-packets",
      iPhone: "An update or a write without response has as many bytes as the ATT_MTU leaves, at most 524.",
      instead: "bluetoothd cuts an update after 512 bytes, and drops a longer write without response."),
    attributes(
      "permissions", iPhone: "Properties and permissions are independent.",
      instead: "bluetoothd's flags combine both: a read or write that the permissions allow and the properties do not "
        + "announce is refused."),
    attributes(
      "notify-encryption", fixedIn: DaemonQuirk.lacksNotifyPermissions.fixedIn,
      iPhone: "A characteristic can require encryption for a subscription.",
      instead:
        "A service with such a characteristic is not published: bluetoothd has no flag for encrypted subscriptions."),
    attributes(
      "write-encryption", iPhone: "The permission writeEncryptionRequired does not change the properties.",
      instead: "The permission writeEncryptionRequired announces the property write."),
    attributes(
      "signed-writes", fixedIn: DaemonQuirk.ignoresSignedWrites.fixedIn, iPhone: "Signed writes are accepted.",
      instead: "Signed writes are announced, but bluetoothd does not accept them."),
    attributes(
      "shared-handles", iPhone: "Attribute handles are the phone's own.",
      instead:
        "A service gets other handles where another program may have its own: centrals receive Service Changed, "
        + "and the event `moved` reports the change. A program that chooses its handles itself, as every program must on "
        + "bluetoothd 5.74 and 5.75, can choose handles within a service of the phone.",
      advice: "Let bluetoothd choose the handles of other programs."),
    attributes(
      RadioLimitation.databaseHash, iPhone: "The Database Hash covers every service.",
      instead:
        "Above handle 0x03FF (about 250 services) bluetoothd's Database Hash no longer changes: a central that caches by "
        + "it may miss a change."),
    attributes(
      "hash-descriptors", iPhone: "The Database Hash covers descriptors.",
      instead:
        "bluetoothd's Database Hash covers no descriptors from 5.80 on, and no 0x2900 before: a central that caches by it "
        + "may miss a descriptor that is added or removed where the handles of characteristics stay."),
    attributes(
      RadioLimitation.updates, iPhone: "Every characteristic can send updates.",
      instead:
        "A stock message bus allows bluetoothd 512 match rules, and each service, characteristic and descriptor needs "
        + "one: if there are more than about 80 services, the services published last send no updates.",
      advice: "Publish fewer services, or raise `max_match_rules_per_connection` of the system bus."),
    attributes(
      "system-services", iPhone: "Generic Access, Generic Attribute and Device Information are an iPhone's.",
      instead: "bluetoothd publishes its own, with its model; `--phone-services` adds an iPhone's other services."),
    attributes(
      "device-name", iPhone: "The Device Name is the user's choice.",
      instead: "The Device Name is the adapter's alias, which `bluetoothctl system-alias NAME` sets."),
    attributes(
      "pairing-agent", iPhone: "The phone answers the pairing requests of its own centrals, and no others.",
      instead:
        "bluetoothd asks one agent for all adapters: while a central is connected to the phone, and with `--pairing "
        + "passkey` always, blepera is that agent and refuses other devices.",
      advice: "Pair other devices while no central is connected, or by the agent of the program that begins to pair."),
    attributes(
      "bonds", iPhone: "A bond belongs to the phone.",
      instead: "A bond belongs to the machine, and stays when blepera has ended.",
      advice: "Start with `--forget-bonds`, or remove a central with `bluetoothctl remove ADDRESS`."),
    attributes(
      "disconnect", iPhone: "A link ends at once.",
      instead: "bluetoothd ends a link 2 s after `--disconnect-stale` requests it."),
  ]

  private static func advertising(
    _ id: String, way: Row.Way = .daemon, fixedIn: DaemonVersion? = nil, rule: String? = nil, iPhone: String,
    instead: String, advice: String? = nil, _ sentences: @escaping @Sendable (Advertised) -> [String?]
  ) -> Row {
    Row(
      id, .advertising(sentences), way, fixedIn: fixedIn, rule: rule, iPhone: iPhone, instead: instead, advice: advice)
  }

  private static func attributes(
    _ id: String, fixedIn: DaemonVersion? = nil, rule: String? = nil, iPhone: String, instead: String,
    advice: String? = nil
  ) -> Row {
    Row(id, .attributes, .any, fixedIn: fixedIn, rule: rule, iPhone: iPhone, instead: instead, advice: advice)
  }
}

extension BlueZLimitation.Row {
  init(
    _ id: String, _ scope: Scope, _ way: Way, fixedIn: DaemonVersion?, rule: String?, iPhone: String, instead: String,
    advice: String?
  ) {
    limitation = RadioLimitation(
      id: id, iPhone: iPhone, instead: instead, fixedIn: fixedIn.map { "\($0)" }, rule: rule, advice: advice)
    self.fixedIn = fixedIn
    self.scope = scope
    self.way = way
  }
}

extension ADStructure {
  fileprivate var isLocalName: Bool {
    switch self {
    case .completeLocalName, .shortenedLocalName: true
    default: false
    }
  }

  fileprivate var isManufacturerData: Bool { if case .manufacturerData = self { true } else { false } }
}
