import BleperaBluetooth
import BleperaHCIProtocol

/// The start of a controller: Reset, and what it is.
extension HCILinkLayer {
  enum StartStep: Hashable, Sendable {
    case reset, version, commands, features, buffers, classicBuffers, eventMask, leEventMask, sets, longestData
    case dataLength

    static let first: [StartStep] = [.reset, .version, .commands, .features, .buffers, .eventMask, .leEventMask]

    func command(for controller: ControllerDescription, _ length: HCISuggestedDataLength) -> ControllerCommand {
      func read<Returns>(_ type: HCICommandType<HCINothing, Returns>) -> ControllerCommand {
        ControllerCommand(type, HCINothing(), for: .start(self))
      }
      return switch self {
      case .reset: read(HCI.reset)
      case .version: read(HCI.readLocalVersionInformation)
      case .commands: read(HCI.readLocalSupportedCommands)
      case .features: read(HCI.leReadLocalSupportedFeatures)
      case .buffers: read(HCI.leReadBufferSize)
      case .classicBuffers: read(HCI.readBufferSize)
      case .eventMask: ControllerCommand(HCI.setEventMask, HCINumber(Self.events), for: .start(self))
      case .leEventMask:
        ControllerCommand(HCI.leSetEventMask, HCINumber(Self.leEvents(of: controller)), for: .start(self))
      case .sets: read(HCI.leReadNumberOfSupportedAdvertisingSets)
      case .longestData: read(HCI.leReadMaximumAdvertisingDataLength)
      case .dataLength:
        ControllerCommand(HCI.leWriteSuggestedDefaultDataLength, length, for: .start(self))
      }
    }

    /// The events that the link layer uses.
    private static let events = mask(
      [
        HCIDisconnectionComplete.code, HCIEncryptionChange.code, HCIHardwareError.code, HCIDataBufferOverflow.code,
        HCIEncryptionKeyRefresh.code,
      ], and: HCIEventCode.leMetaBit)

    /// Old controllers refuse a mask with bits that they do not know.
    private static func leEvents(of controller: ControllerDescription) -> UInt64 {
      var codes = [
        HCILEConnectionComplete.code, HCIAdvertisingReports.code, HCIConnectionUpdateComplete.code,
        HCILongTermKeyRequest.code,
      ]
      if controller.has(.parameterRequest) { codes.append(HCIParameterRequest.code) }
      if controller.has(.dataLength) { codes.append(HCIDataLengthChange.code) }
      if controller.has(.privacy) { codes.append(HCIEnhancedConnectionComplete.code) }
      if controller.has(.extendedAdvertising) { codes += [HCIExtendedReports.code, HCISetTerminated.code] }
      return mask(codes, and: nil)
    }

    private static func mask(_ codes: [HCIEventCode], and bit: Int?) -> UInt64 {
      (codes.map(\.bit) + [bit]).compactMap(\.self).reduce(0) { $0 | 1 << UInt64($1) }
    }
  }

  mutating func started(_ step: StartStep, status: UInt8?, _ returned: [UInt8]) {
    guard case .starting(var steps) = state, steps.first == step else { return }
    steps.removeFirst()
    if step == .reset, status != 0 {
      return failed(status == nil ? "the controller does not answer Reset" : "the controller refuses Reset")
    }
    if status == 0 { read(step, returned) }
    switch step {
    case .features where controller.has(.extendedAdvertising): steps += [.sets]
    case .buffers where !isUsable(controller.buffers): steps.insert(.classicBuffers, at: 0)
    case .sets where controller.isExtended: steps += [.longestData]
    default: break
    }
    if steps.isEmpty, step != .dataLength, dataLength != HCISuggestedDataLength(), controller.has(.dataLength),
      controller.names(HCI.leWriteSuggestedDefaultDataLength)
    {
      steps = [.dataLength]
    }
    state = steps.isEmpty ? .ready : .starting(steps)
    guard steps.isEmpty else { return }
    if !isUsable(controller.buffers) { controller.buffers = ControllerDescription().buffers }
    credits = Int(controller.buffers.packets)
    advertising.assign(sets: controller.sets)
    outputs.append(.ready(controller))
  }

  private func isUsable(_ buffers: HCIBufferSize) -> Bool { buffers.length > 0 && buffers.packets > 0 }

  /// An answer that is cut leaves what is known.
  private mutating func read(_ step: StartStep, _ returned: [UInt8]) {
    switch step {
    case .reset, .eventMask, .leEventMask, .dataLength: break
    case .version: if let version = try? HCIVersion(returned) { controller.version = version }
    case .commands: if let mask = try? HCICommandMask(returned) { controller.commands = mask }
    case .features: if let features = try? HCINumber<UInt64>(returned) { controller.features = features.value }
    case .buffers:
      // Zeros: the buffers are shared with BR/EDR (7.8.2).
      controller.buffers = (try? HCIBufferSize(returned)) ?? HCIBufferSize()
    case .classicBuffers:
      if let size = try? HCIClassicBufferSize(returned) {
        controller.buffers = HCIBufferSize(length: size.length, packets: UInt8(clamping: size.packets))
      }
    case .sets:
      guard let sets = try? HCINumber<UInt8>(returned), sets.value > 0 else { return }
      (controller.sets, controller.isExtended) = (min(Int(sets.value), 0xF0), true)
    case .longestData:
      if let length = try? HCINumber<UInt16>(returned) { controller.longestData = Int(length.value) }
    }
  }
}
