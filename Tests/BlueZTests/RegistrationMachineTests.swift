import BlueZ
import Testing

@Suite("Registrations with bluetoothd")
struct RegistrationMachineTests {
  private static let table: [(String, String)] = [
    (
      "what is wanted is registered once there is a station",
      """
      want app1
      ? quiet
      station hci0 on -> register app1 hci0 #1
      ? busy
      ? lost app1
      registered app1 #1 -> didRegister app1
      ? registered app1
      want app1
      """
    ),
    (
      "services come before advertisements, each by number",
      """
      want ad2
      want app2
      want ad1
      want app1
      station hci0 on -> register app1 hci0 #1, register app2 hci0 #2
      registered app2 #2 -> didRegister app2
      registered app1 #1 -> didRegister app1, register ad1 hci0 #3, register ad2 hci0 #4
      """
    ),
    (
      "an advertisement does not wait for services that fail",
      """
      station hci0 on
      want app1 -> register app1 hci0 #1
      want ad1
      failed app1 #1 Failed -> didFail app1 Failed 1, retry app1 #2 0.1 seconds, register ad1 hci0 #3
      retry app1 #2 -> register app1 hci0 #4
      registered ad1 #3 -> didRegister ad1
      registered app1 #4 -> didRegister app1
      """
    ),
    (
      "an advertisement does not wait for services that go",
      """
      station hci0 on
      want app1 -> register app1 hci0 #1
      unwant app1
      want ad1 -> register ad1 hci0 #2
      registered app1 #1 -> unregister app1 hci0 #3
      """
    ),
    (
      "services need no power, advertisements do",
      """
      want app1
      want ad1
      station hci0 off -> register app1 hci0 #1
      registered app1 #1 -> didRegister app1
      station hci0 on -> register ad1 hci0 #2
      """
    ),
    (
      "an adapter switched off and on brings the advertisement back and leaves the services",
      """
      station hci0 on
      want app1 -> register app1 hci0 #1
      registered app1 #1 -> didRegister app1
      want ad1 -> register ad1 hci0 #2
      registered ad1 #2 -> didRegister ad1
      station hci0 off -> didLose ad1
      ? lost ad1
      ? registered app1
      station hci0 on -> unregister ad1 hci0 #3
      unregistered ad1 #3 -> register ad1 hci0 #4
      registered ad1 #4 -> didRegister ad1
      """
    ),
    (
      "an adapter switched off during a registration",
      """
      station hci0 on
      want ad1 -> register ad1 hci0 #1
      station hci0 off
      registered ad1 #1
      ? lost ad1
      station hci0 on -> unregister ad1 hci0 #2
      unregistered ad1 #2 -> register ad1 hci0 #3
      registered ad1 #3 -> didRegister ad1
      """
    ),
    (
      "an adapter switched off and on during a registration",
      """
      station hci0 on
      want ad1 -> register ad1 hci0 #1
      station hci0 off
      station hci0 on
      registered ad1 #1 -> unregister ad1 hci0 #2
      unregistered ad1 #2 -> register ad1 hci0 #3
      """
    ),
    (
      "an adapter that is off refuses, and is asked again when it is on",
      """
      station hci0 on
      want ad1 -> register ad1 hci0 #1
      station hci0 off
      failed ad1 #1 Failed -> didFail ad1 Failed 1, retry ad1 #2 0.1 seconds
      retry ad1 #2
      ? quiet
      station hci0 on -> register ad1 hci0 #3
      """
    ),
    (
      "power that comes back ends the waiting",
      """
      station hci0 on
      want ad1 -> register ad1 hci0 #1
      failed ad1 #1 Failed -> didFail ad1 Failed 1, retry ad1 #2 0.1 seconds
      station hci0 off
      station hci0 on -> register ad1 hci0 #3
      retry ad1 #2
      failed ad1 #3 Failed -> didFail ad1 Failed 1, retry ad1 #4 0.1 seconds
      """
    ),
    (
      "an adapter that goes takes all with it, and all comes back with it",
      """
      station hci0 on
      want app1 -> register app1 hci0 #1
      want ad1
      registered app1 #1 -> didRegister app1, register ad1 hci0 #2
      registered ad1 #2 -> didRegister ad1
      station none -> didLose app1, didLose ad1
      ? quiet
      station hci0 off -> register app1 hci0 #3
      registered app1 #3 -> didRegister app1
      station hci0 on -> register ad1 hci0 #4
      """
    ),
    (
      "another adapter is another station",
      """
      station hci0 on
      want app1 -> register app1 hci0 #1
      registered app1 #1 -> didRegister app1
      station hci1 on -> didLose app1, register app1 hci1 #2
      """
    ),
    (
      "an answer that comes after its daemon has gone is passed over",
      """
      station hci0 on
      want app1 -> register app1 hci0 #1
      want ad1
      station none
      station hci0 on -> register app1 hci0 #2
      registered app1 #1
      failed app1 #1 Failed
      ? lost app1
      registered app1 #2 -> didRegister app1, register ad1 hci0 #3
      station none -> didLose app1
      unregistered ad1 #3
      failed ad1 #3 disconnected
      ? quiet
      """
    ),
    (
      "a daemon that ends during an unregistration",
      """
      station hci0 on
      want app1 -> register app1 hci0 #1
      registered app1 #1 -> didRegister app1
      unwant app1 -> unregister app1 hci0 #2
      station none -> didUnregister app1
      station hci0 on
      unregistered app1 #2
      ? quiet
      """
    ),
    (
      "other content replaces what is registered",
      """
      station hci0 on
      want ad1 -> register ad1 hci0 #1
      registered ad1 #1 -> didRegister ad1
      renew ad1 -> unregister ad1 hci0 #2
      renew ad1
      unregistered ad1 #2 -> register ad1 hci0 #3
      registered ad1 #3 -> didRegister ad1
      """
    ),
    (
      "other content during a registration is registered after it",
      """
      station hci0 on
      want ad1 -> register ad1 hci0 #1
      renew ad1
      renew ad1
      registered ad1 #1 -> unregister ad1 hci0 #2
      unregistered ad1 #2 -> register ad1 hci0 #3
      registered ad1 #3 -> didRegister ad1
      """
    ),
    (
      "what is renewed while it waits, or while nothing is known of it, needs nothing",
      """
      renew ad1
      station hci0 on
      want ad1 -> register ad1 hci0 #1
      failed ad1 #1 Failed -> didFail ad1 Failed 1, retry ad1 #2 0.1 seconds
      renew ad1
      retry ad1 #2 -> register ad1 hci0 #3
      registered ad1 #3 -> didRegister ad1
      """
    ),
    (
      "what is renewed while the adapter is off waits for it",
      """
      station hci0 on
      want ad1 -> register ad1 hci0 #1
      registered ad1 #1 -> didRegister ad1
      station hci0 off -> didLose ad1
      renew ad1
      station hci0 on -> unregister ad1 hci0 #2
      """
    ),
    (
      "what is no longer wanted goes",
      """
      station hci0 on
      want app1 -> register app1 hci0 #1
      registered app1 #1 -> didRegister app1
      unwant app1 -> unregister app1 hci0 #2
      ? busy
      unwant app1
      unregistered app1 #2 -> didUnregister app1
      ? quiet
      unwant app1
      """
    ),
    (
      "what is no longer wanted before it could be registered is gone at once",
      """
      want ad1
      unwant ad1 -> didUnregister ad1
      ? quiet
      """
    ),
    (
      "what is no longer wanted during its registration goes after it",
      """
      station hci0 on
      want ad1 -> register ad1 hci0 #1
      unwant ad1
      registered ad1 #1 -> unregister ad1 hci0 #2
      unregistered ad1 #2 -> didUnregister ad1
      """
    ),
    (
      "a registration that fails and is no longer wanted is no failure",
      """
      station hci0 on
      want ad1 -> register ad1 hci0 #1
      unwant ad1
      failed ad1 #1 Failed -> didUnregister ad1
      ? quiet
      """
    ),
    (
      "what is no longer wanted while it waits is gone at once",
      """
      station hci0 on
      want ad1 -> register ad1 hci0 #1
      failed ad1 #1 Failed -> didFail ad1 Failed 1, retry ad1 #2 0.1 seconds
      unwant ad1 -> didUnregister ad1
      retry ad1 #2
      ? quiet
      """
    ),
    (
      "what is no longer wanted is taken back from an adapter that is off too",
      """
      station hci0 on
      want ad1 -> register ad1 hci0 #1
      registered ad1 #1 -> didRegister ad1
      station hci0 off -> didLose ad1
      unwant ad1 -> unregister ad1 hci0 #2
      unregistered ad1 #2 -> didUnregister ad1
      """
    ),
    (
      "what is wanted again while it goes comes back",
      """
      station hci0 on
      want ad1 -> register ad1 hci0 #1
      registered ad1 #1 -> didRegister ad1
      unwant ad1 -> unregister ad1 hci0 #2
      want ad1
      unregistered ad1 #2 -> register ad1 hci0 #3
      registered ad1 #3 -> didRegister ad1
      """
    ),
    (
      "what bluetoothd has released is registered again after a while",
      """
      station hci0 on
      want ad1 -> register ad1 hci0 #1
      released ad1
      registered ad1 #1 -> didRegister ad1
      released ad1 -> didLose ad1, retry ad1 #2 0.1 seconds
      ? lost ad1
      retry ad1 #2 -> register ad1 hci0 #3
      registered ad1 #3 -> didRegister ad1
      """
    ),
    (
      "what was lost with the power is not lost again with its release",
      """
      station hci0 on
      want ad1 -> register ad1 hci0 #1
      registered ad1 #1 -> didRegister ad1
      station hci0 off -> didLose ad1
      released ad1 -> retry ad1 #2 0.1 seconds
      station hci0 on -> register ad1 hci0 #3
      """
    ),
    (
      "a release of nothing is passed over",
      """
      released ad1
      station hci0 on
      want ad1 -> register ad1 hci0 #1
      registered ad1 #1 -> didRegister ad1
      unwant ad1 -> unregister ad1 hci0 #2
      released ad1
      unregistered ad1 #2 -> didUnregister ad1
      """
    ),
    (
      "failures in a row are counted until one succeeds",
      """
      station hci0 on
      want app1 -> register app1 hci0 #1
      failed app1 #1 Failed -> didFail app1 Failed 1, retry app1 #2 0.1 seconds
      retry app1 #2 -> register app1 hci0 #3
      failed app1 #3 NotPermitted -> didFail app1 NotPermitted 2, retry app1 #4 0.2 seconds
      retry app1 #2
      retry app1 #4 -> register app1 hci0 #5
      registered app1 #5 -> didRegister app1
      renew app1 -> unregister app1 hci0 #6
      unregistered app1 #6 -> register app1 hci0 #7
      failed app1 #7 Failed -> didFail app1 Failed 1, retry app1 #8 0.1 seconds
      """
    ),
    (
      "failures are forgotten with the adapter",
      """
      station hci0 on
      want app1 -> register app1 hci0 #1
      failed app1 #1 Failed -> didFail app1 Failed 1, retry app1 #2 0.1 seconds
      station none
      station hci0 on -> register app1 hci0 #3
      retry app1 #2
      failed app1 #3 Failed -> didFail app1 Failed 1, retry app1 #4 0.1 seconds
      """
    ),
    (
      "what bluetoothd has already is taken back before it is registered again",
      """
      station hci0 on
      want app1 -> register app1 hci0 #1
      failed app1 #1 AlreadyExists -> didFail app1 AlreadyExists 1, retry app1 #2 0.1 seconds
      retry app1 #2 -> unregister app1 hci0 #3
      unregistered app1 #3 -> register app1 hci0 #4
      registered app1 #4 -> didRegister app1
      """
    ),
    (
      "what bluetoothd may have registered after our patience is taken back",
      """
      station hci0 on
      want ad1 -> register ad1 hci0 #1
      failed ad1 #1 timeout -> didFail ad1 timeout 1, retry ad1 #2 0.1 seconds
      unwant ad1 -> unregister ad1 hci0 #3
      unregistered ad1 #3 -> didUnregister ad1
      """
    ),
    (
      "the same, no longer wanted before",
      """
      station hci0 on
      want ad1 -> register ad1 hci0 #1
      unwant ad1
      failed ad1 #1 timeout -> unregister ad1 hci0 #2
      unregistered ad1 #2 -> didUnregister ad1
      ? quiet
      """
    ),
    (
      "what a vanished daemon may have had is gone with it",
      """
      station hci0 on
      want ad1 -> register ad1 hci0 #1
      failed ad1 #1 timeout -> didFail ad1 timeout 1, retry ad1 #2 0.1 seconds
      station none
      station hci0 on -> register ad1 hci0 #3
      """
    ),
  ]

  @Test("Each event has its actions", arguments: table)
  func traces(name: String, trace: String) {
    #expect(Trace(trace).differences() == [])
  }

  @Test(
    "Waiting doubles with each failure, up to 5 s",
    arguments: zip(1...10, [100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000, 5000]))
  func backOff(failures: Int, milliseconds: Int) {
    #expect(RegistrationMachine.delay(after: failures) == .milliseconds(milliseconds))
  }

  @Test("Waiting is never longer, however often it has failed") func longBackOff() {
    #expect(RegistrationMachine.delay(after: .max) == .seconds(5))
  }
}
