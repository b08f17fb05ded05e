import BleperaAppLink
import BleperaBluetooth
import BleperaPropertyLists

extension Scenario.Step {
  /// The action and the expectation in a few words: `gateway finds the local name "Lock"`.
  package var text: String {
    guard case .request(_, _, _, let expected) = action else { return actionText }
    return actionText + (expected.text.map { ": \($0)" } ?? "")
  }

  /// Without the result that is expected of a request, which a step that fails does not have.
  var actionText: String {
    switch action {
    case .serve(let app): "serve \(app)"
    case .crash(let app): "crash \(app)"
    case .forget(let device, let other): "\(device) forgets \(other ?? "all bonds")"
    case .answer(let response, let phone): "the user of \(phone) answers \(response.rawValue)"
    case .power(let accessory, let isOn): "switch \(isOn ? "on" : "off") \(accessory)"
    case .command(let command, let phone, let app): "\(command.text) \(app ?? phone)"
    case .scan(let central, let filter, let limit, let expected): expected.text(central, filter, limit)
    case .connect(let central, let phone, let limit, let expected):
      expected.isConnected == false
        ? "\(central) does not connect to \(phone ?? "the discovered phone") within \(limit.text)"
        : ["\(central) connects to \(phone ?? "the discovered phone")", expected.rest].compactMap { $0 }.joined(
          separator: ", ")
    case .pair(let central): "\(central) pairs"
    case .disconnect(let central): "\(central) disconnects"
    case .request(let request, let central, let uuid, _): "\(central) \(request.text) \(uuid)"
    case .receive(let central, let uuid, let limit, let value, let isExpected):
      isExpected
        ? "\(central) receives \(value?.text ?? "a value") from \(uuid)"
        : "\(central) does not receive \(value?.text ?? "anything") from \(uuid) within \(limit.text)"
    case .check(let central, _, let expected):
      [
        "\(central) is \(expected.isConnected == false ? "not connected" : "connected")", expected.rest,
      ].compactMap { $0 }.joined(separator: ", ")
    case .inspect(let app, _, let expected): "\(app): \(expected.text)"
    case .wait(let duration, _): "wait \(duration.text)"
    case .fault(let fault): fault.text
    }
  }
}

extension ControlRequest.Command {
  fileprivate var text: String {
    switch self {
    case .bluetoothOff: "switch off Bluetooth on"
    case .bluetoothOn: "switch on Bluetooth on"
    case .bluetoothReset: "reset Bluetooth on"
    case .launch, .foreground, .background, .suspend, .terminate, .quit, .lock, .unlock, .reboot, .status, .events,
      .shutdown,
      .forget, .forgetBonds, .pair, .notify, .defect:
      rawValue
    }
  }
}

extension Scenario.Step.Request {
  fileprivate var text: String {
    switch self {
    case .read: "reads"
    case .write(let value): "writes \(value.text) to"
    case .subscribe: "subscribes to"
    case .unsubscribe: "unsubscribes from"
    }
  }
}

extension Scenario.Step.Fault {
  fileprivate var text: String {
    let loss = loss.map { "lose \(Int(($0 * 100).rounded())) percent of the advertisements" }
    let latency = latency.map { "take \($0.text) for each packet" }
    let event: String? =
      switch event {
      case .link(let kind, let central, let phone): "\(kind.rawValue) between \(central) and \(phone)"
      case .machine(let kind, let phone): "\(kind.rawValue) of \(phone)"
      case .defect(let defect, let phone, let isOn): "defect \(defect.rawValue) of \(phone) \(isOn ? "on" : "off")"
      case nil: nil
      }
    let answer = answer.map { "have \($0.app) respond after \($0.delay.text)" }
    return [event, loss, latency, answer].compactMap { $0 }.joined(separator: ", ")
  }
}

extension Scenario.Filter {
  /// `the local name "Lock"`.
  package var text: String {
    let parts = [
      localName.map { "the local name \(Quote.text($0))" },
      serviceUUID.map { "the service \($0)" },
      overflowUUID.map { "\($0) in the overflow area" },
      overflowMask.map { "the overflow mask of \($0.text) alone" },
      services.map { $0.isEmpty ? "anything" : "the services \($0.text)" },
      isNearbyInfo ? "Nearby Info" : nil,
      phone,
    ].compactMap { $0 }
    return parts.isEmpty ? "anything" : parts.joined(separator: ", ")
  }
}

extension Scenario.ScanExpectation {
  fileprivate func text(_ central: String, _ filter: Scenario.Filter, _ limit: Duration) -> String {
    guard isExpected else { return "\(central) does not find \(filter.text) within \(limit.text)" }
    let name: String? =
      switch localName {
      case nil: nil
      case .absent: "with no local name"
      case .exactly(let name): "with the local name \(Quote.text(name))"
      }
    let parts = [
      "\(central) finds \(filter.text)", phone.map { "from \($0)" }, name,
      serviceUUIDs.map { $0.isEmpty ? "with no service UUIDs" : "with the service UUIDs \($0.text)" },
      overflowUUIDs.map { $0.isEmpty ? "with no overflow area" : "with the overflow bits of \($0.text)" },
    ]
    return parts.compactMap { $0 }.joined(separator: ", ")
  }
}

extension Scenario.LinkExpectation {
  /// The expectation without the connection state.
  fileprivate var rest: String? {
    let parts = [
      phone.map { "which is \($0)" }, services.isEmpty ? nil : "finds \(services.text)",
      missingServices.isEmpty ? nil : "does not find \(missingServices.text)",
    ].compactMap { $0 }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}

extension Scenario.Answer {
  fileprivate var text: String? {
    switch self {
    case .done: nil
    case .value(let value): value.text
    case .error(let error): "the error \(error)"
    case .missing: "no such characteristic"
    case .notConnected: "not connected"
    }
  }
}

extension Scenario.AppExpectation {
  fileprivate var text: String {
    let parts = [
      state.map { $0 == .notRunning ? "not running" : $0.rawValue },
      launches.map { "launched \($0 == 1 ? "once" : "\($0) times")" },
      restoredServices.map { "restored with \($0.isEmpty ? "no services" : $0.text)" },
      restoredSubscribers.map { "restored with \($0.isEmpty ? "no" : "the") subscribers \(Quote.list($0, "and"))" },
      discovered.map { "has discovered \($0.isEmpty ? "nothing" : Quote.list($0, "and"))" },
      value.map { "has received \($0.text)" },
      alerts.map { $0.isEmpty ? "no alert" : "the alerts \(Quote.list($0.map { Quote.text($0) }, "and"))" },
    ]
    return parts.compactMap { $0 }.joined(separator: ", ")
  }
}

extension Duration {
  /// `0.5 s`, `8 h`.
  package var text: String {
    let seconds = self / .seconds(1)
    let (count, unit) =
      switch self {
      case .seconds(7200)...: (seconds / 3600, "h")
      case .seconds(120)...: (seconds / 60, "min")
      default: (seconds, "s")
      }
    let rounded = (count * 1000).rounded() / 1000
    return Int(exactly: rounded).map { "\($0) \(unit)" } ?? "\(rounded) \(unit)"
  }
}

extension [UInt8] {
  /// `06 54`.
  package var text: String { isEmpty ? "nothing" : Hex.string(self, separator: " ") }
}

extension [BluetoothUUID] {
  package var text: String { Quote.list(map { "\($0.shortened)" }, "and") }
}
