import BleperaBluetooth
import BleperaController
import BleperaHCIProtocol
import BleperaHost
import Testing

/// A link layer and its controller in virtual time.
struct LayerBench {
  var layer: HCILinkLayer
  var controller: ScriptedController
  var now = Duration.zero
  /// What the layer has reported.
  var events: [LinkLayerEvent] = []
  var refusals: [ControllerRefusal] = []
  var failures: [String] = []
  var descriptions: [ControllerDescription] = []

  static let address = DeviceAddress(bits: 0x4A_1122_3344_55, isRandom: true)
  static let app = AdvertisingPackets(
    data: [2, 1, 0x1A], scanResponse: [2, 9, 0x41], interval: .microseconds(181_250))
  static let own = AdvertisingPackets(
    data: [3, 0xFF, 0x4C, 0], isConnectable: false, interval: .seconds(2), isOwn: true, address: .changing)

  init(_ options: ScriptedController.Options = .init(), isStarted: Bool = true) {
    (layer, controller) = (HCILinkLayer(random: .seeded(SplitMix64(seed: 1))), ScriptedController(options))
    call { $0.setAddress(Self.address, at: $1) }
    if isStarted { start() }
  }

  mutating func start() { call { $0.start(at: $1) } }

  mutating func run(_ request: LinkLayerRequest) { call { $0.run(request, at: $1) } }

  /// Calls the layer, and exchanges packets until both sides are silent.
  mutating func call(_ body: (inout HCILinkLayer, Duration) -> [HCILinkLayer.Output]) { take(body(&layer, now)) }

  /// Lets the controller do something.
  mutating func air(_ body: (inout ScriptedController) -> Void) {
    body(&controller)
    take([])
  }

  private mutating func take(_ outputs: [HCILinkLayer.Output]) {
    var waiting = outputs
    var rounds = 0
    repeat {
      rounds += 1
      guard rounds < 1000 else { return _ = Issue.record("the commands do not end: \(controller.log.suffix(20))") }
      for output in waiting {
        switch output {
        case .send(let packet): controller.receive(packet)
        case .event(let event): events.append(event)
        case .refused(let refusal): refusals.append(refusal)
        case .failed(let sentence): failures.append(sentence)
        case .ready(let description): descriptions.append(description)
        }
      }
      waiting = []
      for packet in controller.takeOutput() { waiting += layer.receive(Self.packet(packet), at: now) }
    } while !waiting.isEmpty
  }

  static func packet(_ bytes: [UInt8]) -> H4Reader.Packet {
    H4Reader.Packet(kind: HCIPacketKind(rawValue: bytes[0]) ?? .event, bytes: Array(bytes.dropFirst()))
  }

  /// Lets time pass; each deadline leads to progress.
  mutating func wait(_ time: Duration) {
    let end = now + time
    var calls = 0
    while let deadline = layer.deadline, deadline <= end {
      calls = deadline > now ? 0 : calls + 1
      guard calls < 100 else {
        Issue.record("the deadline \(deadline) does not pass")
        break
      }
      now = max(now, deadline)
      call { $0.tick(at: $1) }
    }
    now = end
  }

  /// The sets that are on, by their data.
  var onAir: [[UInt8]] { controller.sets.sorted { $0.key < $1.key }.filter(\.value.isOn).map(\.value.data) }

  var notices: [LinkNotice] { events.compactMap { if case .link(_, let notice) = $0 { notice } else { nil } } }

  var openings: [LinkOpening] { events.compactMap { if case .connected(_, let opening) = $0 { opening } else { nil } } }

  var reports: [AdvertisementReport] {
    events.compactMap { if case .received(let report) = $0 { report } else { nil } }
  }

  var lastLink: ConnectionID? {
    events.compactMap { if case .connected(let id, _) = $0 { id } else { nil } }.last
  }
}
