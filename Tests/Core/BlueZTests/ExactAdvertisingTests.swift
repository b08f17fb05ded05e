import BleperaBluetooth
import BleperaRadio
import Testing

@testable import BleperaBlueZ

/// `ModelKernel` has what Linux does with instances, as measured on 6.1, 6.12 and 7.2.
@Suite("An advertisement in an instance of the kernel's")
struct ExactAdvertisingTests {
  static let front = advertisement("02011A020A0C03030D18", "", 181.25)
  static let back = advertisement("02011A020A0C", "14FF4C000100000000000000000000000000000000", 270)
  static let renamed = advertisement("02011A020A0C03030D1803094142", "", 181.25)

  @Test(arguments: [[], [1], [1, 2], [3], [2], [1, 3], [2, 3]] as [Set<UInt8>])
  func `the highest free instance is used, and the instances of other programs are unchanged`(others: Set<UInt8>) {
    var kernel = ModelKernel(others: others)
    kernel.handle(.registered(0))
    kernel.handle(.adapter(isPowered: true))
    kernel.handle(.wanted(Self.front))
    let free = Set(1...3 as ClosedRange<UInt8>).subtracting(others).max() ?? 0
    #expect(kernel.machine.instance == (free > 1 ? free : nil))
    #expect(kernel.instances.filter { $0.value == .others }.keys.sorted() == others.sorted())
    #expect(kernel.instances.count == others.count + (free > 1 ? 1 : 0), "no placeholder stays")
    if free > 1 { #expect(kernel.onAir == [free: Self.front]) }
    kernel.handle(.wanted(nil))
    #expect(kernel.instances == Dictionary(uniqueKeysWithValues: others.map { ($0, .others) }))
  }

  @Test
  func `a change of interval and data is a change of parameters and of data`() {
    var kernel = ModelKernel.advertising(Self.front)
    kernel.commands = []
    kernel.handle(.wanted(Self.back))
    #expect(kernel.commands.map(\.code) == [0x54, 0x55])
    #expect(kernel.onAir == [3: Self.back])
    #expect(kernel.reports == [.advertising])
  }

  @Test
  func `what the phone sends of its own and what apps advertise take turns in one instance`() {
    let own = RadioAdvertisement(
      advertisingData: Self.back.advertisingData, scanResponse: AdvertisingData(), interval: Self.back.interval,
      isOwn: true)
    var kernel = ModelKernel.advertising(own)
    for advertisement in [Self.back, Self.front, own, Self.front, own] {
      kernel.handle(.wanted(advertisement))
      #expect(kernel.instances.count == 1 && kernel.onAir[3]?.interval == advertisement.interval)
      #expect(kernel.onAir[3]?.advertisingData == advertisement.advertisingData)
      #expect(kernel.onAir[3]?.scanResponse == advertisement.scanResponse)
    }
    kernel.handle(.wanted(nil))
    #expect(kernel.instances.isEmpty)
  }

  @Test
  func `a scan response goes with its instance`() {
    var kernel = ModelKernel.advertising(Self.back)
    kernel.commands = []
    kernel.handle(.wanted(Self.front))
    #expect(kernel.commands.map(\.code) == [0x3F, 0x54, 0x55])
    #expect(kernel.onAir == [3: Self.front])
    #expect(kernel.held == [[3]], "the number stays ours")
  }

  @Test
  func `where one of the data changes, one command replaces it`() {
    var kernel = ModelKernel.advertising(Self.front)
    kernel.commands = []
    kernel.handle(.wanted(Self.renamed))
    #expect(kernel.commands.map(\.code) == [0x55])
    #expect(kernel.onAir == [3: Self.renamed])
  }

  @Test
  func `a request during a command is on the air after it`() {
    var kernel = ModelKernel.advertising(Self.front)
    kernel.isPaused = true
    kernel.handle(.wanted(Self.back))
    kernel.handle(.wanted(Self.renamed))
    kernel.handle(.wanted(Self.back))
    kernel.handle(.wanted(Self.renamed))
    kernel.resume()
    #expect(kernel.onAir == [3: Self.renamed])
    #expect(kernel.machine.isOnAir)
    #expect(kernel.reports == [.advertising])
  }

  @Test
  func `the instance is added again after a power cycle, a removal by another program, and a connection`() {
    var kernel = ModelKernel.advertising(Self.front)
    kernel.powerOff()
    #expect(kernel.reports == [.lost])
    #expect(!kernel.machine.isOnAir)
    kernel.handle(.adapter(isPowered: true))
    #expect(kernel.onAir == [3: Self.front])
    #expect(kernel.reports == [.lost, .advertising])
    kernel.instances = [:]
    kernel.handle(.removed(3))
    #expect(kernel.onAir == [3: Self.front])
    #expect(kernel.reports == [.lost, .advertising, .lost, .advertising])
    kernel.commands = []
    kernel.handle(.connected)
    #expect(kernel.commands.map(\.code) == [0x55], "the kernel enables it again")
    #expect(kernel.reports == [.lost, .advertising, .lost, .advertising], "nothing is reported")
  }

  @Test
  func `the instance moves before bluetoothd takes its number, and advertising fails where none is free`() {
    var kernel = ModelKernel(others: [3])
    kernel.handle(.adapter(isPowered: true))
    kernel.handle(.wanted(Self.front))
    #expect(kernel.onAir == [2: Self.front])
    kernel.instances[3] = nil
    kernel.handle(.removed(3))
    kernel.instances[1] = .others
    kernel.handle(.added(1))
    kernel.handle(.registered(1))
    #expect(kernel.onAir == [3: Self.front])
    kernel.instances[2] = .others
    kernel.handle(.registered(2))
    #expect(kernel.instances == [1: .others, 2: .others])
    #expect(kernel.machine.obstacle == .noInstance)
    #expect(kernel.obstacles == [.noInstance])
    kernel.instances[2] = nil
    kernel.handle(.removed(3, byOthers: false))
    kernel.handle(.registered(1))
    #expect(kernel.delays == [.seconds(60), .seconds(1)])
    kernel.handle(.retryDue)
    #expect(kernel.onAir == [3: Self.front])
    #expect(kernel.obstacles == [.noInstance, nil])
  }

  /// The number of advertisements that bluetoothd counts, the kernel's other instances, and ours. Of three instances,
  /// bluetoothd next takes the lowest that is free in its own table.
  static let counts: [(counted: Int, others: Set<UInt8>, ours: UInt8?, ghosts: Int)] = [
    (1, [], 3, 1), (2, [], 2, 2), (3, [], 3, 3), (2, [1], 2, 1), (2, [2], 1, 1), (3, [1, 2], 3, 1), (3, [2, 3], 1, 1),
    (1, [3], nil, 0), (2, [2, 3], nil, 0), (2, [1, 2], nil, 0), (3, [1, 2, 3], nil, 0), (0, [2, 3], nil, 0),
  ]

  @Test(arguments: counts)
  func `an advertisement that only bluetoothd counts has no instance`(
    counted: Int, others: Set<UInt8>, ours: UInt8?, ghosts: Int
  ) {
    var kernel = ModelKernel(others: others)
    kernel.handle(.registered(counted))
    kernel.handle(.adapter(isPowered: true))
    kernel.handle(.wanted(Self.front))
    #expect(kernel.machine.instance == ours)
    #expect(kernel.machine.ghosts == ghosts)
    #expect(kernel.onAir.keys.sorted() == [ours].compactMap(\.self))
    #expect(kernel.instances.count == others.count + kernel.onAir.count, "no placeholder stays")
    // Power off and on.
    kernel.powerOff()
    kernel.instances = Dictionary(uniqueKeysWithValues: others.map { ($0, .others) })
    kernel.handle(.adapter(isPowered: true))
    kernel.handle(.retryDue)
    #expect(kernel.machine.instance == ours)
  }

  @Test
  func `beside ghosts the instance stays while bluetoothd adds others, and is given up where one takes its number`() {
    var kernel = ModelKernel(others: [])
    kernel.handle(.registered(2))
    kernel.handle(.adapter(isPowered: true))
    kernel.handle(.wanted(Self.front))
    #expect(kernel.onAir == [2: Self.front])
    kernel.commands = []
    for _ in 1...2 {
      kernel.instances[3] = .others
      kernel.handle(.added(3))
      kernel.handle(.registered(3))
      kernel.instances[3] = nil
      kernel.handle(.removed(3))
      kernel.handle(.registered(2))
    }
    #expect(kernel.commands.isEmpty && kernel.reports == [.advertising])
    // The ghosts have 1 and 3, after all, so that nothing was added.
    kernel.instances[2] = .others
    kernel.handle(.registered(3))
    #expect(kernel.instances == [2: .others, 3: .complete(Self.front)])
    #expect(kernel.reports == [.advertising, .lost, .advertising])
    #expect(kernel.obstacles.isEmpty)
    // bluetoothd has restarted.
    kernel.instances = [:]
    kernel.handle(.removed(3))
    kernel.handle(.registered(0))
    #expect(kernel.machine.ghosts == 0 && kernel.onAir == [3: Self.front])
  }

  @Test
  func `what a program removes without bluetoothd does not make the next registration one of ours`() {
    var kernel = ModelKernel(others: [1])
    kernel.handle(.registered(2))
    kernel.handle(.adapter(isPowered: true))
    kernel.handle(.wanted(Self.front))
    #expect(kernel.onAir == [2: Self.front])
    kernel.instances[1] = nil
    kernel.handle(.removed(1))
    kernel.instances[3] = .others
    kernel.handle(.added(3))
    kernel.handle(.registered(3))
    #expect(kernel.onAir == [2: Self.front] && kernel.reports == [.advertising])
  }

  @Test
  func `while bluetoothd advertises, a free instance is noticed within a minute, and tried once`() {
    var kernel = ModelKernel(others: [1, 2, 3])
    kernel.handle(.adapter(isPowered: true))
    kernel.handle(.wanted(Self.front))
    kernel.commands = []
    kernel.handle(.retryDue)
    #expect(kernel.commands == [.readAdvertisingFeatures] && kernel.delays == [.seconds(60), .seconds(60)])
    // Nothing is said of the ends of 1 and 2; 3 is not listed any more.
    kernel.instances = [3: .others]
    kernel.handle(.registered(1))
    kernel.handle(.retryDue)
    #expect(kernel.obstacles == [.noInstance, nil] && kernel.delays.last == .seconds(1))
    kernel.handle(.retryDue)
    #expect(kernel.obstacles == [.noInstance, nil, .noInstance], "2 is bluetoothd's next")
    for _ in 1...2 { kernel.handle(.retryDue) }
    #expect(kernel.obstacles.count == 3 && kernel.delays.last == .seconds(60))
    kernel.instances = [:]
    kernel.handle(.registered(0))
    kernel.handle(.retryDue)
    #expect(kernel.onAir == [3: Self.front])
  }

  @Test
  func `whatever is added is held before, for what removes it when the phone is killed`() {
    var kernel = ModelKernel(others: [2])
    kernel.isPaused = true
    kernel.handle(.adapter(isPowered: true))
    kernel.handle(.wanted(Self.front))
    while kernel.machine.instance == nil {
      kernel.step(1)
      let ours = kernel.instances.filter { $0.value != .others }.keys
      #expect(kernel.held.last?.isSuperset(of: ours) ?? ours.isEmpty)
    }
    kernel.resume()
    #expect(kernel.held == [[1], [1, 3], [3]])
    kernel.handle(.wanted(nil))
    #expect(kernel.held.last == [])
  }

  @Test
  func `a number that bluetoothd has taken is not removed`() {
    var kernel = ModelKernel.advertising(Self.front)
    kernel.instances = [1: .others, 2: .others, 3: .others]
    kernel.commands = []
    kernel.handle(.registered(3))
    #expect(!kernel.commands.contains(.removeAdvertising(instance: 3)))
    #expect(kernel.instances.count == 3)
    #expect(kernel.machine.obstacle == .noInstance)
  }

  @Test(arguments: [([2, 3], 1), ([1, 2], 3)] as [(others: Set<UInt8>, number: UInt8)])
  func `the instance that bluetoothd adds in place of ours stays`(others: Set<UInt8>, number: UInt8) {
    var kernel = ModelKernel(others: others)
    kernel.numberOfReplacement = number
    kernel.handle(.registered(number == 3 ? 2 : 0))
    kernel.handle(.adapter(isPowered: true))
    kernel.handle(.wanted(Self.front))
    #expect(kernel.obstacles == [.noInstance])
    #expect(kernel.instances == [1: .others, 2: .others, 3: .others])
  }

  @Test
  func `a placeholder that bluetoothd has overwritten is its own`() {
    var kernel = ModelKernel(others: [])
    kernel.isPaused = true
    kernel.handle(.adapter(isPowered: true))
    kernel.handle(.wanted(Self.front))
    kernel.step(2)
    #expect(kernel.instances == [1: .placeholder])
    kernel.instances[1] = .others
    kernel.handle(.added(1))
    kernel.resume()
    #expect(kernel.instances == [1: .others, 3: .complete(Self.front)])
  }

  @Test(arguments: [ManagementFailure.noCapability, .tooOld])
  func `without the capability or the command the reason is reported once`(failure: ManagementFailure) {
    var kernel = ModelKernel(others: [])
    kernel.refusal = failure
    kernel.handle(.adapter(isPowered: true))
    kernel.handle(.wanted(Self.front))
    kernel.handle(.wanted(Self.back))
    kernel.handle(.registered(1))
    kernel.handle(.registered(0))
    #expect(kernel.obstacles == [failure])
    #expect(kernel.commands.count == 1)
  }

  @Test
  func `a command is retried soon on a busy kernel, and a refusal is reported with its count`() {
    var kernel = ModelKernel.advertising(Self.front)
    kernel.refusal = .busy
    kernel.handle(.wanted(Self.back))
    #expect(kernel.delays == [.milliseconds(20)])
    kernel.handle(.retryDue)
    kernel.refusal = .status(0x03)
    kernel.handle(.retryDue)
    kernel.handle(.retryDue)
    #expect(kernel.reports == [.failed(.status(0x03), count: 1), .failed(.status(0x03), count: 2)])
    kernel.refusal = nil
    kernel.handle(.retryDue)
    #expect(kernel.onAir == [3: Self.back])
    #expect(kernel.reports.last == .advertising)
  }

  @Test
  func `isSettled is true only when no command is in progress`() {
    var kernel = ModelKernel(others: [])
    #expect(kernel.machine.isSettled)
    kernel.isPaused = true
    kernel.handle(.adapter(isPowered: true))
    kernel.handle(.wanted(Self.front))
    #expect(!kernel.machine.isSettled)
    kernel.resume()
    #expect(kernel.machine.isSettled)
    kernel.isPaused = true
    kernel.handle(.wanted(nil))
    #expect(!kernel.machine.isSettled)
    kernel.resume()
    #expect(kernel.machine.isSettled)
    #expect(kernel.reports == [.advertising, .stopped])
  }

  private static func advertisement(_ data: String, _ response: String, _ interval: Double) -> RadioAdvertisement {
    RadioAdvertisement(
      advertisingData: AdvertisingData(leniently: Hex.bytes(data) ?? []),
      scanResponse: AdvertisingData(leniently: Hex.bytes(response) ?? []),
      interval: AdvertisingInterval(clamping: interval))
  }
}

/// Three instances of an adapter, and the machine that uses one of them.
private struct ModelKernel {
  enum Instance: Hashable {
    case others
    case placeholder
    case parameters(AdvertisingInterval)
    case complete(RadioAdvertisement)
  }

