extension Trace {
  /// Adapters and daemons that come, go and lose power.
  static let world: [Trace] = [
    Trace(
      "what is wanted is registered once there is an adapter",
      """
      add app1
      ? quiet
      target hci0 on -> register app1 hci0 #1
      ? busy
      ? lost app1
      registered app1 #1 -> didRegister app1
      ? registered app1
      add app1
      """
    ),
    Trace(
      "services come before advertisements, each by number",
      """
      add ad2
      add app2
      add ad1
      add app1
      target hci0 on -> register app1 hci0 #1, register app2 hci0 #2
      registered app2 #2 -> didRegister app2
      registered app1 #1 -> didRegister app1, register ad1 hci0 #3, register ad2 hci0 #4
      """
    ),
    Trace(
      "an advertisement does not wait for services that go",
      """
      target hci0 on
      add app1 -> register app1 hci0 #1
      remove app1
      add ad1 -> register ad1 hci0 #2
      registered app1 #1 -> unregister app1 hci0 #3
      """
    ),
    Trace(
      "services need no power, advertisements do",
      """
      add app1
      add ad1
      target hci0 off -> register app1 hci0 #1
      registered app1 #1 -> didRegister app1
      target hci0 on -> register ad1 hci0 #2
      """
    ),
    Trace(
      "an adapter switched off and on brings the advertisement back and leaves the services",
      """
      target hci0 on
      add app1 -> register app1 hci0 #1
      registered app1 #1 -> didRegister app1
      add ad1 -> register ad1 hci0 #2
      registered ad1 #2 -> didRegister ad1
      target hci0 off -> didLose ad1
      ? lost ad1
      ? registered app1
      target hci0 on -> unregister ad1 hci0 #3, register ad1 hci0 #4
      unregistered ad1 #3
      registered ad1 #4 -> didRegister ad1
      """
    ),
    Trace(
      "an adapter switched off during a registration",
      """
      target hci0 on
      add ad1 -> register ad1 hci0 #1
      target hci0 off
      registered ad1 #1
      ? lost ad1
      target hci0 on -> unregister ad1 hci0 #2, register ad1 hci0 #3
      unregistered ad1 #2
      registered ad1 #3 -> didRegister ad1
      """
    ),
    Trace(
      "an adapter switched off and on during a registration",
      """
      target hci0 on
      add ad1 -> register ad1 hci0 #1
      target hci0 off
      target hci0 on
      registered ad1 #1 -> unregister ad1 hci0 #2, register ad1 hci0 #3
      unregistered ad1 #2
      """
    ),
    Trace(
      "an adapter switched off while an advertisement is renewed: it is lost, and comes back",
      """
      target hci0 on
      add ad1 -> register ad1 hci0 #1
      registered ad1 #1 -> didRegister ad1
      refresh ad1 -> unregister ad1 hci0 #2, register ad1 hci0 #3
      target hci0 off -> didLose ad1
      unregistered ad1 #2
      registered ad1 #3
      target hci0 on -> unregister ad1 hci0 #4, register ad1 hci0 #5
      registered ad1 #5 -> didRegister ad1
      """
    ),
    Trace(
      "a daemon that ends while an advertisement is renewed",
      """
      target hci0 on
      add ad1 -> register ad1 hci0 #1
      registered ad1 #1 -> didRegister ad1
      refresh ad1 -> unregister ad1 hci0 #2, register ad1 hci0 #3
      target none -> didLose ad1
      target hci0 on -> register ad1 hci0 #4
      """
    ),
    Trace(
      "a renewal that fails is not lost again with the power",
      """
      target hci0 on
      add ad1 -> register ad1 hci0 #1
      registered ad1 #1 -> didRegister ad1
      refresh ad1 -> unregister ad1 hci0 #2, register ad1 hci0 #3
      failed ad1 #3 Failed -> didFail ad1 Failed 1, retry ad1 #4 0.1 seconds
      target hci0 off
      target hci0 on -> register ad1 hci0 #5
      """
    ),
    Trace(
      "an adapter that is off refuses, and is asked again when it is on",
      """
      target hci0 on
      add ad1 -> register ad1 hci0 #1
      target hci0 off
      failed ad1 #1 Failed -> didFail ad1 Failed 1, retry ad1 #2 0.1 seconds
      retry ad1 #2
      ? quiet
      target hci0 on -> register ad1 hci0 #3
      """
    ),
    Trace(
      "power that comes back ends the waiting",
      """
      target hci0 on
      add ad1 -> register ad1 hci0 #1
      failed ad1 #1 Failed -> didFail ad1 Failed 1, retry ad1 #2 0.1 seconds
      target hci0 off
      target hci0 on -> register ad1 hci0 #3
      retry ad1 #2
      failed ad1 #3 Failed -> didFail ad1 Failed 1, retry ad1 #4 0.1 seconds
      """
    ),
    Trace(
      "an adapter that goes takes all with it, and all comes back with it",
      """
      target hci0 on
      add app1 -> register app1 hci0 #1
      add ad1
      registered app1 #1 -> didRegister app1, register ad1 hci0 #2
      registered ad1 #2 -> didRegister ad1
      target none -> didLose app1, didLose ad1
      ? quiet
      target hci0 off -> register app1 hci0 #3
      registered app1 #3 -> didRegister app1
      target hci0 on -> register ad1 hci0 #4
      """
    ),
    Trace(
      "another adapter is another target",
      """
      target hci0 on
      add app1 -> register app1 hci0 #1
      registered app1 #1 -> didRegister app1
      target hci1 on -> didLose app1, register app1 hci1 #2
      """
    ),
    Trace(
      "an answer that comes after its daemon has gone is passed over",
      """
      target hci0 on
      add app1 -> register app1 hci0 #1
      add ad1
      target none
      target hci0 on -> register app1 hci0 #2
      registered app1 #1
      failed app1 #1 Failed
      ? lost app1
      registered app1 #2 -> didRegister app1, register ad1 hci0 #3
      target none -> didLose app1
      unregistered ad1 #3
      failed ad1 #3 disconnected
      ? quiet
      """
    ),
    Trace(
      "a daemon that ends during an unregistration",
      """
      target hci0 on
      add app1 -> register app1 hci0 #1
      registered app1 #1 -> didRegister app1
      remove app1 -> unregister app1 hci0 #2
      target none -> didUnregister app1
      target hci0 on
      unregistered app1 #2
      ? quiet
      """
    ),
    Trace(
      "what is renewed while the adapter is off waits for it",
      """
      target hci0 on
      add ad1 -> register ad1 hci0 #1
      registered ad1 #1 -> didRegister ad1
      target hci0 off -> didLose ad1
      refresh ad1
      target hci0 on -> unregister ad1 hci0 #2, register ad1 hci0 #3
      """
    ),
    Trace(
      "what is no longer wanted is taken back from an adapter that is off too",
      """
      target hci0 on
      add ad1 -> register ad1 hci0 #1
      registered ad1 #1 -> didRegister ad1
      target hci0 off -> didLose ad1
      remove ad1 -> unregister ad1 hci0 #2
      unregistered ad1 #2 -> didUnregister ad1
      """
    ),
    Trace(
      "what was lost with the power is not lost again with its release",
      """
      target hci0 on
      add ad1 -> register ad1 hci0 #1
      registered ad1 #1 -> didRegister ad1
      target hci0 off -> didLose ad1
      released ad1 -> retry ad1 #2 0.1 seconds
      target hci0 on -> register ad1 hci0 #3
      """
    ),
    Trace(
      "failures are forgotten with the adapter",
      """
      target hci0 on
      add app1 -> register app1 hci0 #1
      failed app1 #1 Failed -> didFail app1 Failed 1, retry app1 #2 0.1 seconds
      target none
      target hci0 on -> register app1 hci0 #3
      retry app1 #2
      failed app1 #3 Failed -> didFail app1 Failed 1, retry app1 #4 0.1 seconds
      """
    ),
  ]
}
