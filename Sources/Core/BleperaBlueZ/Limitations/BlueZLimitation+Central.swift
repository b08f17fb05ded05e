import BleperaBlueZProtocol

/// The limitations of bluetoothd as a central.
extension BlueZLimitation {
  static let centralRows: [Row] = [
    central(
      "scan-times", rule: "R16",
      iPhone: "A scan in the background listens for less of the time, and is passive while the screen is off.",
      instead: "bluetoothd scans actively all the time while an app may scan."),
    central(
      "scan-data", iPhone: "A discovery has the data of its packets.",
      instead:
        "bluetoothd merges all data of a device: names and service UUIDs stay, the later of two items of a company is "
        + "kept, and bluetoothd does not know solicited UUIDs or whether the device accepts connections."),
    central(
      "scan-duplicates", iPhone: "An app can ask for a report of every packet.",
      instead: "An adapter may report a device once in 10 s."),
    central(
      "central-mtu", rule: "R17",
      iPhone: "The phone requests an ATT_MTU of 527 bytes from iOS 15 on, and of 185 without data length.",
      instead: "bluetoothd requests 517.",
      advice: "Set ExchangeMTU under [GATT] in main.conf."),
    central(
      "central-discovery", rule: "R18", iPhone: "Each service is discovered when an app asks for it.",
      instead: "bluetoothd discovers all services at the first connection, and keeps them."),
    central(
      "central-errors", iPhone: "An app receives the ATT error of a peripheral.",
      instead: "0x05, 0x0C and 0x0F are one error, and 0x0E may mean that no response arrived in time."),
    central(
      "doubled-values", iPhone: "A notification arrives once.",
      instead: "A notification arrives twice while another program is subscribed too."),
    central(
      "disconnection-cause", fixedIn: DaemonQuirk.lacksDisconnectionReason.fixedIn,
      iPhone: "The cause of a disconnection is known.",
      instead: "The cause is always that the peripheral has disconnected."),
    central(
      "rssi-and-channels", iPhone: "An app can read the RSSI and open L2CAP channels.",
      instead: "Reading the RSSI and opening a channel fail: bluetoothd supports neither."),
  ]

  private static func central(
    _ id: String, fixedIn: DaemonVersion? = nil, rule: String? = nil, iPhone: String, instead: String,
    advice: String? = nil
  ) -> Row {
    Row(id, .central, .any, fixedIn: fixedIn, rule: rule, iPhone: iPhone, instead: instead, advice: advice)
  }
}
