import BleperaAppLink
import BleperaBluetooth

extension EventRecord {
  /// The kind for the page. An event `state` has a kind for each new state.
  var reportKind: ReportRun.Kind {
    let (category, meaning) = event == .state ? Self.state(text(.state)) : Self.kind(event)
    let id = event == .state ? "state \(text(.state) ?? "")" : event.rawValue
    return ReportRun.Kind(id: id, category: category, meaning: meaning)
  }

  private static func state(_ state: String?) -> (ReportCategory, String) {
    let meaning =
      switch state.flatMap(AppState.init(rawValue:)) {
      case .notRunning?: "The app does not run."
      case .inactive?: "The app runs and is not yet in the foreground or the background."
      case .foreground?: "The user sees the app, and it runs without limits."
      case .background?: "The user does not see the app, which runs for a limited time."
      case .suspended?: "The app is in memory and does not run; what it has published stays."
      case nil: ""
      }
    return (.state, meaning)
  }

  private static func kind(_ kind: Kind) -> (ReportCategory, String) {
    switch kind {
    case .started: (.air, "The phone has started.")
    case .poweredOn: (.air, "Bluetooth is on.")
    case .poweredOff: (.air, "Bluetooth is off: nothing is on the air, and no central is connected.")
    case .noAdapter: (.problem, "The phone has no Bluetooth adapter.")
    case .noDaemon: (.problem, "bluetoothd does not run.")
    case .busLost: (.problem, "The message bus has ended; the phone waits for it.")
    case .powerOnFailed: (.problem, "Bluetooth could not be switched on.")
    case .published: (.air, "Connected centrals find the service.")
    case .publishingFailed: (.problem, "The service could not be published.")
    case .moved: (.problem, "The service has other attribute handles, because another program may have its own.")
    case .unpublished: (.air, "Connected centrals do not find the service any more.")
    case .advertising: (.air, "The phone's advertisement has changed.")
    case .advertisingSuppressed: (.air, "An app advertises, and by the rules nothing is on the air.")
    case .advertisingWithheld: (.air, "The app's advertisement is on the air when the app is next in the foreground.")
    case .intervalsIgnored: (.problem, "The radio does not apply advertising intervals.")
    case .packetsNotExact: (.problem, "The radio cannot send exact packets.")
    case .advertisingFailed: (.problem, "The radio refused the advertisement; it is tried again.")
    case .advertisingLost: (.problem, "The radio has stopped advertising by itself.")
    case .advertisingStopped: (.air, "Nothing is advertised any more.")
    case .state: (.state, "")
    case .queued: (.state, "The app is suspended, and receives the event when it runs again.")
    case .dropped: (.problem, "The app never receives the event.")
    case .terminated: (.life, "The app has ended.")
    case .preserved: (.life, "The app's services stay published without it, and an event can relaunch it.")
    case .restored:
      (
        .life,
        "The app has the services, subscribers and peripherals from before the phone's restart or the app's relaunch."
      )
    case .relaunching: (.life, "The system relaunches the app for an event.")
    case .relaunchFailed: (.problem, "The app could not be started again.")
    case .relaunchGivenUp: (.problem, "Starting the app failed too often; the user has to do it.")
    case .discovered: (.link, "An app's scan has found the peripheral.")
    case .peripheralConnected: (.link, "The phone is connected to the peripheral, for each app that waits for it.")
    case .peripheralDisconnected: (.link, "The connection to the peripheral has ended.")
    case .received: (.value, "The app has read the value, or was notified of it.")
    case .writeDropped: (.problem, "The write without response of the app was not sent.")
    case .alert: (.state, "The user is shown an alert of the suspended app, and may open it.")
    case .valueRetained: (.value, "The value is kept for centrals until they subscribe again.")
    case .stateDamaged: (.problem, "The preserved state could not be read.")
    case .savingFailed: (.problem, "The state could not be saved.")
    case .removed: (.life, "The app and its services were removed.")
    case .apiMisuse: (.problem, "Core Bluetooth ignores this call, because Bluetooth is not on.")
    case .connected: (.link, "A central has connected.")
    case .disconnected: (.link, "The connection has ended, and with it the central's subscriptions.")
    case .paired: (.link, "Central and phone have exchanged keys, and the link is encrypted.")
    case .bondForgotten: (.user, "The user has forgotten the device, whose keys the phone has deleted.")
    case .bondLost: (.problem, "One side of the bond has lost its keys.")
    case .pairingQuestion: (.link, "The pairing waits for the phone's user.")
    case .pairingRefused: (.problem, "The pairing did not succeed.")
    case .passkey: (.link, "The passkey has to be entered at the central.")
    case .pairingAgentFailed: (.problem, "Pairing is left to other agents.")
    case .l2capPublished: (.air, "Centrals that know the number can open an L2CAP channel.")
    case .l2capFailed: (.problem, "The L2CAP channel could not be published.")
    case .l2capUnpublished: (.air, "Centrals cannot open the L2CAP channel any more.")
    case .l2capOpened: (.link, "A central has opened an L2CAP channel.")
    case .l2capClosed: (.link, "The L2CAP channel has ended.")
    case .subscribed: (.link, "The central receives the updates of the characteristic.")
    case .unsubscribed: (.link, "The central receives no more updates of the characteristic.")
    case .read: (.request, "A central has read a value.")
    case .write: (.request, "A central has written a value.")
    case .notified: (.value, "The app has sent a new value to subscribers.")
    case .updateRefused: (.problem, "The value could not be sent to the centrals that the app named.")
    case .confirmed: (.value, "A central has confirmed an indication.")
    case .hostAttached: (.link, "A Bluetooth stack outside has attached to a controller of the air.")
    case .hostLeft: (.link, "The stack has left its controller, and what it had on the air ended.")
    case .hostRefused: (.problem, "The controller has a host already.")
    case .commandReceived: (.user, "The user, or a command of blepera, did this to the phone.")
    case .eventsOmitted: (.problem, "Events are missing here, because nobody read them.")
    }
  }
}
