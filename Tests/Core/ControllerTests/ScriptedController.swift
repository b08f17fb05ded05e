import BleperaBluetooth
import BleperaController
import BleperaHCIProtocol

/// A controller that answers commands as the specification asks, and misbehaves as it is ordered to.
struct ScriptedController {
  struct Options {
    var hasExtended = true
    var sets: UInt8 = 4
    var buffers = HCIBufferSize(length: 27, packets: 3)
    /// The LE features without extended advertising.
    var features: UInt64 = 0x7F
    /// Commands that are never answered and have no effect.
    var silent: Set<UInt16> = []
    /// Commands that are refused, with the error.
    var refused: [UInt16: UInt8] = [:]
    /// Whether LE Create Connection Cancel is answered without the event, as Bumble's controller does.
    var keepsAttempts = false
    /// Whether data is completed at once.
    var completesData = true
    var listSize = 8
  }

  struct AdvertisingSet {
    var parameters = HCISetParameters()
    var address: DeviceAddress?
    var data: [UInt8] = []
    var response: [UInt8] = []
    var isOn = false
  }

  var options: Options
  /// The commands in their order.
  var log: [UInt16] = []
  var sets: [UInt8: AdvertisingSet] = [:]
  var randomAddress: DeviceAddress?
  var scan: (interval: UInt16, window: UInt16, isActive: Bool) = (0, 0, false)
  var isScanning = false
  var acceptList: [DeviceAddress] = []
  var resolvingList: [DeviceAddress: HCIResolvingListEntry] = [:]
  var isResolving = false
  var attempt: HCIExtendedCreateConnection?
  var links: [UInt16: Int] = [:]
  var received: [(handle: UInt16, isStart: Bool, bytes: [UInt8])] = []
  /// The packets that are not completed, in order.
  var held: [UInt16] = []
  var disconnects: [UInt16: UInt8] = [:]
  private var out: [[UInt8]] = []

  init(_ options: Options = Options()) { self.options = options }

  mutating func takeOutput() -> [[UInt8]] {
    defer { out = [] }
    return out
  }

  mutating func send(_ event: some HCIEventParameters) { out.append(event.packet) }

  mutating func receive(_ packet: [UInt8]) {
    if packet[0] == 2 {
      let head: UInt16 = LittleEndian.number(packet[1..<3])
      received.append((head & 0xFFF, head >> 12 & 3 != 1, Array(packet[5...])))
      held.append(head & 0xFFF)
      if options.completesData { complete() }
      return
    }
    let opcode: UInt16 = LittleEndian.number(packet[1..<3])
    log.append(opcode)
    if options.silent.contains(opcode) { return }
    let command = HCIOpcode(rawValue: opcode)
    let isStatus = [0x0406, 0x200D, 0x2043, 0x2013, 0x2019, 0x2016, 0x041D].contains(opcode)
    var returned: [UInt8] = []
    var status = options.refused[opcode] ?? 0
    let before = out.count
    if status == 0 {
      do throws(HCIError) {
        guard let command else { throw .unknownCommand }
        returned = try perform(command, Array(packet[4...]))
      } catch { status = error.rawValue }
    }
    let answer: [UInt8] =
      isStatus
      ? HCICommandStatus(opcode, status: status).packet : HCICommandComplete(opcode, [status] + returned).packet
    out.insert(answer, at: before)
  }

  /// Completes all data that the controller holds.
  mutating func complete() {
    let counts = Dictionary(held.map { ($0, UInt16(1)) }, uniquingKeysWith: +)
    held = []
    for (handle, count) in counts.sorted(by: { $0.key < $1.key }) {
      send(HCICompletedPackets([HCIOfLink(handle, HCINumber(count))]))
    }
  }

  private var isAdvertising: Bool { sets.values.contains(where: \.isOn) }