  var machine = ExactAdvertising()
  var instances: [UInt8: Instance] = [:]
  var commands: [ManagementCommand] = []
  /// All other actions than commands.
  var reports: [ExactAdvertising.Action] = []
  var held: [Set<UInt8>] = []
  var obstacles: [ManagementFailure?] = []
  var delays: [Duration] = []
  var refusal: ManagementFailure?
  var isPaused = false
  /// The number that bluetoothd takes for the phone's advertisement, as soon as none is free for exact packets.
  var numberOfReplacement: UInt8?
  private var waiting: [ManagementCommand] = []
  /// The scan response that the controller keeps of an instance until the instance is removed.
  private var responses: [UInt8: [UInt8]] = [:]

  init(others: Set<UInt8>) {
    for number in others { instances[number] = .others }
  }

  /// A kernel without other instances, whose reports so far are dropped.
  static func advertising(_ advertisement: RadioAdvertisement) -> ModelKernel {
    var kernel = ModelKernel(others: [])
    kernel.handle(.adapter(isPowered: true))
    kernel.handle(.wanted(advertisement))
    (kernel.reports, kernel.held, kernel.commands) = ([], [[3]], [])
    return kernel
  }

  var onAir: [UInt8: RadioAdvertisement] {
    instances.compactMapValues { if case .complete(let advertisement) = $0 { advertisement } else { nil } }
  }

