extension Trace {
  /// Adapters and daemons that come, go and lose power.
  static let world: [Trace] = [
    Trace(
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
    Trace(
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
    Trace(
      "an advertisement does not wait for services that go",
      """
      station hci0 on
      want app1 -> register app1 hci0 #1
      unwant app1
      want ad1 -> register ad1 hci0 #2
      registered app1 #1 -> unregister app1 hci0 #3
      """
    ),
    Trace(
      "services need no power, advertisements do",
      """
      want app1
      want ad1
      station hci0 off -> register app1 hci0 #1
      registered app1 #1 -> didRegister app1
      station hci0 on -> register ad1 hci0 #2
      """
    ),
    Trace(
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
      station hci0 on -> unregister ad1 hci0 #3, register ad1 hci0 #4
      unregistered ad1 #3
      registered ad1 #4 -> didRegister ad1
      """
    ),
    Trace(
      "an adapter switched off during a registration",
      """
      station hci0 on
      want ad1 -> register ad1 hci0 #1
      station hci0 off
      registered ad1 #1
      ? lost ad1
      station hci0 on -> unregister ad1 hci0 #2, register ad1 hci0 #3
      unregistered ad1 #2
      registered ad1 #3 -> didRegister ad1
      """
    ),
    Trace(
      "an adapter switched off and on during a registration",
      """
      station hci0 on
      want ad1 -> register ad1 hci0 #1
      station hci0 off
      station hci0 on
      registered ad1 #1 -> unregister ad1 hci0 #2, register ad1 hci0 #3
      unregistered ad1 #2
      """
    ),
    Trace(
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
    Trace(
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
    Trace(
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
    Trace(
      "another adapter is another station",
      """
      station hci0 on
      want app1 -> register app1 hci0 #1
      registered app1 #1 -> didRegister app1
      station hci1 on -> didLose app1, register app1 hci1 #2
      """
    ),
    Trace(
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
    Trace(
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
    Trace(
      "what is renewed while the adapter is off waits for it",
      """
      station hci0 on
      want ad1 -> register ad1 hci0 #1
      registered ad1 #1 -> didRegister ad1
      station hci0 off -> didLose ad1
      renew ad1
      station hci0 on -> unregister ad1 hci0 #2, register ad1 hci0 #3
      """
    ),
    Trace(
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
    Trace(
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
    Trace(
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
  ]
}
