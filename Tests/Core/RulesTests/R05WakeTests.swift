import BleperaBluetooth
import BleperaRules
import Testing

@Suite("R5: an app with the background mode")
struct R05WakeTests {
  @Test("Each event has its actions", arguments: table) func traces(trace: Trace) {
    #expect(trace.differences() == [])
  }

  @Test(
    "With another wake time the wake of an idle app ends then, and the wake of a busy app with its budget",
    arguments: [0, 0.5, 10, 30], [true, false])
  func wakeTime(seconds: Double, isIdle: Bool) {
    let app = AppID(rawValue: 1)
    var policy = Policy(rules: RuleSet.newest.with(wakeTime: .seconds(seconds)))
    _ = policy.launch(app, AppIdentity(name: "app", hasBackgroundMode: true))
    var events: [Policy.Event] = [.suspend(app), .notice(app, EventID(rawValue: 1), .subscribe)]
    if isIdle { events.append(.becameIdle(app)) }
    var actions: [Policy.Action] = []
    for event in events { actions = policy.handle(event, at: .zero) }
    if let deadline = policy.nextDeadline {
      #expect(deadline == .seconds(isIdle ? seconds : 10))
      actions = policy.handle(.deadline, at: deadline)
    }
    #expect(actions.contains(.setState(app, .suspended, isIdle ? .finished : .wakeBudgetExpired)))
  }

