import BleperaBluetooth
import BleperaPropertyLists

extension ProfileChecker {
  mutating func central(_ field: Field, _ profile: Profile) -> Profile.Central? {
    guard let fields = fields(of: field.node, .central, field.path) else { return nil }
    let services = uuids(fields, .scanServices)
    let solicited = uuids(fields, .solicitedServices)
    if services.isEmpty, solicited.isEmpty, fields.lacks(.scanServices), fields.lacks(.solicitedServices),
      profile.backgroundModes.contains(AppIdentity.centralBackgroundMode)
    {
      faults.warn(
        at: field.node.offset, field.path, found: "a scan for all services with \(AppIdentity.centralBackgroundMode)",
        expected: "ScanServices: in the background such a scan finds nothing")
    }
    var central = Profile.Central()
    central.restoreIdentifier = identifier(of: .central, in: fields, at: .centralRestoreIdentifier, profile)
    central.scan = ScanRequest(
      services: services, allowsDuplicates: flag(fields, .allowDuplicates) ?? false, solicitedServices: solicited)
    central.connection = fields[.connect].flatMap { connection($0) }
    guard let list = fields[.remoteCharacteristics], case .array(let nodes) = list.node.value else { return central }
    if fields.lacks(.connect), !nodes.isEmpty {
      faults.error(
        at: list.node.offset, list.path, found: "Characteristics without Connect",
        expected: "Connect, a dictionary, or neither key: the app connects to nothing")
    }
    central.characteristics = uses(nodes, list)
    return central
  }

  private mutating func uuids(_ fields: Fields, _ key: SchemaKey) -> [BluetoothUUID] {
    guard let field = fields[key] else { return [] }
    if case .array(let nodes) = field.node.value, nodes.isEmpty {
      faults.error(
        at: field.node.offset, field.path, found: "an empty array", expected: "a UUID, or no key \(key.name)")
    }
    var uuids: [BluetoothUUID] = []
    for element in elements(of: field, .uuid) {
      guard let uuid = uuid(element) else { continue }
      if uuids.contains(uuid) { error(element, found: "\(uuid) a second time", expected: "each UUID once") }
      uuids.append(uuid)
    }
    return uuids
  }

  func flag(_ fields: Fields, _ key: SchemaKey) -> Bool? {
    if case .boolean(let value)? = fields[key]?.node.value { value } else { nil }
  }

  private mutating func connection(_ field: Field) -> Profile.Central.Connection? {
    guard let fields = fields(of: field.node, .connect, field.path) else { return nil }
    var connection = Profile.Central.Connection()
    connection.name = nonempty(fields, .remoteName, "the name of a peripheral")
    connection.service = fields[.remoteService].flatMap { uuid($0) }
    connection.isToAll = flag(fields, .connectAll) ?? false
    connection.reconnects = flag(fields, .reconnect) ?? true
    guard let field = fields[.connectOptions], let options = self.fields(of: field.node, .connectOptions, field.path)
    else { return connection }
    connection.options.notifiesOnConnection = flag(options, .notifyOnConnection) ?? false
    connection.options.notifiesOnDisconnection = flag(options, .notifyOnDisconnection) ?? false
    connection.options.notifiesOnNotification = flag(options, .notifyOnNotification) ?? false
    connection.options.autoReconnects = flag(options, .enableAutoReconnect) ?? false
    connection.options.startDelay = seconds(options, .startDelay, in: Responses.delays) ?? 0
    return connection
  }

  // MARK: Characteristics

  private struct CheckedUse {
    var use: Profile.Central.Use
    let fields: Fields
  }

