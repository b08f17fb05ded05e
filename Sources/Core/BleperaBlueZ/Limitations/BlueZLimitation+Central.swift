import BleperaBlueZProtocol

/// The limitations of bluetoothd as a central.
extension BlueZLimitation {
  static let centralRows: [Row] = [
    central(
      "scan-times", rule: "R16", iPhone: "A scan in the background takes less of the time, and is passive in the dark.",
      instead: "bluetoothd scans actively all the time while an app may scan."),
    central(
      "scan-data", iPhone: "A discovery has the data of its packets.",
      instead:
        "bluetoothd merges all that it has received of a device: names and service UUIDs stay, the later of two items of "
        + "one company is kept, and solicited UUIDs and whether the device accepts connections are not known."),
    central(
      "scan-duplicates", iPhone: "An app can have each packet reported.",
      instead: "An adapter may report a device once in 10 s."),
    central(
      "central-mtu", rule: "R17", iPhone: "The phone requests an ATT_MTU of 527 bytes on iOS 26.",
      instead: "bluetoothd requests 517.",
      advice: "Set ExchangeMTU under [GATT] in main.conf."),
    central(
      "central-discovery", rule: "R18", iPhone: "A part of the services is discovered when an app asks for it.",
      instead: "bluetoothd discovers all of them at the first connection, and keeps them."),
    central(
      "central-errors", iPhone: "An app receives the ATT error of a peripheral.",
      instead: "0x05, 0x0C and 0x0F are one error, and 0x0E may be the end of the time for a response."),
    central(
      "doubled-values", iPhone: "A notification arrives once.",
      instead: "It arrives twice while another program is subscribed too."),
    central(
      "disconnection-cause", fixedIn: DaemonQuirk.lacksDisconnectionReason.fixedIn,
      iPhone: "The cause of a disconnection is known.",
      instead: "It is always that the peripheral has disconnected."),
    central(
      "rssi-and-channels", iPhone: "An app can read the RSSI and open L2CAP channels.",
      instead: "Both fail: bluetoothd has neither."),
  ]

  private static func central(
    _ id: String, fixedIn: DaemonVersion? = nil, rule: String? = nil, iPhone: String, instead: String,
    advice: String? = nil
  ) -> Row {
    Row(id, .central, .any, fixedIn: fixedIn, rule: rule, iPhone: iPhone, instead: instead, advice: advice)
  }
}
