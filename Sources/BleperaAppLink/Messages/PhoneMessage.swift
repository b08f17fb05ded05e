package import BleperaBluetooth

/// A message from the system to an app: a callback of `CBPeripheralManagerDelegate`, or a lifecycle event.
package enum PhoneMessage: Hashable, Codable, Sendable {
  /// The response to a valid `hello`, with the system's protocol version. For an app that the phone has launched, as
  /// with `UIApplication.LaunchOptionsKey.bluetoothPeripherals`, the restoration identifiers of its managers that have
  /// services or advertise. `nextService` is above the numbers of all services that are preserved.
  case welcome(version: Int, bluetoothPeripherals: [String]? = nil, nextService: Int? = nil)
  /// The response to a refused `hello` or to an invalid message; a sentence. The link is then closed.
  case refused(reason: String)
  /// A lifecycle event, as of `UIApplicationDelegate`. An app runs until it receives `suspended`.
  case didChangeState(AppState)
  /// A lifecycle event: the app must exit. The link is then closed.
  case willTerminate(TerminationCause)
  /// Sent only to an app with preserved state, before `didUpdateState`.
  case willRestoreState(RestoredState)
  case didUpdateState(ManagerState)
  /// A nil `error` is success.
  case didAddService(ServiceID, error: String?)
  /// A nil `error` is success.
  case didStartAdvertising(error: String?)
  case didSubscribe(CentralDescription, to: CharacteristicID)
  case didUnsubscribe(CentralDescription, from: CharacteristicID)
  /// Requires one `respond`.
  case didReceiveRead(ReadRequest)
  /// One unit, all or nothing; requires one `respond`, with the identifier of the first write.
  case didReceiveWrite([WriteRequest])
  /// Whether the last `updateValue` of that characteristic was queued. False means that the transmit queue is full and
  /// `isReadyToUpdateSubscribers` follows, or, with an `error`, that the update cannot be sent.
  case didUpdateValue(CharacteristicID, queued: Bool, error: String? = nil)
  case isReadyToUpdateSubscribers
  /// `psm` is nil where the channel is not published; a nil `error` is success.
  case didPublishL2CAPChannel(psm: L2CAPPSM?, error: String?)
  /// A nil `error` is success.
  case didUnpublishL2CAPChannel(L2CAPPSM, error: String?)
  /// A central has opened a channel. A stream socket for its bytes comes with the message, as a descriptor.
  case didOpenL2CAPChannel(L2CAPChannel)
  /// A callback for another manager than the first. What is for all managers is not in such a message.
  indirect case manager(ManagerID, PhoneMessage)
}

extension PhoneMessage {
  /// The service that the message is about; nil for one that is not about a service.
  package var service: ServiceID? {
    switch self {
    case .didAddService(let service, _): service
    case .didSubscribe(_, let characteristic), .didUnsubscribe(_, let characteristic),
      .didUpdateValue(let characteristic, _, _):
      characteristic.service
    case .didReceiveRead(let request): request.characteristic.service
    case .didReceiveWrite(let requests): requests.first?.characteristic.service
    case .welcome, .refused, .didChangeState, .willTerminate, .willRestoreState, .didUpdateState, .didStartAdvertising,
      .isReadyToUpdateSubscribers, .didPublishL2CAPChannel, .didUnpublishL2CAPChannel, .didOpenL2CAPChannel, .manager:
      nil
    }
  }
}

extension PhoneMessage {
  /// The channel that comes with the message.
  package var openedChannel: L2CAPChannel? {
    switch self {
    case .didOpenL2CAPChannel(let channel): channel
    case .manager(_, let message): message.openedChannel
    default: nil
    }
  }
}

/// The JSON keys of associated values whose Swift label is missing or not a noun.
extension PhoneMessage {
  enum DidChangeStateCodingKeys: String, CodingKey {
    case _0 = "state"
  }

  enum WillTerminateCodingKeys: String, CodingKey {
    case _0 = "reason"
  }

  enum WillRestoreStateCodingKeys: String, CodingKey {
    case _0 = "state"
  }

  enum DidUpdateStateCodingKeys: String, CodingKey {
    case _0 = "state"
  }

  enum DidAddServiceCodingKeys: String, CodingKey {
    case _0 = "id"
    case error
  }

  enum DidSubscribeCodingKeys: String, CodingKey {
    case _0 = "central"
    case to = "characteristic"
  }

  enum DidUnsubscribeCodingKeys: String, CodingKey {
    case _0 = "central"
    case from = "characteristic"
  }

  enum DidReceiveReadCodingKeys: String, CodingKey {
    case _0 = "request"
  }

  enum DidReceiveWriteCodingKeys: String, CodingKey {
    case _0 = "requests"
  }

  enum DidUnpublishL2CAPChannelCodingKeys: String, CodingKey {
    case _0 = "psm"
    case error
  }

  enum DidOpenL2CAPChannelCodingKeys: String, CodingKey {
    case _0 = "channel"
  }

  enum ManagerCodingKeys: String, CodingKey {
    case _0 = "id"
    case _1 = "message"
  }

  enum DidUpdateValueCodingKeys: String, CodingKey {
    case _0 = "characteristic"
    case queued
    case error
  }
}

