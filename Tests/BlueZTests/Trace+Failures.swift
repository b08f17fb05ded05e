extension Trace {
  /// Registrations that fail, that bluetoothd drops, and those of which nobody knows.
  static let failures: [Trace] = [
    Trace(
      "an advertisement does not wait for services that fail",
      """
      target hci0 on
      add app1 -> register app1 hci0 #1
      add ad1
      failed app1 #1 Failed -> didFail app1 Failed 1, retry app1 #2 0.1 seconds, register ad1 hci0 #3
      retry app1 #2 -> register app1 hci0 #4
      registered ad1 #3 -> didRegister ad1
      registered app1 #4 -> didRegister app1
      """
    ),
    Trace(
      "a registration that fails and is no longer wanted is no failure",
      """
      target hci0 on
      add ad1 -> register ad1 hci0 #1
      remove ad1
      failed ad1 #1 Failed -> didUnregister ad1
      ? quiet
      """
    ),
    Trace(
      "what bluetoothd has released is registered again after a while",
      """
      target hci0 on
      add ad1 -> register ad1 hci0 #1
      released ad1
      registered ad1 #1 -> didRegister ad1
      released ad1 -> didLose ad1, retry ad1 #2 0.1 seconds
      ? lost ad1
      retry ad1 #2 -> register ad1 hci0 #3
      registered ad1 #3 -> didRegister ad1
      """
    ),
    Trace(
      "a release of nothing is passed over",
      """
      released ad1
      target hci0 on
      add ad1 -> register ad1 hci0 #1
      registered ad1 #1 -> didRegister ad1
      remove ad1 -> unregister ad1 hci0 #2
      released ad1
      unregistered ad1 #2 -> didUnregister ad1
      """
    ),
    Trace(
      "failures in a row are counted until one succeeds",
      """
      target hci0 on
      add app1 -> register app1 hci0 #1
      failed app1 #1 Failed -> didFail app1 Failed 1, retry app1 #2 0.1 seconds
      retry app1 #2 -> register app1 hci0 #3
      failed app1 #3 NotPermitted -> didFail app1 NotPermitted 2, retry app1 #4 0.2 seconds
      retry app1 #2
      retry app1 #4 -> register app1 hci0 #5
      registered app1 #5 -> didRegister app1
      refresh app1 -> unregister app1 hci0 #6
      unregistered app1 #6 -> register app1 hci0 #7
      failed app1 #7 Failed -> didFail app1 Failed 1, retry app1 #8 0.1 seconds
      """
    ),
    Trace(
      "what bluetoothd has already is taken back before it is registered again",
      """
      target hci0 on
      add app1 -> register app1 hci0 #1
      failed app1 #1 AlreadyExists -> didFail app1 AlreadyExists 1, retry app1 #2 0.1 seconds
      retry app1 #2 -> unregister app1 hci0 #3
      unregistered app1 #3 -> register app1 hci0 #4
      registered app1 #4 -> didRegister app1
      """
    ),
    Trace(
      "what bluetoothd may have registered after our patience is taken back",
      """
      target hci0 on
      add ad1 -> register ad1 hci0 #1
      failed ad1 #1 timeout -> didFail ad1 timeout 1, retry ad1 #2 0.1 seconds
      remove ad1 -> unregister ad1 hci0 #3
      unregistered ad1 #3 -> didUnregister ad1
      """
    ),
    Trace(
      "the same, no longer wanted before",
      """
      target hci0 on
      add ad1 -> register ad1 hci0 #1
      remove ad1
      failed ad1 #1 timeout -> unregister ad1 hci0 #2
      unregistered ad1 #2 -> didUnregister ad1
      ? quiet
      """
    ),
    Trace(
      "what a vanished daemon may have had is gone with it",
      """
      target hci0 on
      add ad1 -> register ad1 hci0 #1
      failed ad1 #1 timeout -> didFail ad1 timeout 1, retry ad1 #2 0.1 seconds
      target none
      target hci0 on -> register ad1 hci0 #3
      """
    ),
  ]
}
