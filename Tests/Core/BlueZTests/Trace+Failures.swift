extension Trace {
  /// Registrations that fail, that bluetoothd releases, and whose result is unknown.
  static let failures: [Trace] = [
    Trace(
      "a failed service does not delay an advertisement",
      """
      targetChanged hci0 on
      add app1 -> register app1 hci0 #1
      add ad1
      failed app1 #1 Failed -> didFail app1 Failed 1, retry app1 #2 0.1 seconds, register ad1 hci0 #3
      retryDue app1 #2 -> register app1 hci0 #4
      registered ad1 #3 -> didRegister ad1
      registered app1 #4 -> didRegister app1
      """
    ),
    Trace(
      "the failure of a registration that has been removed is not reported",
      """
      targetChanged hci0 on
      add ad1 -> register ad1 hci0 #1
      remove ad1
      failed ad1 #1 Failed -> didUnregister ad1
      ? isSettled yes
      """
    ),
    Trace(
      "a released advertisement is registered again after a delay",
      """
      targetChanged hci0 on
      add ad1 -> register ad1 hci0 #1
      released ad1
      registered ad1 #1 -> didRegister ad1
      released ad1 -> didLose ad1, retry ad1 #2 0.1 seconds
      ? isRegistered ad1 no
      retryDue ad1 #2 -> register ad1 hci0 #3
      registered ad1 #3 -> didRegister ad1
      """
    ),
    Trace(
      "a release of an unknown or removed advertisement is ignored",
      """
      released ad1
      targetChanged hci0 on
      add ad1 -> register ad1 hci0 #1
      registered ad1 #1 -> didRegister ad1
      remove ad1 -> unregister ad1 hci0 #2
      released ad1
      unregistered ad1 #2 -> didUnregister ad1
      """
    ),
    Trace(
      "consecutive failures are counted until a registration succeeds",
      """
      targetChanged hci0 on
      add app1 -> register app1 hci0 #1
      failed app1 #1 Failed -> didFail app1 Failed 1, retry app1 #2 0.1 seconds
      retryDue app1 #2 -> register app1 hci0 #3
      failed app1 #3 NotPermitted -> didFail app1 NotPermitted 2, retry app1 #4 0.2 seconds
      retryDue app1 #2
      retryDue app1 #4 -> register app1 hci0 #5
      registered app1 #5 -> didRegister app1
      refresh app1 -> unregister app1 hci0 #6
      unregistered app1 #6 -> register app1 hci0 #7
      failed app1 #7 Failed -> didFail app1 Failed 1, retry app1 #8 0.1 seconds
      """
    ),
    Trace(
      "an item that bluetoothd has already is unregistered before it is registered again",
      """
      targetChanged hci0 on
      add app1 -> register app1 hci0 #1
      failed app1 #1 AlreadyExists -> didFail app1 AlreadyExists 1, retry app1 #2 0.1 seconds
      retryDue app1 #2 -> unregister app1 hci0 #3
      unregistered app1 #3 -> register app1 hci0 #4
      registered app1 #4 -> didRegister app1
      """
    ),
    Trace(
      "after a timeout a removed item is unregistered, since bluetoothd may have registered it",
      """
      targetChanged hci0 on
      add ad1 -> register ad1 hci0 #1
      failed ad1 #1 timeout -> didFail ad1 timeout 1, retry ad1 #2 0.1 seconds
      remove ad1 -> unregister ad1 hci0 #3
      unregistered ad1 #3 -> didUnregister ad1
      """
    ),
    Trace(
      "an item that is removed before the timeout is unregistered, too",
      """
      targetChanged hci0 on
      add ad1 -> register ad1 hci0 #1
      remove ad1
      failed ad1 #1 timeout -> unregister ad1 hci0 #2
      unregistered ad1 #2 -> didUnregister ad1
      ? isSettled yes
      """
    ),
    Trace(
      "a daemon that ends has no registrations that could be unregistered",
      """
      targetChanged hci0 on
      add ad1 -> register ad1 hci0 #1
      failed ad1 #1 timeout -> didFail ad1 timeout 1, retry ad1 #2 0.1 seconds
      targetChanged none
      targetChanged hci0 on -> register ad1 hci0 #3
      """
    ),
    Trace(
      "a replacement that bluetoothd refuses before it has freed the instance is repeated, and only then reported",
      after: .registered,
      """
      refresh ad1 -> unregister ad1 hci0 #2, register ad1 hci0 #3
      unregistered ad1 #2
      failed ad1 #3 NotPermitted -> retry ad1 #4 0.1 seconds
      ? isSettled no
      retryDue ad1 #4 -> register ad1 hci0 #5
      registered ad1 #5 -> didRegister ad1
      refresh ad1 -> unregister ad1 hci0 #6, register ad1 hci0 #7
      failed ad1 #7 NotPermitted -> retry ad1 #8 0.1 seconds
      retryDue ad1 #8 -> register ad1 hci0 #9
      failed ad1 #9 NotPermitted -> didFail ad1 NotPermitted 2, retry ad1 #10 0.2 seconds
      """
    ),
    Trace(
      "a replacement that fails for another reason is reported", after: .registered,
      """
      refresh ad1 -> unregister ad1 hci0 #2, register ad1 hci0 #3
      failed ad1 #3 Failed -> didFail ad1 Failed 1, retry ad1 #4 0.1 seconds
      """
    ),
    Trace(
      "an advertisement whose refused replacement waits is lost with its adapter", after: .registered,
      """
      refresh ad1 -> unregister ad1 hci0 #2, register ad1 hci0 #3
      failed ad1 #3 NotPermitted -> retry ad1 #4 0.1 seconds
      targetChanged none -> didLose ad1
      """
    ),
  ]
}
