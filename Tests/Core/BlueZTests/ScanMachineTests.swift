import BleperaBlueZ
import BleperaBlueZProtocol
import BleperaBluetooth
import BleperaDBus
import Testing

@Suite("Scans with bluetoothd")
struct ScanMachineTests {
  private static let hci0: ObjectPath = "/org/bluez/hci0"
  private static let hci1: ObjectPath = "/org/bluez/hci1"
  private static let all = ScanFilter()
  private static let strong = ScanFilter(rssi: -60)
  private static let refusal = DBusFailure.remote(
    DBusErrorReply(name: "org.bluez.Error.InProgress", message: "Operation already in progress"))

  /// Events and the actions that the machine must return.
  typealias Trace = [(ScanMachine.Event, [ScanMachine.Action])]

  private static let traces: [(String, Trace)] = [
    (
      "a scan is requested when the adapter is there",
      [
        (.adapterChanged(hci0), []), (.want(all), [.start(hci0, all)]), (.started(hci0), [.didStart]),
        (.want(all), []), (.want(nil), [.stop(hci0)]), (.want(nil), []), (.want(strong), []),
        (.stopped(hci0), [.start(hci0, strong)]),
      ]
    ),
    (
      "a scan is requested before the adapter is there, which is then switched off and on",
      [
        (.want(all), []), (.adapterChanged(hci0), [.start(hci0, all)]), (.started(hci0), [.didStart]),
        (.adapterChanged(nil), []), (.started(hci0), []), (.adapterChanged(hci0), [.start(hci0, all)]),
      ]
    ),
    (
      "a scan continues on another adapter",
      [
        (.want(all), []), (.adapterChanged(hci0), [.start(hci0, all)]), (.adapterChanged(hci1), [.start(hci1, all)]),
        (.failed(hci0, refusal), []), (.started(hci1), [.didStart]),
      ]
    ),
    (
      "another filter is requested while the first is being set, and later",
      [
        (.adapterChanged(hci0), []), (.want(all), [.start(hci0, all)]), (.want(strong), []),
        (.started(hci0), [.didStart, .stop(hci0)]), (.stopped(hci0), [.start(hci0, strong)]),
        (.started(hci0), [.didStart]), (.want(all), [.stop(hci0)]), (.want(strong), []),
        (.stopped(hci0), [.start(hci0, strong)]),
      ]
    ),
    (
      "consecutive refusals are reported once, and the scan is retried until it starts",
      [
        (.adapterChanged(hci0), []), (.want(all), [.start(hci0, all)]),
        (.failed(hci0, refusal), [.didFail(refusal), .retry(.seconds(1))]), (.retryDue, [.start(hci0, all)]),
        (.failed(hci0, refusal), [.retry(.seconds(1))]), (.want(strong), []), (.retryDue, [.start(hci0, strong)]),
        (.started(hci0), [.didStart]), (.adapterChanged(nil), []), (.adapterChanged(hci0), [.start(hci0, strong)]),
        (.failed(hci0, refusal), [.didFail(refusal), .retry(.seconds(1))]), (.want(nil), []), (.retryDue, []),
      ]
    ),
    (
      "a scan is stopped while it starts",
      [
        (.adapterChanged(hci0), []), (.want(all), [.start(hci0, all)]), (.want(nil), []),
        (.started(hci0), [.didStart, .stop(hci0)]), (.stopped(hci0), []),
      ]
    ),
    (
      "an adapter is switched off while a scan stops",
      [
        (.want(all), []), (.adapterChanged(hci0), [.start(hci0, all)]), (.started(hci0), [.didStart]),
        (.want(strong), [.stop(hci0)]), (.adapterChanged(nil), []), (.stopped(hci0), []),
        (.adapterChanged(hci0), [.start(hci0, strong)]),
      ]
    ),
  ]

  @Test("Each event has its actions", arguments: traces.indices)
  func trace(index: Int) {
    let (name, trace) = Self.traces[index]
    var machine = ScanMachine()
    for (step, (event, actions)) in trace.enumerated() {
      #expect(machine.handle(event) == actions, "\(name), step \(step + 1)")
    }
  }

  @Test("The filter has the properties of SetDiscoveryFilter")
  func filter() {
    let filter = ScanFilter(serviceUUIDs: [BluetoothUUID(0x180D as UInt16)], rssi: -300, repeats: true)
    #expect(
      filter.properties.asProperties == [
        "Transport": .string("le"), "DuplicateData": .boolean(true), "Pattern": .string(""), "RSSI": .int16(-300),
        "UUIDs": .strings(["0000180d-0000-1000-8000-00805f9b34fb"]),
      ])
    #expect(Set(ScanFilter().properties.asProperties?.keys ?? [:].keys) == ["Transport", "DuplicateData", "Pattern"])
  }
}