  mutating func powerOff() {
    instances = [:]
    responses = [:]
    handle(.adapter(isPowered: false))
  }

  mutating func resume() {
    isPaused = false
    run()
  }

  mutating func step(_ count: Int) {
    for _ in 0..<count where !waiting.isEmpty { answer(waiting.removeFirst()) }
  }

  mutating func handle(_ event: ExactAdvertising.Event) {
    for action in machine.handle(event) {
      switch action {
      case .send(let command):
        commands.append(command)
        waiting.append(command)
      case .hold(let numbers): held.append(numbers)
      case .obstacle(let failure):
        obstacles.append(failure)
        if failure != nil, let numberOfReplacement { instances[numberOfReplacement] = .others }
      case .retry(let delay): delays.append(delay)
      case .advertising, .stopped, .lost, .failed: reports.append(action)
      }
    }
    run()
  }

  private mutating func run() {
    while !isPaused, !waiting.isEmpty { answer(waiting.removeFirst()) }
  }

  private mutating func answer(_ command: ManagementCommand) {
    if let refusal { return handle(.reply(.failure(refusal))) }
    switch command {
    case .readAdvertisingFeatures:
      let listed = instances.keys.filter { $0 <= instances.count }.sorted()
      handle(.reply(.success([0, 0, 0, 0, 31, 31, 3, UInt8(listed.count)] + listed)))
    case .removeAdvertising(let number):
      responses[number] = nil
      let had = instances.removeValue(forKey: number) != nil
      handle(.reply(had ? .success([number]) : .failure(.invalidParameters)))
    case .addParameters(let number, let interval):
      instances[number] = interval.map { .parameters($0) } ?? .placeholder
      handle(.reply(.success([number, 127, 31, 31])))
    case .addData(let number, let data, let response):
      let interval: AdvertisingInterval? =
        switch instances[number] {
        case .parameters(let interval): interval
        case .complete(let old): old.interval
        case .others, .placeholder, nil: nil
        }
      guard let interval else { return handle(.reply(.failure(.invalidParameters))) }
      if !response.isEmpty { responses[number] = response }
      instances[number] = .complete(
        RadioAdvertisement(
          advertisingData: AdvertisingData(leniently: data),
          scanResponse: AdvertisingData(leniently: responses[number] ?? []), interval: interval))
      handle(.reply(.success([number])))
    case .readControllerInformation, .readDefaults, .setDefaultInterval:
      Issue.record("not a command of advertising: \(command)")
    }
  }
}
