import BleperaBluetooth
import BleperaRadio

/// The JSON of `blepera explain`, as somebody else would read it.
struct DecodedExplanation: Decodable {
  let ios: Int
  let bluetoothd: Daemon
  let exact: Bool
  let apps: [App]
  let states: [State]

  struct Daemon: Decodable, Equatable {
    let version: String?
    let experimental: Bool
    let origin: String
    let faults: [String]
  }

  struct App: Decodable {
    let identifier, name: String
    let backgroundMode: Bool
    let localName: String?
    let serviceUUIDs: [String]?
  }

  struct State: Decodable {
    let state: String
    let suppression: String?
    let interval: Interval?
    let iphone: Phone?
    /// The packets that the phone sends while nothing of an app is on the air.
    let own: BlueZ?
    let bluez: [BlueZ]
    let overflowArea: Overflow?
    let centrals: [Central]
    let responses: [Responses]
    let reasons: [Reason]
    let limitations: [RadioLimitation]
  }

  struct Interval: Decodable, Equatable {
    let minimum, maximum: Double
  }

  struct Packet: Decodable {
    let hex: String
    let length: Int
    let structures: [Structure]
  }

  struct Structure: Decodable {
    let hex, type, text: String
    let length: Int
  }

  struct Phone: Decodable {
    let advertisingData, scanResponse: Packet
    let budgetUsed, budget, nameBudgetUsed, nameBudget: Int
  }

  struct BlueZ: Decodable {
    let advertisingData, scanResponse: Packet
    let interval: Interval
  }

  struct Overflow: Decodable {
    let mask: String
    let bits: [Bit]
  }

  struct Bit: Decodable, Equatable {
    let bit: Int
    let uuids, apps: [String]
  }

  struct Central: Decodable {
    let central: String
    let name: String?
    let serviceUUIDs: [String]
    let overflowServiceUUIDs: [String]?
    let manufacturerData: [ManufacturerData]?
  }

  struct ManufacturerData: Decodable {
    let company, data: String
  }

  struct Responses: Decodable {
    let app: String
    let running: Bool
    let secondsLeft: Double?
    let requests: [Request]
    let requestsWhenSuspended: [Request]?
  }

  struct Request: Decodable, Equatable {
    let request, outcome: String
    let rule: String?
    let seconds: Double?
    let error: ErrorCode?
  }

  struct ErrorCode: Decodable, Equatable {
    let code: Int
    let name: String?
  }

  struct Reason: Decodable, Equatable {
    let app, field, outcome, rule: String
  }
}
