package import BleperaAppLink
package import BleperaBluetooth

extension Scenario {
  /// An action and its expected outcome.
  package struct Step: Hashable, Sendable {
    /// The line in the file, from 1.
    package var line: Int
    /// A sentence for the reader.
    package var note: String?
    package var action: Action

    package enum Action: Hashable, Sendable {
      /// The user taps the app's icon.
      case serve(app: String)
      /// An action of the user or the system on a phone; nil for all its apps.
      case command(ControlRequest.Command, phone: String, app: String?)
      case crash(app: String)
      /// A phone or an accessory deletes its keys of another device, or of a central; nil for all.
      case forget(device: String, other: String?)
      /// The phone's user answers the pairing that waits.
      case answer(PairingResponse, phone: String)
      /// Switches an accessory.
      case power(accessory: String, isOn: Bool)
      case scan(central: String, Filter, within: Duration, ScanExpectation)
      /// A nil phone means the phone that the central discovered last.
      case connect(central: String, phone: String?, within: Duration, LinkExpectation)
      /// Pairs with Just Works.
      case pair(central: String)
      case disconnect(central: String)
      case request(Request, central: String, BluetoothUUID, Answer)
      /// Waits for a notification or an indication; nil for any value.
      case receive(central: String, BluetoothUUID, within: Duration, value: [UInt8]?, isExpected: Bool)
      case check(central: String, within: Duration, LinkExpectation)
      case inspect(app: String, within: Duration, AppExpectation)
      /// The second duration applies in real time.
      case wait(Duration, real: Duration)
      case fault(Fault)
    }

    /// The values of `Do`.
    package enum Kind: String, Hashable, CaseIterable, Sendable {
      case serve, foreground, background, suspend, terminate, quit, crash, lock, unlock, bluetooth, reboot, forget,
        answer,
        scan,
        connect, pair, disconnect, read, write, subscribe, unsubscribe, receive, check, inspect, wait, fault
    }

    package enum Request: Hashable, Sendable {
      case read
      case write([UInt8])
      case subscribe, unsubscribe
    }

    /// Sets conditions and faults from this step on; nil leaves a condition unchanged.
    package struct Fault: Hashable, Sendable {
      /// The probability, 0 to 1, that an advertisement is missed.
      package var loss: Double?
      /// The latency of one packet of a connection.
      package var latency: Duration?
      package var event: Event?
      /// How long an app takes to respond.
      package var answer: Answer?

      package struct Answer: Hashable, Sendable {
        package var delay: Duration
        package var app: String
      }

      /// A fault that occurs once.
      package enum Event: Hashable, Sendable {
        /// The phone may be an accessory.
        case link(FaultKind, central: String, phone: String)
        case machine(FaultKind, phone: String)
        case defect(PhoneDefect, phone: String, isOn: Bool)
      }

      /// The values of `What`.
      package enum FaultKind: String, Hashable, CaseIterable, Sendable {
        case dropLink, stallLink, resumeLink, stopBluetoothd, startBluetoothd, unplugAdapter, plugAdapter

        /// Whether the fault is a fault of the link between a central and a phone.
        package var isOfLink: Bool {
          switch self {
          case .dropLink, .stallLink, .resumeLink: true
          case .stopBluetoothd, .startBluetoothd, .unplugAdapter, .plugAdapter: false
          }
        }
      }
    }
  }
}
