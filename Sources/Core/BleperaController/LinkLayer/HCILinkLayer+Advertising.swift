import BleperaBluetooth
import BleperaHCIProtocol
import BleperaHost

/// Advertising, by sets or by the legacy commands.
extension HCILinkLayer {
  /// The state that a set is to have.
  private struct Plan {
    var parameters = HCISetParameters()
    let address: DeviceAddress
    let data: [UInt8]
    let response: [UInt8]
  }

  mutating func advertise(
    _ id: AdvertisementID, _ packets: AdvertisingPackets, _ lifetime: Duration?, _ events: Int?
  ) {
    guard isPowered else { return outputs.append(.event(.advertisementRefused(id))) }
    advertising.add(id, packets, lifetime, events, using: &random, at: now)
  }

  // MARK: Commands

  /// The advertisements that a set may send now. Without sets there is one random address for advertisements and for
  /// attempts: other addresses than the adapter's wait while there are attempts (ours).
  private func users(of handle: UInt8) -> [AdvertisementID] {
    guard isPowered else { return [] }
    let isFixed = !controller.isExtended && duePlan != nil
    return advertising.users(of: handle).filter { id in
      guard let advertisement = advertising[id] else { return false }
      return !advertisement.isDeferred && !(isFixed && advertisement.address != nil)
    }
  }

  private func user(of handle: UInt8) -> AdvertisementID? {
    let users = users(of: handle)
    return users.first { $0 == advertising.turn?.id } ?? users.first
  }

  private func plan(for id: AdvertisementID, in handle: UInt8) -> Plan? {
    guard let advertisement = advertising[id] else { return nil }
    let packets = advertisement.packets
    var plan = Plan(
      address: advertisement.address ?? address, data: packets.data,
      response: packets.properties.contains(.scannable) ? packets.scanResponse : [])
    let isShared = packets.isOwn && advertising.users(of: handle).count > 1
    let interval = isShared ? min(packets.interval, AdvertisingSlots.turnInterval) : packets.interval
    // Before Bluetooth 5 packets to which nobody connects have at least 100 ms (7.8.5).
    let least = controller.version.hci < 9 && !packets.isConnectable ? 0xA0 : 0x20
    let units = min(max(Self.advertisingUnits(interval), least), controller.isExtended ? 0xFF_FFFF : 0x4000)
    plan.parameters.set = handle
    plan.parameters.properties = packets.properties
    (plan.parameters.least, plan.parameters.most) = (units, units)
    plan.parameters.ownType = plan.address.isRandom ? 1 : 0
    return plan
  }

  /// The random address that the advertisement needs whose turn it is; nil with sets, which have their own.
  var legacyAddress: DeviceAddress? {
    guard !controller.isExtended, let id = user(of: 0) else { return nil }
    return advertising[id]?.address
  }

  /// The nearest number of units of 0.625 ms.
  static func advertisingUnits(_ duration: Duration) -> Int {
    Int(min(duration / .microseconds(625), 0xFF_FFFF).rounded())
  }

  mutating func nextAdvertisingCommand() -> ControllerCommand? {
    let isPaused = attempt.needsSilence
    for handle in advertising.handles {
      let users = users(of: handle)
      if users.count > 1 { advertising.advanceTurn(among: users, at: now) }
      if let command = nextCommand(for: handle, isPaused: isPaused) { return command }
    }
    if advertising.handles.allSatisfy({ users(of: $0).count <= 1 }) { advertising.endTurns() }
    return nil
  }

  private mutating func nextCommand(for handle: UInt8, isPaused: Bool) -> ControllerCommand? {
    let slot = advertising.slots[handle] ?? AdvertisingSlots.Slot()
    guard slot.retry == nil else { return nil }
    guard !isPaused, let id = user(of: handle), let plan = plan(for: id, in: handle) else {
      if slot.isOn { return enableCommand(handle, isOn: false) }
      if isPaused { advertising.slots[handle]?.idleEnd = nil }
      return isPaused ? nil : retire(handle, slot)
    }
    if slot.isDirty { return slot.isOn ? enableCommand(handle, isOn: false) : remove(handle) }
    if let packets = advertising[id]?.packets, let reason = unsupported(packets) {
      refused(reason.opcode, reason.reason)
      refuse(id)
      return nextCommand(for: handle, isPaused: isPaused)
    }
    let isExtended = controller.isExtended
    let address = isExtended ? slot.address : appliedAddress
    let isOther = slot.parameters != plan.parameters || plan.address.isRandom && address != plan.address
    let isLong = [plan.data, plan.response].contains { $0.count > HCISetData.longest }
    let isNew = slot.data != plan.data || slot.response != plan.response
    let isLimited = advertising[id]?.lifetime != nil || advertising[id]?.events != nil
    if slot.isOn, isOther || isLong && isNew || isLimited && slot.user != id {
      return enableCommand(handle, isOn: false)
    }
    if isExtended, let parameters = slot.parameters, parameters.properties != plan.parameters.properties {
      return remove(handle)
    }
    if advertising.slots[handle] == nil { advertising.slots[handle] = slot }
    advertising.slots[handle]?.idleEnd = nil
    if slot.isOn, !isNew { began(id, in: handle) }
    advertising.slots[handle]?.user = id
    return nextSetupCommand(handle, slot, plan, id)
  }