/// What the phone sends for each request and update, without the detour over `Codable`.
extension PhoneMessage: JSONLineValue {
  package func write(to object: inout JSONObjectWriter) -> Bool {
    object.begin()
    switch self {
    case .didReceiveRead(let request):
      object.begin("didReceiveRead")
      object.begin("request")
      Self.write(request.id, request.central, request.characteristic, request.offset, to: &object)
      object.end()
    case .didReceiveWrite(let requests):
      object.begin("didReceiveWrite")
      object.begin("requests", "[")
      for request in requests {
        object.begin()
        Self.write(request.id, request.central, request.characteristic, request.offset, to: &object)
        object.add("value", request.value)
        object.end()
      }
      object.end("]")
    case .didUpdateValue(let characteristic, let queued, let error):
      object.begin("didUpdateValue")
      characteristic.write("characteristic", to: &object)
      object.add("error", error)
      object.add("queued", queued)
    case .didChangeState(let state):
      object.begin("didChangeState")
      object.add("state", state.rawValue)
    case .isReadyToUpdateSubscribers: object.begin("isReadyToUpdateSubscribers")
    default: return false
    }
    object.end()
    object.end()
    return true
  }

  private static func write(
    _ id: RequestID, _ central: CentralDescription, _ characteristic: CharacteristicID, _ offset: Int,
    to object: inout JSONObjectWriter
  ) {
    object.begin("central")
    object.add("id", central.id.rawValue)
    object.add("maximumUpdateValueLength", central.maximumUpdateValueLength)
    object.end()
    characteristic.write("characteristic", to: &object)
    object.add("id", id.rawValue)
    object.add("offset", offset)
  }

  package init?(reading object: inout JSONObjectReader) {
    var message: PhoneMessage?
    let isRead = object.object { object, key in
      guard message == nil else { return false }
      switch key {
      case "didReceiveRead":
        _ = object.object { object, key in
          guard key == "request", let request = WriteRequest(reading: &object, hasValue: false) else { return false }
          message = .didReceiveRead(
            ReadRequest(
              id: request.id, central: request.central, characteristic: request.characteristic, offset: request.offset))
          return true
        }
      case "didReceiveWrite":
        _ = object.object { object, key in
          var requests: [WriteRequest] = []
          let isRead =
            key == "requests"
            && object.list { object in
              guard let request = WriteRequest(reading: &object, hasValue: true) else { return false }
              requests.append(request)
              return true
            }
          if isRead { message = .didReceiveWrite(requests) }
          return isRead
        }
      case "didUpdateValue": message = Self.didUpdateValue(&object)
      case "didChangeState":
        _ = object.object { object, key in
          guard key == "state", let state = object.text().flatMap(AppState.init) else { return false }
          message = .didChangeState(state)
          return true
        }
      case "isReadyToUpdateSubscribers": message = object.object { _, _ in false } ? .isReadyToUpdateSubscribers : nil
      default: return false
      }
      return message != nil
    }
    guard isRead, let message else { return nil }
    self = message
  }

  private static func didUpdateValue(_ object: inout JSONObjectReader) -> PhoneMessage? {
    var characteristic: CharacteristicID?
    var queued: Bool?
    var error: String?
    let isRead = object.object { object, key in
      switch key {
      case "characteristic": return object.store(CharacteristicID(reading: &object), in: &characteristic)
      case "queued": return object.store(object.flag(), in: &queued)
      case "error": return object.store(object.text(), in: &error)
      default: return false
      }
    }
    guard isRead, let characteristic, let queued else { return nil }
    return .didUpdateValue(characteristic, queued: queued, error: error)
  }
}

extension WriteRequest {
  /// A read is read as a write without value.
  fileprivate init?(reading object: inout JSONObjectReader, hasValue: Bool) {
    var id: RequestID?
    var central: CentralDescription?
    var characteristic: CharacteristicID?
    var offset: Int?
    var value: [UInt8]?
    let isRead = object.object { object, key in
      switch key {
      case "id": return object.store(object.number().map { RequestID(rawValue: $0) }, in: &id)
      case "central": return object.store(CentralDescription(reading: &object), in: &central)
      case "characteristic": return object.store(CharacteristicID(reading: &object), in: &characteristic)
      case "offset": return object.store(object.number(), in: &offset)
      case "value" where hasValue: return object.store(object.byteList(), in: &value)
      default: return false
      }
    }
    guard isRead, let id, let central, let characteristic, let offset, (value != nil) == hasValue else { return nil }
    self.init(id: id, central: central, characteristic: characteristic, offset: offset, value: value ?? [])
  }
}

extension CentralDescription {
  fileprivate init?(reading object: inout JSONObjectReader) {
    var id: String?
    var length: Int?
    let isRead = object.object { object, key in
      switch key {
      case "id": return object.store(object.text(), in: &id)
      case "maximumUpdateValueLength": return object.store(object.number(), in: &length)
      default: return false
      }
    }
    guard isRead, let id, let length else { return nil }
    self.init(id: CentralID(rawValue: id), maximumUpdateValueLength: length)
  }
}

extension CharacteristicID {
  func write(_ key: String, to object: inout JSONObjectWriter) {
    object.begin(key)
    object.add("index", index)
    object.add("service", service.rawValue)
    object.end()
  }

  init?(reading object: inout JSONObjectReader) {
    var service: Int?
    var index: Int?
    let isRead = object.object { object, key in
      switch key {
      case "service": return object.store(object.number(), in: &service)
      case "index": return object.store(object.number(), in: &index)
      default: return false
      }
    }
    guard isRead, let service, let index else { return nil }
    self.init(service: ServiceID(rawValue: service), index: index)
  }
}
