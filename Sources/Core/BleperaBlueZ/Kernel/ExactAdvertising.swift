import BleperaBluetooth
import BleperaRadio

/// Keeps an advertisement in one of the kernel's advertising instances, and leaves the instances of others alone.
///
/// Others are bluetoothd, which takes the lowest number that is free in its own table without asking the kernel, and
/// programs that use the management interface. The kernel lists no instance whose number exceeds their count, and adds
/// an instance that exists in place of the old one, which it reports to nobody. So *placeholders*, which send nothing,
/// are added from the lowest number that is not listed up, which is always free, until every instance is listed.
///
/// bluetoothd counts *ghosts*: advertisements of programs that have left the bus while it registered them. Where the
/// kernel lists fewer instances than bluetoothd counts, the kernel is right, and a number that is not listed is free.
///
/// At most one command is in progress.
struct ExactAdvertising: Sendable {
  enum Event: Hashable, Sendable {
    case wanted(RadioAdvertisement?)
    /// The adapter is there, with or without power; nil without it.
    case adapter(isPowered: Bool?)
    case reply(Result<[UInt8], ManagementFailure>)
    /// Another program has added or removed an instance.
    case added(UInt8)
    case removed(UInt8, byOthers: Bool = true)
    /// The number of advertisements that bluetoothd counts for other programs.
    case registered(Int)
    /// A central has connected, which ends the advertising of the instance.
    case connected
    case retryDue
  }

  enum Action: Hashable, Sendable {
    case send(ManagementCommand)
    /// The instances that are ours from now on, placeholders too.
    case hold(Set<UInt8>)
    case advertising
    /// Nothing is on the air, as wanted.
    case stopped
    case lost
    case failed(ManagementFailure, count: Int)
    case retry(after: Duration)
    /// Whether exact packets are possible now; nil if they are.
    case obstacle(ManagementFailure?)
  }

  /// The kernel's content of our instance.
  private enum Content: Hashable, Sendable {
    case nothing
    /// The parameters of this advertisement, so that nothing is sent.
    case parameters(RadioAdvertisement)
    case all(RadioAdvertisement)
  }

  private static let busyDelay = Duration.milliseconds(20)
  private static let retryDelay = Duration.seconds(1)
  /// Ours: how often the kernel is asked for a free instance while bluetoothd advertises.
  private static let checkDelay = Duration.seconds(60)

  private var wanted: RadioAdvertisement?
  private var isPowered = false
  private var registered = 0
  /// How many of `registered` the kernel does not have, by the last list; an upper bound while instances are hidden.
  private(set) var ghosts = 0
  /// The number of instances that others have added since bluetoothd's last count.
  private var added = 0
  private(set) var obstacle: ManagementFailure?
  private var reportedObstacle: ManagementFailure?
  private(set) var instance: UInt8?
  private var content = Content.nothing
  /// Whether the controller may have a scan response, which stays there until the instance is removed.
  private var mayHaveResponse = false
  /// Whether a connection has ended the advertising.
  private var isStale = false
  private var placeholders: Set<UInt8> = []
  private var held: Set<UInt8> = []
  private var listing: (maximum: UInt8, listed: Set<UInt8>)?
  private var inProgress: (command: ManagementCommand, advertisement: RadioAdvertisement?)?
  private var isWaiting = false
  /// Whether the instances are listed to see if another choice is of use, and the list that last allowed one.
  private var isChecking = false
  private var checked: Set<UInt8>?
  private var failures = 0
  /// Whether `advertising`, or `stopped`, has been reported for the wanted advertisement.
  private var isReported = true

  /// Whether the wanted advertisement is on the air.
  var isOnAir: Bool { wanted.map { content == .all($0) } ?? false }

  /// Whether nothing is in progress or could be.
  var isSettled: Bool { inProgress == nil && !isWaiting && next == nil }