  private mutating func perform(_ command: HCIOpcode, _ bytes: [UInt8]) throws(HCIError) -> [UInt8] {
    switch command {
    case .reset:
      self = ScriptedController(options, log: log, out: out)
    case .readLocalVersionInformation:
      var version = HCIVersion()
      (version.hci, version.company) = (options.hasExtended ? 0x0C : 0x06, 0x00E0)
      return version.bytes
    case .readLocalSupportedCommands:
      var mask = HCICommandMask()
      mask.octets = [UInt8](repeating: 0xFF, count: 64)
      return mask.bytes
    case .leReadLocalSupportedFeatures:
      return LittleEndian.bytes(options.features | (options.hasExtended ? 1 << 12 : 0))
    case .leReadBufferSize: return options.buffers.bytes
    case .readBufferSize: return [0x00, 0x04, 0, 0x0A, 0, 0, 0]
    case .setEventMask, .leSetEventMask, .leWriteSuggestedDefaultDataLength: break
    case .leReadNumberOfSupportedAdvertisingSets:
      try needExtended()
      return [options.sets]
    case .leReadMaximumAdvertisingDataLength: return [0x72, 0x06]
    case .leSetRandomAddress:
      let isLegacyOn = !options.hasExtended && isAdvertising
      guard !isScanning, attempt == nil, !isLegacyOn else { throw .commandDisallowed }
      randomAddress = try HCIRandomAddress(bytes).address

    case .leSetExtendedAdvertisingParameters:
      try needExtended()
      let parameters = try HCISetParameters(bytes)
      var set = sets[parameters.set] ?? AdvertisingSet()
      guard !set.isOn else { throw .commandDisallowed }
      guard sets[parameters.set] != nil || sets.count < options.sets else { throw .memoryCapacityExceeded }
      guard parameters.properties.contains(.scannable) || set.response.isEmpty else { throw .invalidParameters }
      set.parameters = parameters
      sets[parameters.set] = set
      return [0]
    case .leSetAdvertisingSetRandomAddress:
      let change = try HCISetAddress(bytes)
      guard let set = sets[change.set] else { throw .unknownAdvertisingSet }
      guard !set.isOn else { throw .commandDisallowed }
      sets[change.set]?.address = change.address
    case .leSetExtendedAdvertisingData, .leSetExtendedScanResponseData:
      let change = try HCISetData(bytes)
      guard let set = sets[change.set] else { throw .unknownAdvertisingSet }
      guard change.operation == 3 || !set.isOn else { throw .commandDisallowed }
      let isFirst = change.operation == 3 || change.operation == 1
      if command == .leSetExtendedAdvertisingData {
        sets[change.set]?.data = (isFirst ? [] : set.data) + change.data
      } else {
        guard set.parameters.properties.contains(.scannable) else { throw .invalidParameters }
        sets[change.set]?.response = (isFirst ? [] : set.response) + change.data
      }
    case .leSetExtendedAdvertisingEnable:
      let enable = try HCISetsEnable(bytes)
      for entry in enable.sets {
        guard let set = sets[entry.set] else { throw .unknownAdvertisingSet }
        if enable.isOn, set.parameters.ownType == 1, set.address == nil { throw .invalidParameters }
        sets[entry.set]?.isOn = enable.isOn
      }
    case .leRemoveAdvertisingSet:
      guard let set = sets[bytes[0]] else { throw .unknownAdvertisingSet }
      guard !set.isOn else { throw .commandDisallowed }
      sets[bytes[0]] = nil

    case .leSetAdvertisingParameters:
      try needLegacy()
      guard !isAdvertising else { throw .commandDisallowed }
      let parameters = try HCIAdvertisingParameters(bytes)
      var set = sets[0] ?? AdvertisingSet()
      set.parameters.properties = parameters.type == 0 ? [.legacy, .connectable, .scannable] : [.legacy]
      (set.parameters.ownType, set.parameters.least) = (parameters.ownType, Int(parameters.least))
      sets[0] = set
    case .leSetAdvertisingData: sets[0, default: AdvertisingSet()].data = try HCILegacyData(ArraySlice(bytes)).data
    case .leSetScanResponseData: sets[0, default: AdvertisingSet()].response = try HCILegacyData(ArraySlice(bytes)).data
    case .leSetAdvertisingEnable:
      try needLegacy()
      if bytes[0] == 1, sets[0]?.parameters.ownType == 1, randomAddress == nil { throw .invalidParameters }
      sets[0, default: AdvertisingSet()].isOn = bytes[0] == 1
      sets[0]?.address = randomAddress

    case .leSetScanParameters:
      try needLegacy()
      guard !isScanning else { throw .commandDisallowed }
      let parameters = try HCIScanParameters(bytes)
      scan = (parameters.interval, parameters.window, parameters.isActive)
    case .leSetExtendedScanParameters:
      try needExtended()
      guard !isScanning else { throw .commandDisallowed }
      let parameters = try HCIExtendedScanParameters(bytes)
      scan = (parameters.interval, parameters.window, parameters.isActive)
    case .leSetScanEnable, .leSetExtendedScanEnable:
      if bytes[0] == 1, randomAddress == nil { throw .invalidParameters }
      isScanning = bytes[0] == 1

    case .leClearFilterAcceptList:
      guard attempt == nil else { throw .commandDisallowed }
      acceptList = []
    case .leAddDeviceToFilterAcceptList:
      guard attempt == nil else { throw .commandDisallowed }
      guard acceptList.count < options.listSize else { throw .memoryCapacityExceeded }
      acceptList += [try HCIAcceptListEntry(bytes).address].compactMap(\.self)
    case .leClearResolvingList:
      try needSilence()
      resolvingList = [:]
    case .leAddDeviceToResolvingList:
      try needSilence()
      let entry = try HCIResolvingListEntry(bytes)
      resolvingList[entry.identity] = entry
    case .leSetPrivacyMode: try needSilence()
    case .leSetAddressResolutionEnable:
      guard !isAdvertising, !isScanning, attempt == nil else { throw .commandDisallowed }
      isResolving = bytes[0] == 1
    case .leExtendedCreateConnection:
      try needExtended()
      guard attempt == nil else { throw .commandDisallowed }
      if randomAddress == nil { throw .invalidParameters }
      attempt = try HCIExtendedCreateConnection(bytes)
    case .leCreateConnection:
      try needLegacy()
      guard attempt == nil else { throw .commandDisallowed }
      let create = try HCICreateConnection(bytes)
      var extended = HCIExtendedCreateConnection()
      (extended.policy, extended.ownType, extended.parameters) = (create.policy, create.ownType, create.parameters)
      extended.peer = create.peer
      attempt = extended
    case .leCreateConnectionCancel:
      guard attempt != nil else { throw .commandDisallowed }
      guard !options.keepsAttempts else { break }
      attempt = nil
      var complete = HCIConnectionComplete()
      complete.status = 0x02
      send(HCIEnhancedConnectionComplete(complete))

    case .disconnect:
      let parameters = try HCIOfLink<HCINumber<UInt8>>(bytes)
      guard links[parameters.handle] != nil else { throw .unknownConnection }
      disconnects[parameters.handle] = parameters.value.value
      end(parameters.handle, reason: 0x16)
    case .leSetDataLength:
      let parameters = try HCIOfLink<HCISuggestedDataLength>(bytes)
      guard links[parameters.handle] != nil else { throw .unknownConnection }
      return LittleEndian.bytes(parameters.handle)
    case .readRSSI: return Array(bytes.prefix(2)) + [0xC4]
    case .leEnableEncryption, .leConnectionUpdate: break
    case .leLongTermKeyRequestReply, .leLongTermKeyRequestNegativeReply, .leRemoteConnectionParameterRequestReply,
      .leRemoteConnectionParameterRequestNegativeReply:
      return Array(bytes.prefix(2))
    default: throw .unknownCommand
    }
    return []
  }