  private func nextSetupCommand(
    _ handle: UInt8, _ slot: AdvertisingSlots.Slot, _ plan: Plan, _ id: AdvertisementID
  ) -> ControllerCommand? {
    if slot.parameters != plan.parameters {
      return command(.parameters(plan.parameters), handle, HCI.leSetExtendedAdvertisingParameters, plan.parameters)
        ?? ControllerCommand(
          HCI.leSetAdvertisingParameters, HCIAdvertisingParameters(plan.parameters),
          for: .slot(handle, .parameters(plan.parameters)))
    }
    if controller.isExtended, plan.address.isRandom, slot.address != plan.address {
      return command(
        .address(plan.address), handle, HCI.leSetAdvertisingSetRandomAddress, HCISetAddress(handle, plan.address))
    }
    // The address waits for the end of an attempt.
    if !controller.isExtended, plan.address.isRandom, appliedAddress != plan.address { return nil }
    if slot.data != plan.data { return dataCommand(handle, slot, plan.data, isResponse: false) }
    if slot.response != plan.response { return dataCommand(handle, slot, plan.response, isResponse: true) }
    return slot.isOn ? nil : enableCommand(handle, isOn: true, advertising[id])
  }

  /// Nil without sets.
  private func command<Parameters, Returns>(
    _ step: SlotStep, _ handle: UInt8, _ type: HCICommandType<Parameters, Returns>, _ parameters: Parameters
  ) -> ControllerCommand? {
    controller.isExtended ? ControllerCommand(type, parameters, for: .slot(handle, step)) : nil
  }

  /// The next part of data that one command may have no room for (7.8.54).
  private func dataCommand(
    _ handle: UInt8, _ slot: AdvertisingSlots.Slot, _ data: [UInt8], isResponse: Bool
  ) -> ControllerCommand {
    guard controller.isExtended else {
      return ControllerCommand(
        isResponse ? HCI.leSetScanResponseData : HCI.leSetAdvertisingData, HCILegacyData(data),
        for: .slot(handle, .data(data, count: data.count, isResponse: isResponse)))
    }
    let start = slot.partial.map { $0.data == data ? $0.count : 0 } ?? 0
    let part = Array(data[start...].prefix(HCISetData.longest))
    let end = start + part.count
    let operation: UInt8 =
      switch (start == 0, end == data.count) {
      case (true, true): 3
      case (true, false): 1
      case (false, true): 2
      case (false, false): 0
      }
    return ControllerCommand(
      isResponse ? HCI.leSetExtendedScanResponseData : HCI.leSetExtendedAdvertisingData,
      HCISetData(handle, operation: operation, part),
      for: .slot(handle, .data(data, count: end, isResponse: isResponse)))
  }

  func enableCommand(
    _ handle: UInt8, isOn: Bool, _ advertisement: AdvertisingSlots.Advertisement? = nil
  ) -> ControllerCommand {
    let step = isOn ? SlotStep.enable : .disable
    var enable = HCISetsEnable(isOn, [handle])
    if let lifetime = advertisement?.lifetime {
      enable.sets[0].duration = UInt16(max(1, min(lifetime / .milliseconds(10), 0xFFFF)))
    }
    if let events = advertisement?.events { enable.sets[0].events = UInt8(clamping: max(1, events)) }
    return command(step, handle, HCI.leSetExtendedAdvertisingEnable, enable)
      ?? ControllerCommand(HCI.leSetAdvertisingEnable, HCIFlag(isOn), for: .slot(handle, step))
  }

  /// A set without a user is removed after a while.
  private mutating func retire(_ handle: UInt8, _ slot: AdvertisingSlots.Slot) -> ControllerCommand? {
    guard advertising.slots[handle] != nil else { return nil }
    let end = slot.idleEnd ?? now + AdvertisingSlots.idleTime
    advertising.slots[handle]?.idleEnd = end
    return slot.isDirty || end <= now ? remove(handle) : nil
  }

  /// Without sets there is nothing to remove.
  private mutating func remove(_ handle: UInt8) -> ControllerCommand? {
    if let command = command(.remove, handle, HCI.leRemoveAdvertisingSet, HCINumber(handle)) { return command }
    advertising.slots[handle] = nil
    return nextCommand(for: handle, isPaused: false)
  }