  private mutating func uses(_ nodes: [PropertyListNode], _ list: Field) -> [Profile.Central.Use] {
    guard isWithinLimit(nodes.count, list, "characteristics") else { return [] }
    var checked: [CheckedUse] = []
    var targets: [(uuid: BluetoothUUID, field: Field)] = []
    for (index, node) in nodes.enumerated() {
      guard let fields = fields(of: node, .remoteCharacteristic, list.path.index(index)) else { continue }
      let service = fields[.ownerService].flatMap { field in uuid(field).map { (uuid: $0, field: field) } }
      if let (uuid, field) = service, RemoteService.hiddenFromApps.contains(uuid) {
        error(
          field, found: "\(uuid), \(uuid.assignedName ?? "Apple Notification Center")",
          expected: "a service that iOS does not hide from apps")
      }
      let characteristic = fields[.characteristicUUID].flatMap { uuid($0) }
      var use = Profile.Central.Use(
        service: service?.uuid ?? Self.unknown, characteristic: characteristic ?? Self.unknown)
      if let field = fields[.characteristicUUID], service != nil, characteristic != nil,
        checked.contains(where: { $0.use.service == use.service && $0.use.characteristic == use.characteristic })
      {
        error(field, found: "\(use.characteristic) a second time", expected: "each characteristic of a service once")
      }
      use.subscribes = flag(fields, .subscribe) ?? false
      use.reads = flag(fields, .read) ?? false
      use.value = bytes(fields, .written, orText: .writtenText)
      use.withResponse = !(flag(fields, .withoutResponse) ?? false)
      if let field = fields[.onValue] {
        use.reactions = reactions(field, &targets)
        if !use.subscribes, !use.reads, fields.lacks(.subscribe), fields.lacks(.read) {
          faults.error(
            at: field.node.offset, field.path, found: "OnValue without Subscribe and Read",
            expected: "one of them: the app receives no value")
        }
      }
      checked.append(CheckedUse(use: use, fields: fields))
    }
    check(targets, checked)
    return checked.map(\.use)
  }

  private static let unknown = BluetoothUUID(0 as UInt16)

  private mutating func reactions(
    _ field: Field, _ targets: inout [(uuid: BluetoothUUID, field: Field)]
  ) -> [Responses.Row] {
    var found: [(uuid: BluetoothUUID, field: Field)] = []
    let rows = rows(of: field, .reaction) { checker, fields in
      let pattern = checker.pattern(fields, .received, .receivedText)
      var row = Responses.Row(pattern ?? .any)
      guard let steps = fields[.reactionSteps], case .array(let nodes) = steps.node.value,
        checker.isWithinLimit(nodes.count, steps, "steps")
      else { return nil }
      for (index, node) in nodes.enumerated() {
        guard let fields = checker.fields(of: node, .reactionStep, steps.path.index(index)) else { continue }
        var step = Responses.Step()
        if let seconds = checker.seconds(fields, .after, in: Responses.delays) { step.delay = .seconds(seconds) }
        checker.require(fields, .reactionWrite, orText: .reactionText)
        step.value = checker.template(fields, .reactionWrite, .reactionText, with: pattern, of: "Value and Text")
        if let field = fields[.reactionCharacteristic], let uuid = checker.uuid(field) {
          step.characteristic = uuid
          found.append((uuid, field))
        }
        row.steps.append(step)
      }
      return pattern == nil ? nil : row
    }
    targets += found
    return rows ?? []
  }

  /// Checks that the targets of writes are listed characteristics, and that each characteristic is used.
  private mutating func check(_ targets: [(uuid: BluetoothUUID, field: Field)], _ checked: [CheckedUse]) {
    let names = checked.map { "\($0.use.characteristic)" }
    for target in targets where !checked.contains(where: { $0.use.characteristic == target.uuid }) {
      error(
        target.field, found: "\(target.uuid), which Characteristics does not have", expected: Quote.list(names))
    }
    let keys: [SchemaKey] = [.subscribe, .read, .written, .writtenText]
    for checked in checked where keys.allSatisfy(checked.fields.lacks) {
      guard !targets.contains(where: { $0.uuid == checked.use.characteristic }) else { continue }
      faults.warn(
        at: checked.fields.node.offset, checked.fields.path, found: "a characteristic that is not used",
        expected: "Subscribe, Read or Write, or an OnValue that writes it")
    }
  }
}
