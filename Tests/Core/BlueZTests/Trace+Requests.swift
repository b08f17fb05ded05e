extension Trace {
  /// Items that are added, replaced, refreshed and removed on one adapter.
  static let requests: [Trace] = [
    Trace(
      "refreshing replaces the registered content", after: .registered,
      """
      refresh ad1 -> unregister ad1 hci0 #2, register ad1 hci0 #3
      refresh ad1
      unregistered ad1 #2
      registered ad1 #3 -> unregister ad1 hci0 #4, register ad1 hci0 #5
      registered ad1 #5 -> didRegister ad1
      """
    ),
    Trace(
      "content that is refreshed during a registration is registered after it",
      """
      targetChanged hci0 on
      add ad1 -> register ad1 hci0 #1
      refresh ad1
      refresh ad1
      registered ad1 #1 -> unregister ad1 hci0 #2, register ad1 hci0 #3
      unregistered ad1 #2
      registered ad1 #3 -> didRegister ad1
      """
    ),
    Trace(
      "refreshing an unknown item, or one that waits for a retry, does nothing",
      """
      refresh ad1
      targetChanged hci0 on
      add ad1 -> register ad1 hci0 #1
      failed ad1 #1 Failed -> didFail ad1 Failed 1, retry ad1 #2 0.1 seconds
      refresh ad1
      retryDue ad1 #2 -> register ad1 hci0 #3
      registered ad1 #3 -> didRegister ad1
      """
    ),
    Trace(
      "of several advertisements that are replaced at once all old ones are unregistered before a new one is registered",
      """
      targetChanged hci0 on
      replace *ad0 *ad1 -> register ad0 hci0 #1, register ad1 hci0 #2
      registered ad0 #1 -> didRegister ad0
      registered ad1 #2 -> didRegister ad1
      replace *ad0 *ad1 -> unregister ad0 hci0 #3, unregister ad1 hci0 #5, register ad0 hci0 #4, register ad1 hci0 #6
      unregistered ad0 #3
      unregistered ad1 #5
      registered ad0 #4 -> didRegister ad0
      registered ad1 #6 -> didRegister ad1
      replace -ad1 *ad0 -> unregister ad0 hci0 #7, unregister ad1 hci0 #9, register ad0 hci0 #8
      registered ad0 #8 -> didRegister ad0
      unregistered ad1 #9 -> didUnregister ad1
      """
    ),
    Trace(
      "no new advertisement is registered while an old one is being registered",
      """
      targetChanged hci0 on
      replace *ad0 *ad1 -> register ad0 hci0 #1, register ad1 hci0 #2
      registered ad0 #1 -> didRegister ad0
      replace -ad1 *ad0 -> unregister ad0 hci0 #3
      unregistered ad0 #3
      registered ad1 #2 -> unregister ad1 hci0 #5, register ad0 hci0 #4
      unregistered ad1 #5 -> didUnregister ad1
      registered ad0 #4 -> didRegister ad0
      """
    ),
    Trace(
      "a removed item is unregistered",
      """
      targetChanged hci0 on
      add app1 -> register app1 hci0 #1
      registered app1 #1 -> didRegister app1
      remove app1 -> unregister app1 hci0 #2
      ? isSettled no
      remove app1
      unregistered app1 #2 -> didUnregister app1
      ? isSettled yes
      remove app1
      """
    ),
    Trace(
      "an item that is removed before it could be registered is removed at once",
      """
      add ad1
      remove ad1 -> didUnregister ad1
      ? isSettled yes
      """
    ),
    Trace(
      "an item that is removed during its registration is unregistered after it",
      """
      targetChanged hci0 on
      add ad1 -> register ad1 hci0 #1
      remove ad1
      registered ad1 #1 -> unregister ad1 hci0 #2
      unregistered ad1 #2 -> didUnregister ad1
      """
    ),
    Trace(
      "an item that is removed while it waits for a retry is removed at once",
      """
      targetChanged hci0 on
      add ad1 -> register ad1 hci0 #1
      failed ad1 #1 Failed -> didFail ad1 Failed 1, retry ad1 #2 0.1 seconds
      remove ad1 -> didUnregister ad1
      retryDue ad1 #2
      ? isSettled yes
      """
    ),
    Trace(
      "an item that is added again during its unregistration is registered again", after: .registered,
      """
      remove ad1 -> unregister ad1 hci0 #2
      add ad1
      unregistered ad1 #2 -> register ad1 hci0 #3
      registered ad1 #3 -> didRegister ad1
      """
    ),
  ]
}
