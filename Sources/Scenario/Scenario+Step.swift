package import GATT

extension Scenario {
  /// Something that happens, and what is expected of it.
  package struct Step: Hashable, Sendable {
    /// In the file, counted from 1.
    package var line: Int
    /// A sentence for the reader.
    package var note: String?
    package var action: Action

    package init(line: Int, note: String? = nil, action: Action) {
      self.line = line
      self.note = note
      self.action = action
    }

    package enum Action: Hashable, Sendable {
      /// The user taps the app's icon.
      case serve(app: String)
      case order(Order, phone: String, app: String?)
      case crash(app: String)
      case scan(central: String, Filter, within: Duration, Sighting)
      /// Nil: the phone that the central has heard last.
      case connect(central: String, phone: String?, within: Duration, LinkExpectation)
      /// By just works.
      case pair(central: String)
      case disconnect(central: String)
      case request(Request, central: String, BluetoothUUID, Answer)
      /// A notification or an indication; nil: any value.
      case receive(central: String, BluetoothUUID, within: Duration, value: [UInt8]?, isExpected: Bool)
      case check(central: String, within: Duration, LinkExpectation)
      case inspect(app: String, within: Duration, AppExpectation)
      /// The second one where time is real.
      case wait(Duration, real: Duration)
      case fault(Fault)
    }

    /// What a user, or the system, does with a phone.
    package enum Order: String, Hashable, CaseIterable, Sendable {
      case foreground, background, suspend, terminate, quit, lock, unlock, bluetoothOff, bluetoothOn, bluetoothReset,
        reboot
    }

    package enum Request: Hashable, Sendable {
      case read
      case write([UInt8])
      case subscribe, unsubscribe
    }

    /// What goes wrong from then on; nil leaves it as it is.
    package struct Fault: Hashable, Sendable {
      /// The chance, 0 to 1, that an advertisement is missed.
      package var loss: Double?
      /// Of one packet of a connection.
      package var latency: Duration?
      package var event: Event?
      /// How long the app thinks before it answers.
      package var answer: Answer?

      package init(loss: Double? = nil, latency: Duration? = nil) {
        self.loss = loss
        self.latency = latency
      }

      package struct Answer: Hashable, Sendable {
        package var delay: Duration
        package var app: String

        package init(delay: Duration, app: String) {
          self.delay = delay
          self.app = app
        }
      }

      /// What happens once.
      package enum Event: Hashable, Sendable {
        case link(What, central: String, phone: String)
        case machine(What, phone: String)
      }

      package enum What: String, Hashable, CaseIterable, Sendable {
        case dropLink, stallLink, resumeLink, stopBluetoothd, startBluetoothd, unplugAdapter, plugAdapter

        /// Whether it is between a central and a phone.
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