  private static let table: [Trace] = [
    Trace(
      "an app that has finished is suspended as soon as it has responded", after: .suspended,
      """
      2 read a #1 -> a background wokenForRequest read, deliver a #1, schedule 6.5
      3 finished a
      4 answered a #1 -> a suspended finished, schedule never
      5 subscribe a #2 -> a background wokenForNotice subscribe, deliver a #2, schedule 15
      6 finished a -> a suspended finished, schedule never
      """),
    Trace(
      "an app whose queues are idle is suspended 10 s after its last event, which a response or a callback is not",
      after: .suspended,
      """
      2 subscribe a #1 -> a background wokenForNotice subscribe, deliver a #1, schedule 12
      3 becameIdle a
      7 subscribe a #2 -> deliver a #2, schedule 17
      7.1 becameIdle a
      16 callback a #3 -> deliver a #3
      16 ? budgetLeft a 1
      17 deadline -> a suspended finished, schedule never
      20 read a #4 -> a background wokenForRequest read, deliver a #4, schedule 24.5
      20.1 becameIdle a
      24 answered a #4 -> schedule 30
      30 deadline -> a suspended finished, schedule never
      """),
    Trace(
      "an app whose queues are not idle is suspended when its budget is over", after: .suspended,
      """
      2 subscribe a #1 -> a background wokenForNotice subscribe, deliver a #1, schedule 12
      3 becameIdle a
      7 subscribe a #2 -> deliver a #2, schedule 17
      17 deadline -> a suspended wakeBudgetExpired, schedule never
      """),
    Trace(
      "a background task keeps an idle app running, and after the wake time the app is suspended when the task ends",
      after: .suspended,
      """
      2 subscribe a #1 -> a background wokenForNotice subscribe, deliver a #1, schedule 12
      2 backgroundTaskBegan a 1 -> schedule 32
      2 becameIdle a
      7 backgroundTaskEnded a 1 -> schedule 12
      12 deadline -> a suspended finished, schedule never
      20 subscribe a #2 -> a background wokenForNotice subscribe, deliver a #2, schedule 30
      20 backgroundTaskBegan a 2 -> schedule 50
      20 becameIdle a
      35 backgroundTaskEnded a 2 -> a suspended finished, schedule never
      """),
    Trace(
      "an idle app that was relaunched is suspended 10 s after the event, too",
      """
      0 radio on
      1 launched a backgroundMode restorable -> a foreground launched
      2 terminated a crash -> a notRunning crash
      20 subscribe a #1 -> queue a #1, relaunch a wokenForNotice subscribe, schedule 30
      21 launched a backgroundMode restorable into background -> restore a, a background relaunched, deliver a #1,
        schedule 31
      21.5 becameIdle a
      25 unsubscribe a #2 -> deliver a #2, schedule 35
      25 becameIdle a
      35 deadline -> a suspended finished, schedule never
      """),
    Trace(
      "an idle app in the grace period keeps the whole grace period",
      """
      0 radio on
      1 launched a backgroundMode -> a foreground launched
      2 toBackground a -> a background userLeft, schedule 12
      3 becameIdle a
      12 deadline -> a suspended gracePeriodExpired, schedule never
      """),
    Trace(
      "a background task keeps an app running for up to 30 s, and the app is suspended when the task ends",
      """
      0 radio on
      1 launched a backgroundMode -> a foreground launched
      1 backgroundTaskBegan a 7
      2 toBackground a -> a background userLeft, schedule 32
      20 backgroundTaskEnded a 7 -> a suspended gracePeriodExpired, schedule never
      """),
    Trace(
      "each background task has 30 s of an app that events keep awake", after: .suspended,
      """
      2 subscribe a #1 -> a background wokenForNotice subscribe, deliver a #1, schedule 12
      11 unsubscribe a #2 -> deliver a #2, schedule 21
      20 subscribe a #3 -> deliver a #3, schedule 30
      29 unsubscribe a #4 -> deliver a #4, schedule 39
      30 backgroundTaskBegan a 1 -> schedule 60
      50 backgroundTaskEnded a 1 -> a suspended wakeBudgetExpired, schedule never
      """),
    Trace(
      "up to iOS 12 a background task keeps an app running for up to 180 s", ios: .ios12,
      """
      0 radio on
      1 launched a foregroundOnly -> a foreground launched
      1 backgroundTaskBegan a 7
      2 toBackground a -> a background userLeft, schedule 182
      181 backgroundTaskEnded a 7 -> a suspended gracePeriodExpired, schedule never
      """),
    Trace(
      "an app that has finished and has a background task runs until the task ends", after: .suspended,
      """
      2 subscribe a #1 -> a background wokenForNotice subscribe, deliver a #1, schedule 12
      3 backgroundTaskBegan a 1 -> schedule 33
      4 backgroundTaskBegan a 2
      5 finished a
      6 backgroundTaskEnded a 1 -> schedule 34
      7 backgroundTaskEnded a 2 -> a suspended finished, schedule never
      """),
    Trace(
      "an app stays on the air in the background and while suspended", after: .advertised,
      """
      2 toBackground a -> a background userLeft, air bits 61 background, schedule 12
      12 deadline -> a suspended gracePeriodExpired, schedule never
      12 ? intervalKind background
      20 toForeground a -> a foreground userBroughtToFront, air Fred 180D foreground
      """),
    Trace(
      "a read wakes a suspended app for 10 s", after: .suspended,
      """
      20 read a #1 -> a background wokenForRequest read, deliver a #1, schedule 24.5
      21 ? budgetLeft a 9
      21 answered a #1 -> schedule 30
      29.9 deadline
      30 deadline -> a suspended wakeBudgetExpired, schedule never
      """),
    Trace(
      "a write, a subscription and an unsubscription wake it, too", after: .suspended,
      """
      20 write a #1 -> a background wokenForRequest write, deliver a #1, schedule 24.5
      20 answered a #1 -> schedule 30
      30 deadline -> a suspended wakeBudgetExpired, schedule never
      40 subscribe a #2 -> a background wokenForNotice subscribe, deliver a #2, schedule 50
      50 deadline -> a suspended wakeBudgetExpired, schedule never
      60 unsubscribe a #3 -> a background wokenForNotice unsubscribe, deliver a #3, schedule 70
      70 deadline -> a suspended wakeBudgetExpired, schedule never
      """),
    Trace(
      "a write without response wakes it, too, and is not a pending request",
      """
      0 radio on
      1 launched a backgroundMode -> a foreground launched
      1 command a #1 -> deliver a #1
      1 suspend a -> a suspended userSuspended
      20 command a #2 -> a background wokenForRequest command, deliver a #2, schedule 30
      20 ? pendingRequests a 0
      28 command a #3 -> deliver a #3, schedule 38
      38 deadline -> a suspended wakeBudgetExpired, schedule never
      """),
    Trace(
      "another callback does not wake it: it is queued, and delivered before the event that does", after: .suspended,
      """
      20 callback a #1 -> queue a #1
      21 callback a #2 -> queue a #2
      22 subscribe a #3 -> a background wokenForNotice subscribe, deliver a #1, deliver a #2, deliver a #3,
        schedule 32
      23 callback a #4 -> deliver a #4
      32 deadline -> a suspended wakeBudgetExpired, schedule never
      """),
    Trace(
      "each event grants the whole wake budget again", after: .suspended,
      """
      20 subscribe a #1 -> a background wokenForNotice subscribe, deliver a #1, schedule 30
      28 read a #2 -> deliver a #2, schedule 32.5
      29 answered a #2 -> schedule 38
      36 unsubscribe a #3 -> deliver a #3, schedule 46
      46 deadline -> a suspended wakeBudgetExpired, schedule never
      """),
    Trace(
      "an event in the grace period extends it",
      """
      0 radio on
      1 launched a backgroundMode -> a foreground launched
      2 toBackground a -> a background userLeft, schedule 12
      9 subscribe a #1 -> deliver a #1, schedule 19
      19 deadline -> a suspended gracePeriodExpired, schedule never
      """),
    Trace(
      "a response after the request's limit but within the budget is no overrun",
      """
      0 radio on
      1 launched a backgroundMode -> a foreground launched
      2 toBackground a -> a background userLeft, schedule 12
      8 read a #1 -> deliver a #1, schedule 12.5
      12.5 deadline -> refuse a #1 0E, schedule 18
      17 answered a #1
      18 deadline -> a suspended gracePeriodExpired, schedule never
      18 ? overruns a 0
      """),
    Trace(
      "an app that is moved to the foreground while awake has no time limit", after: .suspended,
      """
      20 subscribe a #1 -> a background wokenForNotice subscribe, deliver a #1, schedule 30
      21 toForeground a -> a foreground userBroughtToFront, schedule never
      21 ? budgetLeft a none
      """),
    Trace(
      "an event at the moment when the budget expires wakes the app again", after: .suspended,
      """
      20 subscribe a #1 -> a background wokenForNotice subscribe, deliver a #1, schedule 30
      30 subscribe a #2 -> a suspended wakeBudgetExpired, a background wokenForNotice subscribe, deliver a #2,
        schedule 40
      """),
    Trace(
      "launched as an app that has left the foreground, its advertising counts as started in the foreground",
      """
      0 radio on
      1 launched a backgroundMode into leftForeground -> a inactive launched, schedule 11
      1 ? isRunning a yes
      2 startAdvertising a Fred 180D -> a background launchFinished, air bits 61 background, schedule 12
      2 ? advertisingWithheldBy a no
      12 deadline -> a suspended gracePeriodExpired, schedule never
      """),
    Trace(
      "the launch waits for the radio, and ends without an advertisement, too",
      """
      0 launched a backgroundMode into leftForeground -> a inactive launched
      60 radio on -> schedule 70
      70 deadline -> a background launchFinished, schedule 80
      75 startAdvertising a Fred 180D -> air bits 61 background
      80 deadline -> a suspended gracePeriodExpired, schedule never
      """),
    Trace(
      "an app that is moved to the foreground while it launches is launched into the foreground",
      """
      0 radio on
      1 launched a backgroundMode into leftForeground -> a inactive launched, schedule 11
      2 toForeground a -> a foreground userBroughtToFront, schedule never
      3 toBackground a -> a background userLeft, schedule 13
      4 startAdvertising a Fred 180D -> withholdAdvertising a R12
      """),
  ]
}