  mutating func handle(_ event: Event) -> [Action] {
    var actions: [Action] = []
    switch event {
    case .wanted(let advertisement):
      wanted = advertisement
      isReported = isOnAir
    case .adapter(let isPowered):
      self.isPowered = isPowered == true
      // The kernel removes every instance when it switches the adapter off.
      if isPowered != true {
        placeholders = []
        actions += forget() + retryChoice()
      }
      if isPowered == nil { (inProgress, isWaiting) = (nil, false) }
    case .reply(let result): actions += finish(result)
    case .added(let number):
      placeholders.remove(number)
      listing = nil
      added += 1
      if number == instance { actions += forget() }
    case .removed(let number, let byOthers):
      placeholders.remove(number)
      listing = nil
      if number == instance { actions += forget() }
      if byOthers { actions += retryChoice() }
    case .registered(let count):
      let (isFewer, isOverwritten) = (count < registered, count - registered > added)
      (registered, ghosts, listing, added) = (count, min(ghosts, count), nil, 0)
      if isFewer { actions += retryChoice() }
      // bluetoothd has our number already.
      if let instance, registered >= instance, isOverwritten { actions += forget() }
    case .connected: isStale = content != .nothing
    case .retryDue: (isWaiting, isChecking) = (false, obstacle?.isFinal == false)
    }
    return actions + advance()
  }

  // MARK: Steps

  private mutating func advance() -> [Action] {
    var actions: [Action] = []
    while inProgress == nil, !isWaiting, let step = next {
      switch step {
      case .send(let command):
        inProgress = (command, wanted)
        if case .addData(_, _, let response) = command, !response.isEmpty { mayHaveResponse = true }
        actions += hold() + [.send(command)]
      case .take(let number):
        placeholders.remove(number)
        instance = number
        actions += report(obstacle: nil)
      case .giveUp(let failure): actions += report(obstacle: failure) + [.retry(after: Self.checkDelay)]
      }
    }
    actions += hold()
    if wanted == nil, instance == nil, !isReported, inProgress == nil {
      isReported = true
      actions.append(.stopped)
    }
    return actions
  }

  private enum Step: Equatable {
    case send(ManagementCommand)
    case take(UInt8)
    case giveUp(ManagementFailure)
  }

  /// Follows from the state alone; nil if all is as wanted.
  private var next: Step? {
    guard isPowered else { return nil }
    guard let wanted, obstacle == nil else { return ending ?? (isChecking ? .send(.readAdvertisingFeatures) : nil) }
    guard let instance else { return choice }
    if let rest = placeholders.min() { return .send(.removeAdvertising(instance: rest)) }
    if isNeeded(instance) { return .send(.removeAdvertising(instance: instance)) }
    let data = ManagementCommand.addData(
      instance: instance, advertisingData: wanted.advertisingData.bytes, scanResponse: wanted.scanResponse.bytes)
    switch content {
    case .all(wanted): return isStale ? .send(data) : nil
    case _ where mayHaveResponse && wanted.scanResponse.bytes.isEmpty:
      return .send(.removeAdvertising(instance: instance))
    case .parameters(let old) where old.interval == wanted.interval: return .send(data)
    case .all(let old) where old.interval == wanted.interval && old.differsOnce(from: wanted): return .send(data)
    case .nothing, .parameters, .all: return .send(.addParameters(instance: instance, wanted.interval))
    }
  }

  /// Removes our instance and the placeholders.
  private var ending: Step? {
    (placeholders.min() ?? instance).map { .send(.removeAdvertising(instance: $0)) }
  }

  /// The highest free number, as bluetoothd takes the lowest.
  private var choice: Step? {
    guard let listing else { return .send(.readAdvertisingFeatures) }
    let all = Set(0...listing.maximum).subtracting([0])
    if ghosts > 0 || !isNeeded(listing.maximum), let free = all.subtracting(listing.listed).min() {
      return .send(.addParameters(instance: free, nil))
    }
    if let number = placeholders.filter({ !isNeeded($0) }).max() { return .take(number) }
    // Placeholders are removed before bluetoothd is asked to advertise, whose instance may have the number of one.
    return placeholders.min().map { .send(.removeAdvertising(instance: $0)) } ?? .giveUp(.noInstance)
  }

  /// Whether bluetoothd takes the number for the next advertisement that it gets, or has taken it. It never takes the
  /// number of a ghost.
  private func isNeeded(_ number: UInt8) -> Bool {
    ghosts > 0 ? registered + 1 == Int(number) : registered + 1 >= Int(number)
  }