  /// Why the controller cannot send the packets.
  private func unsupported(_ packets: AdvertisingPackets) -> ControllerRefusal? {
    let isTooLong = max(packets.data.count, packets.scanResponse.count) > HCILegacyData.longest
    guard packets.isExtended ? !controller.isExtended : isTooLong else { return nil }
    return ControllerRefusal(HCI.leSetExtendedAdvertisingData.opcode.rawValue, .unsupported)
  }

  // MARK: Answers

  mutating func completed(_ step: SlotStep, of handle: UInt8, status: UInt8?) {
    guard let slot = advertising.slots[handle] else { return }
    var isRefused = status != nil && status != 0
    switch step {
    case .parameters(let parameters):
      advertising.slots[handle]?.parameters = parameters
      isRefused = status != 0
    case .address(let address): advertising.slots[handle]?.address = address
    case .data(let data, let count, let isResponse):
      advertising.slots[handle]?.partial = count == data.count ? nil : (data, count)
      guard count == data.count else { break }
      if isResponse {
        advertising.slots[handle]?.response = data
      } else {
        advertising.slots[handle]?.data = data
      }
    case .enable:
      // Without an answer the set may be on.
      advertising.slots[handle]?.isOn = status == nil || status == 0
      isRefused = status != 0
      if !isRefused, let user = slot.user { began(user, in: handle) }
    case .disable:
      let isOff = status == 0 || status == HCIError.unknownAdvertisingSet.rawValue
      advertising.slots[handle]?.isOn = !isOff
      advertising.slots[handle]?.retry = isOff ? nil : now + Self.retryTime
      return
    case .remove:
      advertising.slots[handle] = nil
      return
    }
    guard isRefused else { return }
    advertising.slots[handle]?.isDirty = true
    guard let user = slot.user else { return }
    guard let status, Self.isOfLinks(status), !links.isEmpty else { return refuse(user) }
    advertising.defer(user)
    resumption = resumption ?? now + Self.resumptionTime
  }

  /// Whether the error may be that the controller cannot advertise beside a link: Command Disallowed, or too many of
  /// something.
  static func isOfLinks(_ status: UInt8) -> Bool { [0x07, 0x09, 0x0C, 0x0D].contains(status) }

  private mutating func refuse(_ id: AdvertisementID) {
    if advertising.remove(id) { outputs.append(.event(.advertisementRefused(id))) }
  }

  private mutating func began(_ id: AdvertisementID, in handle: UInt8) {
    guard let advertisement = advertising[id], advertisement.slot == handle else { return }
    advertising.beginTurn(of: id, at: now)
    guard !advertisement.isReported else { return }
    advertising.reported(id)
    outputs.append(.event(.advertising(id)))
  }

  // MARK: Ends

  /// Takes LE Advertising Set Terminated.
  mutating func setTerminated(_ event: HCISetTerminated) {
    guard event.status != 0 else { return setAnswered(event.set, by: event.handle) }
    guard let slot = advertising.slots[event.set], slot.isOn else { return }
    advertising.slots[event.set]?.isOn = false
    guard let id = slot.user, let advertisement = advertising[id],
      advertisement.lifetime != nil || advertisement.events != nil
    else { return }
    advertising.remove(id)
    outputs.append(.event(.advertisementReleased(id, events: Int(event.events))))
  }

  /// A central has answered the advertisement of a set, which is off now.
  ///
  /// - Returns: the address of the set, and its advertisement.
  mutating func endSet(_ handle: UInt8) -> (DeviceAddress?, AdvertisementID?) {
    guard let slot = advertising.slots[handle] else { return (nil, nil) }
    advertising.slots[handle]?.isOn = false
    if let user = slot.user { advertising.remove(user) }
    let isRandom = slot.parameters?.ownType == 1
    return (isRandom ? controller.isExtended ? slot.address : appliedAddress : nil, slot.user)
  }

  /// The sets to which a central can connect now.
  var connectableSets: [UInt8] {
    advertising.slots.filter { $0.value.isOn && $0.value.parameters?.properties.contains(.connectable) == true }.keys
      .sorted()
  }
}

extension HCIAdvertisingParameters {
  /// The parameters of a set with legacy PDUs.
  fileprivate init(_ parameters: HCISetParameters) {
    self.init()
    (least, most) = (UInt16(clamping: parameters.least), UInt16(clamping: parameters.most))
    type = parameters.properties.contains(.connectable) ? 0 : parameters.properties.contains(.scannable) ? 2 : 3
    (ownType, channels) = (parameters.ownType, parameters.channels)
  }
}
