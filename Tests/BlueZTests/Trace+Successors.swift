extension Trace {
  /// Applications that take over the handles of others.
  static let successors: [Trace] = [
    Trace(
      "two applications become one: it is registered after both have left",
      """
      target hci0 on
      add app1 -> register app1 hci0 #1
      registered app1 #1 -> didRegister app1
      add app2 -> register app2 hci0 #2
      registered app2 #2 -> didRegister app2
      remove app1 -> unregister app1 hci0 #3
      remove app2 -> unregister app2 hci0 #4
      add app3 after app1 app2
      ? busy
      unregistered app2 #4 -> didUnregister app2
      unregistered app1 #3 -> didUnregister app1, register app3 hci0 #5
      registered app3 #5 -> didRegister app3
      ? quiet
      """
    ),
    Trace(
      "registrations that are in progress are finished and taken back first",
      """
      target hci0 on
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
      "one that bluetoothd may still have is taken back first",
      """
      target hci0 on
      add app1 -> register app1 hci0 #1
      remove app1
      add app2 after app1
      failed app1 #1 timeout -> unregister app1 hci0 #2
      unregistered app1 #2 -> didUnregister app1, register app2 hci0 #3
      """
    ),
    Trace(
      "a vanished adapter holds nothing back",
      """
      target hci0 on
      add app1 -> register app1 hci0 #1
      registered app1 #1 -> didRegister app1
      remove app1 -> unregister app1 hci0 #2
      add app2 after app1
      target none -> didUnregister app1
      target hci0 on -> register app2 hci0 #3
      unregistered app1 #2
      """
    ),
    Trace(
      "what has left before holds nothing back",
      """
      target hci0 on
      add app1 -> register app1 hci0 #1
      remove app1
      failed app1 #1 Failed -> didUnregister app1
      add app2 after app1 -> register app2 hci0 #2
      """
    ),
    Trace(
      "one that is removed while it waits leaves at once, and its successor waits for the same",
      """
      target hci0 on
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
      "an advertisement waits for an application that waits",
      """
      target hci0 on
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
