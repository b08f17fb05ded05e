extension Trace {
  /// Applications that take over the handles of former applications.
  static let successors: [Trace] = [
    Trace(
      "an application with two predecessors is registered after both are unregistered",
      """
      targetChanged hci0 on
      add app1 -> register app1 hci0 #1
      registered app1 #1 -> didRegister app1
      add app2 -> register app2 hci0 #2
      registered app2 #2 -> didRegister app2
      remove app1 -> unregister app1 hci0 #3
      remove app2 -> unregister app2 hci0 #4
      add app3 after app1 app2
      ? isSettled no
      unregistered app2 #4 -> didUnregister app2
      unregistered app1 #3 -> didUnregister app1, register app3 hci0 #5
      registered app3 #5 -> didRegister app3
      ? isSettled yes
      """
    ),
    Trace(
      "predecessors whose registration is in progress are registered and unregistered first",
      """
      targetChanged hci0 on
      add app1 -> register app1 hci0 #1
      add app2 -> register app2 hci0 #2
      remove app1
      remove app2
      add app3 after app1 app2
      registered app1 #1 -> unregister app1 hci0 #3
      failed app2 #2 Failed -> didUnregister app2
      unregistered app1 #3 -> didUnregister app1, register app3 hci0 #4
      """
    ),
    Trace(
      "a predecessor that bluetoothd may still have is unregistered first",
      """
      targetChanged hci0 on
      add app1 -> register app1 hci0 #1
      remove app1
      add app2 after app1
      failed app1 #1 timeout -> unregister app1 hci0 #2
      unregistered app1 #2 -> didUnregister app1, register app2 hci0 #3
      """
    ),
    Trace(
      "a removed adapter does not delay a successor",
      """
      targetChanged hci0 on
      add app1 -> register app1 hci0 #1
      registered app1 #1 -> didRegister app1
      remove app1 -> unregister app1 hci0 #2
      add app2 after app1
      targetChanged none -> didUnregister app1
      targetChanged hci0 on -> register app2 hci0 #3
      unregistered app1 #2
      """
    ),
    Trace(
      "a predecessor that is unregistered already does not delay a successor",
      """
      targetChanged hci0 on
      add app1 -> register app1 hci0 #1
      remove app1
      failed app1 #1 Failed -> didUnregister app1
      add app2 after app1 -> register app2 hci0 #2
      """
    ),
    Trace(
      "a waiting application is removed at once, and its successor waits for the same predecessor",
      """
      targetChanged hci0 on
      add app1 -> register app1 hci0 #1
      remove app1
      add app2 after app1
      remove app2 -> didUnregister app2
      add app3 after app1
      registered app1 #1 -> unregister app1 hci0 #2
      unregistered app1 #2 -> didUnregister app1, register app3 hci0 #3
      """
    ),
    Trace(
      "an advertisement waits for an application that waits for its predecessor",
      """
      targetChanged hci0 on
      add app1 -> register app1 hci0 #1
      registered app1 #1 -> didRegister app1
      remove app1 -> unregister app1 hci0 #2
      add app2 after app1
      add ad1
      unregistered app1 #2 -> didUnregister app1, register app2 hci0 #3
      registered app2 #3 -> didRegister app2, register ad1 hci0 #4
      """
    ),
  ]
}
