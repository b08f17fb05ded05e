import BleperaBluetooth

@testable import BleperaHost

/// Two hosts back to back: a link layer without an air, which takes fragments of 27 bytes and sends three at most
/// before they are acknowledged.
struct TwoHosts {
  static let link = ConnectionID(1)
  static let credits = 3

  private(set) var hosts: [HostStack]
  /// The actions of each host, in order.
  private(set) var actions: [[HostAction]] = [[], []]
  /// The packets that each host has sent and the link layer has not; `onTheWay` has those on their way to the other.
  private var waiting: [[LinkData]] = [[], []]
  private var onTheWay: [[LinkData]] = [[], []]
  private(set) var longestFragment = 0
  private(set) var mostOnTheWay = 0
  /// The key with which the central encrypts.
  private var key: LinkKey?

  /// - Parameter stacks: of the central and of the peripheral.
  init(_ stacks: [StackBehavior]) {
    hosts = stacks.enumerated().map { number, stack in
      let address = SecurityAddress(bits: UInt64(number + 1), isRandom: false)
      return HostStack(
        stack, name: "host \(number)", identity: SecurityIdentity(address: address, key: nil), mtu: 185,
        fragmentLength: 27)
    }
  }

  mutating func connect() {
    let parameters = LinkParameters(interval: .milliseconds(30), supervisionTimeout: .milliseconds(720))
    for side in [0, 1] {
      let (own, peer) = (DeviceAddress(bits: UInt64(side + 1)), DeviceAddress(bits: UInt64(2 - side)))
      let opening = LinkOpening(isCentral: side == 0, own: own, peer: peer, parameters: parameters)
      hosts[side].open(Self.link, opening, random: .seeded(SplitMix64(seed: UInt64(side))))
    }
    run()
  }

  /// Lets a host do something, and then both, until neither has anything to do.
  mutating func use(_ side: Int, _ change: (inout HostStack) -> Void) {
    change(&hosts[side])
    run()
  }

  private mutating func run() {
    while takeOutputs(of: 0) || takeOutputs(of: 1) || deliver(from: 0) || deliver(from: 1) {}
  }

  private mutating func takeOutputs(of side: Int) -> Bool {
    let outputs = hosts[side].takeOutputs()
    for output in outputs {
      switch output {
      case .action(let action): actions[side].append(action)
      case .link(_, let request): take(request, from: side)
      case .timer, .bondsChanged: break
      }
    }
    return !outputs.isEmpty
  }

  private mutating func take(_ request: LinkRequest, from side: Int) {
    switch request {
    case .data(let data): waiting[side].append(data)
    case .encrypt(let key):
      self.key = key
      notify(1, .keyRequested(random: key.random, diversifier: key.diversifier))
    case .key(let answer):
      for side in [0, 1] {
        notify(side, answer == key?.value ? .encrypted(isRefresh: false) : .encryptionRefused(.missingKey))
      }
    case .disconnect(let reason):
      hosts[side].disconnected(Self.link, because: .hostTerminated)
      hosts[1 - side].disconnected(Self.link, because: reason)
    case .readFeatures, .readVersion, .update, .requestParameters, .refuseParameters, .setDataLength, .abandon: break
    }
  }

  private mutating func notify(_ side: Int, _ notice: LinkNotice) { hosts[side].receive(notice, over: Self.link) }

  /// Sends as much as the credits allow, and acknowledges the first of it.
  private mutating func deliver(from side: Int) -> Bool {
    let count = min(Self.credits - onTheWay[side].count, waiting[side].count)
    onTheWay[side] += waiting[side].prefix(count)
    waiting[side].removeFirst(count)
    mostOnTheWay = max(mostOnTheWay, onTheWay[side].count)
    guard !onTheWay[side].isEmpty else { return false }
    let data = onTheWay[side].removeFirst()
    longestFragment = max(longestFragment, data.bytes.count)
    notify(1 - side, .data(data))
    notify(side, .sent)
    return true
  }
}