  private init(_ options: Options, log: [UInt16], out: [[UInt8]]) {
    (self.options, self.log, self.out) = (options, log, out)
  }

  private func needExtended() throws(HCIError) { if !options.hasExtended { throw .unknownCommand } }
  private func needLegacy() throws(HCIError) { if options.hasExtended { throw .commandDisallowed } }

  /// The resolving list cannot change while it is used (7.8.38).
  private func needSilence() throws(HCIError) {
    if isResolving, isAdvertising || isScanning || attempt != nil { throw .commandDisallowed }
  }

  // MARK: The air

  /// A central answers the advertisement of a set.
  mutating func central(_ peer: DeviceAddress, connectsTo set: UInt8, handle: UInt16, isNamed: Bool = true) {
    guard sets[set]?.isOn == true else { return }
    sets[set]?.isOn = false
    links[handle] = 0
    send(HCIEnhancedConnectionComplete(Self.complete(handle, isCentral: false, peer)))
    if options.hasExtended, isNamed { send(HCISetTerminated(set, handle: handle)) }
  }

  /// A device answers the attempt.
  mutating func peripheral(_ peer: DeviceAddress, as identity: DeviceAddress? = nil, handle: UInt16) {
    attempt = nil
    links[handle] = 0
    var complete = Self.complete(handle, isCentral: true, identity ?? peer)
    if identity != nil { (complete.isResolved, complete.peerPrivate) = (true, peer) }
    send(HCIEnhancedConnectionComplete(complete))
  }

  static func complete(_ handle: UInt16, isCentral: Bool, _ peer: DeviceAddress) -> HCIConnectionComplete {
    var complete = HCIConnectionComplete()
    (complete.handle, complete.isCentral, complete.peer) = (handle, isCentral, peer)
    (complete.interval, complete.latency, complete.timeout) = (24, 0, 72)
    return complete
  }

  mutating func end(_ handle: UInt16, reason: UInt8) {
    links[handle] = nil
    held.removeAll { $0 == handle }
    send(HCIDisconnectionComplete(handle, reason: reason))
  }
}