  /// Notes the instances to remove where the phone's process ends.
  private mutating func hold() -> [Action] {
    var ours = placeholders.union([instance].compactMap(\.self))
    if case .addParameters(let number, nil)? = inProgress?.command { ours.insert(number) }
    guard ours != held else { return [] }
    held = ours
    return [.hold(ours)]
  }

  // MARK: Replies

  private mutating func finish(_ result: Result<[UInt8], ManagementFailure>) -> [Action] {
    guard let (command, advertisement) = inProgress else { return [] }
    inProgress = nil
    do throws(ManagementFailure) {
      return succeed(command, advertisement, try result.get())
    } catch {
      if case .removeAdvertising = command, error == .invalidParameters { return succeed(command, nil, []) }
      return fail(error)
    }
  }

  private mutating func succeed(
    _ command: ManagementCommand, _ advertisement: RadioAdvertisement?, _ reply: [UInt8]
  ) -> [Action] {
    switch command {
    case .readAdvertisingFeatures: return list(ManagementCommand.instances(in: reply))
    case .addParameters(let number, nil):
      placeholders.insert(number)
      listing = nil
    case .addParameters(instance, _): content = advertisement.map { .parameters($0) } ?? .nothing
    case .addData(instance, _, _):
      (content, isStale, failures) = (advertisement.map { .all($0) } ?? .nothing, false, 0)
      guard isOnAir, !isReported else { break }
      isReported = true
      return [.advertising]
    case .removeAdvertising(instance):
      (content, mayHaveResponse, isStale) = (.nothing, false, false)
      // The number stays ours where it is to have the next advertisement.
      if let number = instance, wanted == nil || obstacle != nil || isNeeded(number) {
        (instance, listing) = (nil, nil)
      }
    case .removeAdvertising(let number): placeholders.remove(number)
    default: break
    }
    return []
  }

  private mutating func list(_ new: (maximum: UInt8, listed: Set<UInt8>)?) -> [Action] {
    listing = new
    guard let (maximum, listed) = new else { return fail(.status(0)) }
    guard isChecking, obstacle != nil else {
      ghosts = max(0, registered - listed.subtracting(placeholders).count)
      return []
    }
    isChecking = false
    // bluetoothd's own advertisement for us is off the air while we choose.
    guard listed.count < maximum, listed != checked else { return [.retry(after: Self.checkDelay)] }
    checked = listed
    return retryChoice()
  }

  private mutating func fail(_ failure: ManagementFailure) -> [Action] {
    if failure.isFinal { return report(obstacle: failure) }
    if isChecking {
      isChecking = false
      return [.retry(after: Self.checkDelay)]
    }
    guard isPowered else { return [] }
    isWaiting = true
    listing = nil
    // bluetoothd is about to change an instance.
    if failure == .busy { return [.retry(after: Self.busyDelay)] }
    failures += 1
    isReported = false
    content = .nothing
    return [.failed(failure, count: failures), .retry(after: Self.retryDelay)]
  }

  private mutating func report(obstacle new: ManagementFailure?) -> [Action] {
    obstacle = new
    guard new != reportedObstacle else { return [] }
    reportedObstacle = new
    return [.obstacle(new)]
  }

  /// An instance may be free now, once bluetoothd has removed the advertisement that replaces ours.
  private mutating func retryChoice() -> [Action] {
    listing = nil
    guard obstacle?.isFinal == false else { return [] }
    (isWaiting, isChecking) = (true, false)
    return report(obstacle: nil) + [.retry(after: Self.retryDelay)]
  }

  // MARK: Losses

  /// The instance is no longer ours.
  private mutating func forget() -> [Action] {
    let wasOnAir = instance != nil && isReported && wanted != nil && content != .nothing
    (instance, content, mayHaveResponse, isStale, listing) = (nil, .nothing, false, false, nil)
    guard wasOnAir else { return [] }
    isReported = false
    return [.lost]
  }
}

extension RadioAdvertisement {
  /// Whether only the advertising data or only the scan response differs: the controller gets either by a command of
  /// its own, while it advertises.
  fileprivate func differsOnce(from other: RadioAdvertisement) -> Bool {
    advertisingData == other.advertisingData || scanResponse == other.scanResponse
  }
}
